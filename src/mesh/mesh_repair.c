#include "mesh/mesh_repair.h"

#include "base/error.h"

#include <stdio.h>

static const double default_weld = 1e-5; /* of the diagonal of the mesh */

static bool refuse(const char *name, const mesh_repair_options *options, const mesh_report *mesh,
                   weir_error *error)
{
    vec3 p = mesh->hole_centre;
    if (mesh->one_sided_count > 0) {
        p = mesh->one_sided_place;
        return fail(error, WEIR_INVALID,
                    "%s: the mesh has no inside: its surface is one-sided near (%g, %g, %g), as a "
                    "Moebius strip is; rebuild it in a modelling program",
                    name, p.x, p.y, p.z);
    }
    if (mesh->open_edge_count > 0)
        return fail(error, WEIR_INVALID,
                    "%s: the mesh is not closed: it has %zu open edge%s around %zu hole%s, the "
                    "widest of them %.3g m wide at (%g, %g, %g); close it in a modelling program%s",
                    name, mesh->open_edge_count, mesh->open_edge_count == 1 ? "" : "s",
                    mesh->hole_count, mesh->hole_count == 1 ? "" : "s", mesh->hole_width, p.x, p.y,
                    p.z, options->fill_holes ? "" : " or let Weir fill it with \"repair: true\"");
    p = mesh->crowded_place;
    return fail(error, WEIR_INVALID,
                "%s: the mesh is not closed: at %zu edges its faces do not fit together, the first "
                "near (%g, %g, %g); remove inner walls in a modelling program%s",
                name, mesh->unbalanced_edge_count, p.x, p.y, p.z,
                options->fill_holes ? "" : " or let Weir close it with \"repair: true\"");
}

static bool make_closed(triangle_mesh *mesh, const mesh_repair_options *options,
                        mesh_repair_report *report, weir_error *error)
{
    mesh_report *state = &report->mesh;
    if (!mesh_check(mesh, state, error))
        return false;
    if (state->open_edge_count > 0) {
        double diagonal = vec3_length(vec3_sub(state->box.hi, state->box.lo));
        double distance =
            options->weld_distance > 0 ? options->weld_distance : default_weld * diagonal;
        if (!mesh_repair_weld(mesh, distance, &report->welded_points, error))
            return false;
    }
    if (!mesh_repair_orient(mesh, &report->flipped_triangles, error) ||
        !mesh_check(mesh, state, error))
        return false;
    if (state->closed || !options->fill_holes || state->one_sided_count > 0)
        return true;
    /* The caps complete the volume, so only now is it certain which way is out. */
    size_t flipped = 0;
    if (!mesh_repair_fill(mesh, &report->filled_holes, &report->added_triangles, error) ||
        !mesh_repair_orient(mesh, &flipped, error))
        return false;
    report->flipped_triangles += flipped;
    return mesh_check(mesh, state, error);
}

bool mesh_repair(triangle_mesh *mesh, const char *name, const mesh_repair_options *options,
                 mesh_repair_report *report, weir_error *error)
{
    *report = (mesh_repair_report){0};
    if (!(options->weld_distance >= 0) || !isfinite(options->weld_distance))
        return fail(error, WEIR_INVALID, "%s: the weld distance is %g m and must be 0 or more",
                    name, options->weld_distance);
    if (!make_closed(mesh, options, report, error))
        return fail_in(error, "%s", name);
    const mesh_report *state = &report->mesh;
    if (!state->closed)
        return refuse(name, options, state, error);
    vec3 extent = vec3_sub(state->box.hi, state->box.lo);
    /* Less than this is round-off: a sheet, or sheets that cancel. */
    if (!(state->volume > 1e-12 * state->area * vec3_length(extent)))
        return fail(error, WEIR_INVALID,
                    "%s: the mesh encloses no volume (%.3g m³ in a box of %.3g x %.3g x %.3g m)",
                    name, state->volume, extent.x, extent.y, extent.z);
    return true;
}

/* Appends to a list "a, b, c"; `used` may pass `size` when the text is full. */
static void append(char *text, size_t size, size_t *used, const char *format, size_t count)
{
    if (count == 0 || *used >= size)
        return;
    *used += (size_t)snprintf(text + *used, size - *used, "%s", *used > 0 ? ", " : "");
    if (*used < size)
        *used += (size_t)snprintf(text + *used, size - *used, format, count);
}

void mesh_repair_note(const mesh_repair_report *report, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = 0;
    append(text, size, &used, "points welded over cracks: %zu", report->welded_points);
    append(text, size, &used, "triangles turned outwards: %zu", report->flipped_triangles);
    append(text, size, &used, "holes filled: %zu", report->filled_holes);
    append(text, size, &used, "triangles added: %zu", report->added_triangles);
}
