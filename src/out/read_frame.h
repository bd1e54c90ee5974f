/* Frames of results read back: those that vtp.h and ply.h write. Files of other programs are
 * refused, and so is anything that is cut off or does not fit together. */
#ifndef WEIR_OUT_READ_FRAME_H
#define WEIR_OUT_READ_FRAME_H

#include "out/frame.h"
#include "scene/store.h"

/* Zero it before the first use. */
typedef struct read_frame {
    frame view;  /* of `kept` */
    store kept;  /* owns the arrays */
    char *bytes; /* of the file while it is read */
} read_frame;

/* Reads particles (.vtp or .ply) of a world with `dim` dimensions, or the bodies of a file that
 * vtp_write_bodies wrote; the name's ending says the format. What `out` held is freed. */
bool read_frame_load(read_frame *out, const char *path, int dim, weir_error *error);
bool read_frame_load_bodies(read_frame *out, const char *path, weir_error *error);
void read_frame_free(read_frame *r);

/* A field by its name; NULL when there is none. */
const frame_field *read_frame_find(const read_frame *r, const char *name);

/* The formats: `size` bytes at r->bytes, with a zero behind them, to r->view. */
bool read_frame_parse_vtp(read_frame *r, size_t size, bool bodies, weir_error *error);
bool read_frame_parse_ply(read_frame *r, size_t size, weir_error *error);

#endif
