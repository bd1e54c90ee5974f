/* Scenes, studies, meshes and complementarity problems as any bytes. */
#include "fuzz.h"

#include "mesh/mesh_load.h"
#include "scene/lcp_file.h"
#include "scene/scene.h"
#include "solve/lcp_solver.h"
#include "study/study.h"
#include "world/state.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- scenes */

/* In place of the reader of meshes, which has a target of its own: scenes name files. */
mesh_load_def mesh_load_def_default(void)
{
    return (mesh_load_def){.transform = mesh_transform_identity()};
}

bool mesh_load(mesh_loaded *out, const mesh_load_def *def, bool plan_only, weir_error *error)
{
    (void)def;
    (void)plan_only;
    memset(out, 0, sizeof *out);
    return fail(error, WEIR_IO, "there are no meshes here");
}

void mesh_loaded_free(mesh_loaded *loaded)
{
    (void)loaded;
}

/* Two short substeps: a step of the scene could need millions. */
static void step_a_little(weir_world *world)
{
    weir_error error;
    weir_step_limit limit = weir_world_get_step_limit(world, &error);
    if (limit.seconds > 0)
        weir_world_step(world, fmin(1.9 * limit.seconds, 0.01), &error);
    weir_world_get_statistics(world);
    weir_world_hash(world);
}

void fuzz_scene(const uint8_t *data, size_t size)
{
    weir_error error;
    scene *s = scene_load(fuzz_file(".yaml", data, size), NULL, 0, &error);
    /* Bodies much larger than the spacing are right, but slow to bake. */
    if (s && s->data.spacing >= 0.02) {
        scene_build_options options = {.threads = 1};
        weir_world *world = scene_build(s, &options, NULL, &error);
        if (world)
            step_a_little(world);
        weir_world_destroy(world);
    }
    scene_free(s);
}

/* ------------------------------------------------------------------ studies */

void fuzz_study(const uint8_t *data, size_t size)
{
    weir_error error;
    bool quick = size > 0 && data[0] == '#';
    study_free(study_load(fuzz_file(".yaml", data, size), quick, &error));
}

/* ------------------------------------------------------------------- meshes */

void fuzz_mesh(const uint8_t *data, size_t size)
{
    weir_error error;
    triangle_mesh mesh = {0};
    if (size == 0)
        return;
    mesh_format format = (mesh_format)(data[0] % 3);
    char *text = calloc(size, 1); /* ends with a zero */
    if (!text)
        return;
    memcpy(text, data + 1, size - 1);
    if (triangle_mesh_parse(&mesh, "mesh", format, text, size - 1, &error) &&
        triangle_mesh_weld(&mesh, &error)) {
        mesh_repair_options options = {.fill_holes = data[0] & 4};
        mesh_repair_report report;
        char note[500];
        if (mesh_repair(&mesh, "mesh", &options, &report, &error))
            mesh_repair_note(&report, note, sizeof note);
    }
    triangle_mesh_free(&mesh);
    free(text);
}

/* ----------------------------------------------------- complementarity problems */

enum { MOST_ROWS = 16 };

static void solve_problem(const lcp_file_problem *p)
{
    double z[MOST_ROWS], w[MOST_ROWS];
    if (p->n > MOST_ROWS)
        return;
    memory mem = memory_with_hooks(NULL);
    for (int solver = 0; solver < LCP_SOLVER_COUNT; solver++) {
        lcp_workspace work;
        lcp_result result;
        weir_error error;
        lcp_options options = {0};
        lcp_workspace_init(&work, &mem);
        if (p->has_contacts)
            lcp_solve_contacts((lcp_solver)solver, &p->contacts, &options, &work, z, w, &result,
                               &error);
        else
            lcp_solve((lcp_solver)solver, &p->dense, &options, &work, z, w, &result, &error);
        lcp_workspace_free(&work);
    }
}

void fuzz_lcp(const uint8_t *data, size_t size)
{
    weir_error error;
    lcp_file file;
    if (!lcp_file_parse(&file, data, size, "problem", &error))
        return;
    for (size_t k = 0; k < file.count && k < 4; k++)
        solve_problem(&file.problems[k]);
    lcp_file_free(&file);
}
