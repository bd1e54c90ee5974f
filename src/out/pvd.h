/* The time index of a series of frames (.pvd), which ParaView opens as an animation. The file is
 * rewritten whole after each frame, so that it is complete whenever it is looked at. */
#ifndef WEIR_OUT_PVD_H
#define WEIR_OUT_PVD_H

#include "base/error.h"

typedef struct pvd_entry {
    double time; /* s */
    char *file;  /* relative to the folder of the index */
} pvd_entry;

typedef struct pvd {
    char *path;
    pvd_entry *entries; /* in the order of time */
    size_t count, capacity;
} pvd;

/* Begins an index. A new run passes -INFINITY for `resume_time`, and nothing is read. A run that
 * resumes keeps the frames up to and at that time; later ones are dropped, in the file too.
 * On failure there is nothing to close. */
bool pvd_open(pvd *p, const char *path, double resume_time, weir_error *error);

/* Adds a frame and rewrites the file. Frames at this time or later are replaced by it. */
bool pvd_add(pvd *p, double time, const char *file, weir_error *error);
void pvd_close(pvd *p);

#endif
