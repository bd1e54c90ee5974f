/* Scenes with what the command line changes of them. */
#ifndef WEIR_APP_LOAD_H
#define WEIR_APP_LOAD_H

#include "command.h"

#include "scene/scene.h"

/* Options that several commands share. */
typedef struct load_options {
    option_texts set;
    const char *method, *frames;
    double time, dt; /* s; 0 = what the scene says */
    bool allow_unstable;
    int64_t threads;
    const char *simd;
} load_options;

#define LOAD_OPTIONS(type, member)                                                                 \
    {"--set",                                                                                      \
     "KEY=VALUE",                                                                                  \
     OPTION_TEXTS,                                                                                 \
     offsetof(type, member.set),                                                                   \
     0,                                                                                            \
     "Change a key of the scene: fluids.water.viscosity=0.1"},                                     \
        {"--time",                                                                                 \
         "T",                                                                                      \
         OPTION_SECONDS,                                                                           \
         offsetof(type, member.time),                                                              \
         0,                                                                                        \
         "Simulate T seconds (time.end)."},                                                        \
        {"--dt",                                                                                   \
         "S",                                                                                      \
         OPTION_SECONDS,                                                                           \
         offsetof(type, member.dt),                                                                \
         0,                                                                                        \
         "Length of a step (time.step)."},                                                         \
        {"--method",  "NAME",                                                                      \
         OPTION_TEXT, offsetof(type, member.method),                                               \
         0,           "Fluid method; 'weir info methods' lists them."},                            \
        {"--threads",                                                                              \
         "N",                                                                                      \
         OPTION_INTEGER,                                                                           \
         offsetof(type, member.threads),                                                           \
         1,                                                                                        \
         "Threads; all cores without it. Results do not depend on it."},                           \
        {"--simd",    "LEVEL",                                                                     \
         OPTION_TEXT, offsetof(type, member.simd),                                                 \
         0,           "Instruction level; 'weir info build' lists them."},                         \
    {                                                                                              \
        "--allow-unstable", NULL, OPTION_FLAG, offsetof(type, member.allow_unstable), 0,           \
            "Run steps above the stable limit, with a warning."                                    \
    }

/* NULL on failure, with the message printed and *code set. */
scene *load_scene(const char *path, const load_options *options, int *code);

/* The world of the scene; the same. */
weir_world *load_world(scene *s, const load_options *options, scene_counts *counts, int *code);

/* The folder of results that `path` names, by itself or by the report in it, to be freed. NULL: it
 * names none, or memory ran out. */
char *load_results_folder(const char *path);

/* The threads and the instruction level that a world with these options uses. */
int load_threads(const load_options *options);
const char *load_simd(const load_options *options);

#endif
