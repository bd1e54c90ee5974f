#include "mesh/mesh_check.h"

#include "base/error.h"
#include "mesh/mesh_edges.h"

#include <stdlib.h>

static vec3 edge_middle(const triangle_mesh *mesh, const mesh_side *side)
{
    return vec3_scale(vec3_add(mesh->points[side->a], mesh->points[side->b]), 0.5);
}

/* Counts of edges by the number and direction of their triangles. */
static void classify_edges(const triangle_mesh *mesh, const mesh_edges *edges, mesh_report *report)
{
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);) {
        const mesh_side *side = &edges->sides[begin];
        size_t uses = end - begin;
        if (uses % 2 == 1)
            report->open_edge_count++;
        if (uses > 2 && report->crowded_edge_count++ == 0)
            report->crowded_place = edge_middle(mesh, side);
        if (uses == 2 && side[0].forward == side[1].forward)
            report->clashing_edge_count++;
        if (mesh_edges_balance(edges, begin, end) != 0)
            report->unbalanced_edge_count++;
    }
}

static bool count_components(const triangle_mesh *mesh, const mesh_edges *edges,
                             mesh_report *report, weir_error *error)
{
    mesh_sets sets;
    if (!mesh_sets_create(&sets, mesh->triangle_count, error))
        return false;
    size_t first = 0;
    report->one_sided_count = mesh_sets_join_surfaces(&sets, edges, &first);
    if (report->one_sided_count > 0)
        report->one_sided_place = edge_middle(mesh, &edges->sides[first]);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        report->component_count += sets.parent[t] == t;
    mesh_sets_free(&sets);
    return true;
}

/* Open edges that share points make one hole; finds the widest. */
static bool measure_holes(const triangle_mesh *mesh, const mesh_edges *edges, mesh_report *report,
                          weir_error *error)
{
    if (report->open_edge_count == 0)
        return true;
    mesh_sets sets;
    bounds *boxes = malloc(mesh->point_count * sizeof *boxes);
    if (!boxes || !mesh_sets_create(&sets, mesh->point_count, error)) {
        free(boxes);
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to find the holes of a mesh");
    }
    for (size_t i = 0; i < mesh->point_count; i++)
        boxes[i] = bounds_empty();
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);)
        if ((end - begin) % 2 == 1)
            mesh_sets_join(&sets, edges->sides[begin].a, edges->sides[begin].b, false);
    for (size_t begin = 0, end = 0; mesh_edges_next(edges, &begin, &end);)
        if ((end - begin) % 2 == 1) {
            const mesh_side *side = &edges->sides[begin];
            bounds *box = &boxes[mesh_sets_root(&sets, side->a, NULL)];
            *box = bounds_with(*box, mesh->points[side->a]);
            *box = bounds_with(*box, mesh->points[side->b]);
        }
    for (size_t i = 0; i < mesh->point_count; i++) {
        if (boxes[i].lo.x > boxes[i].hi.x)
            continue;
        double width = vec3_length(vec3_sub(boxes[i].hi, boxes[i].lo));
        if (report->hole_count++ == 0 || width > report->hole_width) {
            report->hole_width = width;
            report->hole_centre = bounds_middle(boxes[i]);
        }
    }
    mesh_sets_free(&sets);
    free(boxes);
    return true;
}

double mesh_check_cone(const triangle_mesh *mesh, size_t index, vec3 apex)
{
    const uint32_t *corner = mesh->triangles[index].corner;
    vec3 a = vec3_sub(mesh->points[corner[0]], apex);
    vec3 b = vec3_sub(mesh->points[corner[1]], apex);
    vec3 c = vec3_sub(mesh->points[corner[2]], apex);
    return vec3_dot(a, vec3_cross(b, c));
}

static void measure_size(const triangle_mesh *mesh, mesh_report *report)
{
    report->box = triangle_mesh_bounds(mesh);
    /* Cones from the middle of the mesh: far from the origin they would lose digits. */
    vec3 middle = bounds_middle(report->box);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        report->area += vec3_length(triangle_mesh_normal(mesh, t)) / 2;
        report->volume += mesh_check_cone(mesh, t, middle) / 6;
    }
}

bool mesh_check(const triangle_mesh *mesh, mesh_report *report, weir_error *error)
{
    *report =
        (mesh_report){.point_count = mesh->point_count, .triangle_count = mesh->triangle_count};
    mesh_edges edges;
    if (!mesh_edges_build(&edges, mesh, error))
        return false;
    classify_edges(mesh, &edges, report);
    bool ok =
        count_components(mesh, &edges, report, error) && measure_holes(mesh, &edges, report, error);
    mesh_edges_free(&edges);
    measure_size(mesh, report);
    report->closed = report->open_edge_count == 0 && report->unbalanced_edge_count == 0;
    report->manifold = report->open_edge_count == 0 && report->crowded_edge_count == 0;
    report->oriented = report->clashing_edge_count == 0 && report->volume > 0;
    return ok;
}
