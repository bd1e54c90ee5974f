/* Contacts between bodies: samples of one against the distance field of the other, as rows with
 * friction and restitution. Impulses of the last substep start the next solve. */
#ifndef WEIR_COUPLE_CONTACT_ROWS_H
#define WEIR_COUPLE_CONTACT_ROWS_H

#include "couple/row_system.h"

/* Pairs of bodies that do not collide because a joint holds them together. */
typedef bool (*contact_filter)(const void *context, size_t a, size_t b);

/* Impulses of contact rows by key, sorted; what the next substep starts from. */
typedef struct contact_memory {
    struct kept_contact {
        uint64_t key;
        double nu; /* as wide as the key: no padding, so that it can be saved as bytes */
    } * kept;
    size_t count, capacity;
} contact_memory;

void contact_memory_free(contact_memory *c, memory *m);

/* Adds rows for all pairs of bodies of which one is moved. */
bool contact_rows_add(row_system *s, const flow *f, const contact_memory *last,
                      contact_filter joined, const void *context, double dt, weir_error *error);

/* Remembers the rows' impulses after a solve, and notes them in the bodies. */
bool contact_rows_keep(const row_system *s, flow *f, contact_memory *next, weir_error *error);

#endif
