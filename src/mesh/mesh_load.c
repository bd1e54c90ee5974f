#include "mesh/mesh_load.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* A volume that is wrong by more than this share means that the grid misses parts. */
static const double volume_tolerance = 0.1;

mesh_load_def mesh_load_def_default(void)
{
    return (mesh_load_def){.transform = mesh_transform_identity()};
}

static void note_thin_parts(mesh_loaded *out)
{
    double share = out->field.volume / out->mesh.volume;
    if (fabs(share - 1) <= volume_tolerance)
        return;
    size_t used = strlen(out->note);
    snprintf(
        out->note + used, sizeof out->note - used,
        "%sa grid with a step of %g m gives %.0f %% of the volume of the mesh: it is too coarse "
        "for thin parts; use a smaller step or spacing",
        used > 0 ? "; " : "", out->plan.step, 100 * share);
}

static bool sample(mesh_loaded *out, const triangle_mesh *mesh, const mesh_load_def *def,
                   bool plan_only, weir_error *error)
{
    if (!mesh_distance_prepare(&out->plan, mesh, &def->distance, error))
        return fail_in(error, "%s", def->path);
    if (plan_only)
        return true;
    if (!mesh_distance_build(&out->field, mesh, &out->plan, error))
        return fail_in(error, "%s", def->path);
    note_thin_parts(out);
    return true;
}

bool mesh_load(mesh_loaded *out, const mesh_load_def *def, bool plan_only, weir_error *error)
{
    *out = (mesh_loaded){0};
    triangle_mesh mesh = {0};
    mesh_repair_report repair;
    if (!triangle_mesh_read(&mesh, def->path, &def->transform, error))
        return false;
    bool ok = mesh_repair(&mesh, def->path, &def->repair, &repair, error);
    if (ok) {
        out->mesh = repair.mesh;
        mesh_repair_note(&repair, out->note, sizeof out->note);
        ok = sample(out, &mesh, def, plan_only, error);
    }
    triangle_mesh_free(&mesh);
    return ok;
}

void mesh_loaded_free(mesh_loaded *loaded)
{
    mesh_distance_free(&loaded->field);
    *loaded = (mesh_loaded){0};
}
