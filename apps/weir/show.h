/* What pictures and meshes are made of: a scene that runs in memory, or the results of a run, as
 * moments in time; and the solids around. Shared by cmd_render.c and cmd_mesh.c. */
#ifndef WEIR_APP_SHOW_H
#define WEIR_APP_SHOW_H

#include "load.h"

#include "draw/canvas.h"
#include "out/pvd.h"
#include "out/read_frame.h"

/* Frames of a results folder (show_results.c). */
typedef struct show_results {
    char *folder;
    pvd particles, bodies, contacts; /* files relative to the folder, in the order of time */
    size_t current;                  /* frame that is loaded; SIZE_MAX: none */
    read_frame frame, poses;
} show_results;

typedef struct show {
    char *path; /* as given */
    scene *s;
    weir_world *world; /* NULL: results */
    show_results results;
    double begin, end; /* s */
    double patience;   /* s of the clock that a scene may run in all; 0: as long as it takes */

    /* the present moment */
    double spent; /* s of the clock that steps took */
    double time;
    surface_particles particles; /* view */
    pose *poses;                 /* of the solids, then of the bodies */
    float *scratch;              /* values that no array has */
} show;

/* Opens a scene or a folder of results. Messages are printed; returns an exit code. */
int show_open(show *w, const char *path, const load_options *options);
void show_close(show *w);

/* Goes to the first state at or after `time` of a scene, which cannot go back, or to the last frame
 * of results up to `time`. A scene stops early where patience ends. Returns an exit code. */
int show_go(show *w, double time);

/* The time of output frame `index`; false, with the message printed, when there is none. */
bool show_frame_time(const show *w, int64_t index, double *time);

const char *show_method(const show *w);

/* Of the index-th solid, or of a body behind the solids, before anything moved. */
pose show_start_pose(const scene *s, size_t index);

/* One value per particle: a field of the method, or "velocity" for the speed. NULL on failure. */
const float *show_values(show *w, const char *name, weir_error *error);
const char *show_unit(const show *w, const char *name); /* "" for none */

/* show_results.c */
bool show_results_open(show *w, weir_error *error);
bool show_results_go(show *w, double time, weir_error *error);
void show_results_close(show_results *r);
/* The last entry up to `time`, or the first. */
size_t show_find_entry(const pvd *index, double time);

/* Contact points of the present moment in red, as in Kurose's figures (show_contacts.c). Zero it
 * before the first use. */
typedef struct show_contacts {
    draw_mark *marks;
    size_t count;
} show_contacts;

bool show_contacts_find(show_contacts *out, const show *w, weir_error *error);
void show_contacts_free(show_contacts *contacts);

/* Solids of a scene, joints, and the box that a picture frames (show_solids.c). */
typedef struct show_solids {
    draw_body *bodies;
    surface_mesh *meshes;      /* 3D */
    surface_outline *outlines; /* 2D */
    size_t count;
    draw_mark *marks;
    size_t mark_count;
    vec3 up;
    draw_box frame;
    bool has_ground; /* a floor without end */
    double ground;   /* its height along `up`, m */
} show_solids;

/* Frames the solids and the fluid of the present moment. */
bool show_solids_build(show_solids *out, const show *w, weir_error *error);
bool show_solids_widen(show_solids *solids, const show *w, weir_error *error); /* to it now */
void show_solids_place(show_solids *solids, const show *w); /* to the present poses */
void show_solids_free(show_solids *solids);

/* Pictures of moments (show_picture.c). */
typedef enum show_look {
    SHOW_PARTICLES,
    SHOW_WATER,  /* refracting, from the surface mesh */
    SHOW_SPLATS, /* the same from one ellipsoid per particle: faster */
    SHOW_MESH,   /* the surface mesh, opaque */
} show_look;

typedef struct show_style {
    show_look look;
    const char *color; /* NULL or "fluid": by fluid */
    bool has_range;
    double low, high; /* of the colours; without has_range the widest so far */
    bool caption, vectors, contacts;
    const char *title; /* NULL: none */
    double angle;      /* rad that the camera is turned about the target */
    int width, height;
    surface_settings surface;
} show_style;

/* A scene for the renderer with what it points to. Zero it before the first use. */
typedef struct show_picture {
    draw_scene scene;
    draw_camera camera;
    surface_mesh mesh;
    surface_outline outline;
    surface_ellipsoid *ellipsoids;
    draw_mark *marks;
    show_contacts contacts;
    char caption[200], legend[100];
} show_picture;

/* Fills `picture` anew. `style` keeps the range of the colours. */
bool show_picture_make(show_picture *picture, show *w, show_solids *solids, show_style *style,
                       weir_error *error);
void show_picture_free(show_picture *picture);

#endif
