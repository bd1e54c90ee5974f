/* A small scene, for the tests of reports and checkpoints. */
#ifndef WEIR_TESTS_OUT_WORLD_SAMPLE_H
#define WEIR_TESTS_OUT_WORLD_SAMPLE_H

#include "scene/scene.h"
#include "unit/out/scratch.h"

static const char world_sample_text[] =
    "title: Sample\n"
    "dim: 2\n"
    "spacing: 5 cm\n"
    "method: {name: sph, sound_speed: 20}\n"
    "fluids: {water: {density: 1000, viscosity: 0.1}}\n"
    "fills: {column: {shape: {box: {from: [0, 0], to: [0.5, 0.5]}}, jitter: 0.2}}\n"
    "solids:\n"
    "  tank: {shape: {box: {from: [0, 0], to: [1, 1.2]}, inside: true}}\n"
    "  wheel: {shape: {circle: {radius: 0.1}}, position: [0.8, 0.3], motion: {spin: 2}}\n"
    "emitters: {tap: {nozzle: {slot: 0.2}, position: [0.5, 1], direction: [0, -1], speed: 1}}\n"
    "sinks: {drain: {shape: {circle: {radius: 0.1, center: [1, 0]}}}}\n"
    "probes: {level: {kind: height, position: [0.2, 0]}, wind: {kind: velocity, position: "
    "[0.2, 0.2]}}\n";

typedef struct world_sample {
    scene *s;
    weir_world *world;
    uint64_t fingerprint;
} world_sample;

/* Builds the scene; `more` is appended to its text. */
static inline world_sample world_sample_build(const char *more)
{
    world_sample it;
    weir_error error = {0};
    char text[2000];
    snprintf(text, sizeof text, "%s%s", world_sample_text, more);
    scratch_put(scratch_path("sample.yaml"), text, strlen(text));
    it.s = scene_load(scratch_path("sample.yaml"), NULL, 0, &error);
    if (!it.s)
        fail_msg("%s", error.text);
    it.world = scene_build(it.s, &(scene_build_options){.threads = 1}, NULL, &error);
    if (!it.world)
        fail_msg("%s", error.text);
    it.fingerprint = scene_fingerprint(it.world);
    return it;
}

static inline void world_sample_step(world_sample *it, int count)
{
    weir_error error = {0};
    for (int k = 0; k < count; k++)
        if (weir_world_step(it->world, 0.01, &error) & WEIR_STEP_FAILED)
            fail_msg("%s", error.text);
}

static inline void world_sample_free(world_sample *it)
{
    weir_world_destroy(it->world);
    scene_free(it->s);
}

#endif
