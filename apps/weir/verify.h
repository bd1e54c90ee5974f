/* The measurements of weir verify: small worlds whose right answer is known. */
#ifndef WEIR_APP_VERIFY_H
#define WEIR_APP_VERIFY_H

#include "weir/weir.h"

typedef struct verify_setup {
    weir_method method;
    int dim;
    double spacing; /* m */
    bool quick;
    int threads;
    const char *words; /* only bodies whose cases contain them; NULL = all */
} verify_setup;

/* Whether the case of a body is to be measured, by its words in the table. */
bool verify_is_asked_for(const verify_setup *s, const char *what);

enum { VERIFY_WORDS = 96 }; /* characters of a case's description */

typedef struct verify_result {
    const char *name;
    char what[VERIFY_WORDS]; /* the case */
    double expected, measured;
    double error;     /* relative, or absolute where `expected` is 0 */
    double tolerance; /* of |error| */
    const char *unit; /* of expected and measured */
    bool passed;
} verify_result;

enum { VERIFY_MAX_RESULTS = 256 };

typedef struct verify_list {
    verify_result results[VERIFY_MAX_RESULTS];
    int count;
    bool silent; /* results are not printed as they come */
} verify_list;

/* Adds a result; `relative` measures the error against `expected`. */
void verify_add(verify_list *list, const char *name, const char *what, const char *unit,
                double expected, double measured, double tolerance, bool relative);

/* Each measures its cases and adds results; false when a world could not run. */
bool verify_pool(const verify_setup *s, verify_list *list, weir_error *error);
bool verify_floating(const verify_setup *s, verify_list *list, weir_error *error);
bool verify_floor(const verify_setup *s, verify_list *list, weir_error *error);
bool verify_momentum(const verify_setup *s, verify_list *list, weir_error *error);
bool verify_joints(const verify_setup *s, verify_list *list, weir_error *error);

typedef struct floater floater;

/* A tank with water: the world, its tank from 0 to `size` (z: 0 to size.z), and how much fluid. */
typedef struct verify_tank {
    weir_world *world;
    weir_fluid_id water;
    weir_vec3 size;
    double fluid_volume; /* m³ */
    const floater *dry;  /* stays empty inside, too, such as a boat; NULL = none */
    weir_pose dry_pose;
} verify_tank;

weir_world *verify_world(const verify_setup *s, weir_vec3 gravity, weir_error *error);
bool verify_tank_open(verify_tank *t, const verify_setup *s, weir_vec3 size, weir_error *error);
/* Fills up to `level` with particles that keep half a spacing from all solids. */
bool verify_tank_fill(verify_tank *t, const verify_setup *s, double level, weir_error *error);
bool verify_run(weir_world *world, double seconds, weir_error *error);

#endif
