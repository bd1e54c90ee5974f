/* Turns the triangles of a mesh the same way round, and its surfaces outwards. */
#include "base/error.h"
#include "mesh/mesh_edges.h"
#include "mesh/mesh_repair.h"

#include <stdlib.h>

/* One connected surface. */
typedef struct surface {
    size_t count, odd_count; /* triangles, and those that run against the first */
    double volume;
    bounds box;
    bool inverted;
} surface;

typedef struct orientation {
    triangle_mesh *mesh;
    mesh_sets sets;
    uint32_t *surface_of; /* by triangle */
    bool *flipped;        /* by triangle: against the file */
    surface *surfaces;
    size_t surface_count;
} orientation;

static void flip(orientation *o, size_t t)
{
    uint32_t *corner = o->mesh->triangles[t].corner;
    uint32_t swapped = corner[1];
    corner[1] = corner[2];
    corner[2] = swapped;
    o->flipped[t] = !o->flipped[t];
}

/* Within each surface the majority says which way round is right: an orientation that is already
 * consistent stays as it is. */
static void make_consistent(orientation *o)
{
    bool odd = false;
    for (size_t t = 0; t < o->mesh->triangle_count; t++) {
        mesh_sets_root(&o->sets, (uint32_t)t, &odd);
        surface *s = &o->surfaces[o->surface_of[t]];
        s->count++;
        s->odd_count += odd;
    }
    for (size_t t = 0; t < o->mesh->triangle_count; t++) {
        mesh_sets_root(&o->sets, (uint32_t)t, &odd);
        const surface *s = &o->surfaces[o->surface_of[t]];
        if (odd != (2 * s->odd_count > s->count))
            flip(o, t);
    }
}

/* Volume and box of each surface; returns the volume of all. */
static double measure_surfaces(orientation *o)
{
    vec3 middle = bounds_middle(triangle_mesh_bounds(o->mesh));
    double total = 0;
    for (size_t i = 0; i < o->surface_count; i++)
        o->surfaces[i].box = bounds_empty();
    for (size_t t = 0; t < o->mesh->triangle_count; t++) {
        surface *s = &o->surfaces[o->surface_of[t]];
        double cone = mesh_check_cone(o->mesh, t, middle);
        s->volume += cone;
        total += cone;
        for (int c = 0; c < 3; c++)
            s->box = bounds_with(s->box, o->mesh->points[o->mesh->triangles[t].corner[c]]);
    }
    return total;
}

static bool encloses(bounds outer, bounds inner)
{
    return outer.lo.x <= inner.lo.x && outer.lo.y <= inner.lo.y && outer.lo.z <= inner.lo.z &&
           outer.hi.x >= inner.hi.x && outer.hi.y >= inner.hi.y && outer.hi.z >= inner.hi.z;
}

enum { MOST_OUTER = 64 };

/* The surfaces with the widest boxes: those that may have cavities. Asking all of them would cost
 * the square of their number. */
static size_t find_outer(const orientation *o, uint32_t outer[MOST_OUTER])
{
    double widths[MOST_OUTER];
    size_t count = 0;
    for (size_t i = 0; i < o->surface_count; i++) {
        bounds box = o->surfaces[i].box;
        double width = vec3_length(vec3_sub(box.hi, box.lo));
        if (count == MOST_OUTER && width <= widths[count - 1])
            continue;
        size_t at = count < MOST_OUTER ? count++ : count - 1;
        for (; at > 0 && widths[at - 1] < width; at--) {
            widths[at] = widths[at - 1];
            outer[at] = outer[at - 1];
        }
        widths[at] = width;
        outer[at] = (uint32_t)i;
    }
    return count;
}

/* A mesh of negative volume is inside out as a whole. After that a surface of negative volume is a
 * cavity if it lies in another one, and inside out if not. */
static void choose_inverted(orientation *o, double total)
{
    uint32_t outer[MOST_OUTER];
    size_t outer_count = find_outer(o, outer);
    double sign = total < 0 ? -1 : 1;
    for (size_t i = 0; i < o->surface_count; i++) {
        surface *s = &o->surfaces[i];
        s->inverted = total < 0;
        if (s->volume * sign >= 0)
            continue;
        bool inside = false;
        for (size_t j = 0; j < outer_count && !inside; j++)
            inside = outer[j] != i && encloses(o->surfaces[outer[j]].box, s->box);
        if (!inside)
            s->inverted = !s->inverted;
    }
}

static void number_surfaces(orientation *o)
{
    for (size_t t = 0; t < o->mesh->triangle_count; t++)
        if (o->sets.parent[t] == t)
            o->surface_of[t] = (uint32_t)o->surface_count++;
    for (size_t t = 0; t < o->mesh->triangle_count; t++)
        o->surface_of[t] = o->surface_of[mesh_sets_root(&o->sets, (uint32_t)t, NULL)];
}

static bool orient(orientation *o, weir_error *error)
{
    size_t count = o->mesh->triangle_count;
    o->surface_of = malloc(count * sizeof *o->surface_of + 1);
    o->flipped = calloc(count + 1, sizeof *o->flipped);
    if (o->surface_of && o->flipped) {
        number_surfaces(o);
        o->surfaces = calloc(o->surface_count + 1, sizeof *o->surfaces);
    }
    if (!o->surfaces)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory to orient a mesh of %zu triangles",
                    count);
    make_consistent(o);
    choose_inverted(o, measure_surfaces(o));
    for (size_t t = 0; t < count; t++)
        if (o->surfaces[o->surface_of[t]].inverted)
            flip(o, t);
    return true;
}

bool mesh_repair_orient(triangle_mesh *mesh, size_t *flipped, weir_error *error)
{
    *flipped = 0;
    orientation o = {.mesh = mesh};
    mesh_edges edges;
    if (!mesh_edges_build(&edges, mesh, error))
        return false;
    bool ok = mesh_sets_create(&o.sets, mesh->triangle_count, error);
    if (ok) {
        size_t first = 0;
        mesh_sets_join_surfaces(&o.sets, &edges, &first);
        ok = orient(&o, error);
        for (size_t t = 0; ok && t < mesh->triangle_count; t++)
            *flipped += o.flipped[t];
    }
    free(o.surfaces);
    free(o.flipped);
    free(o.surface_of);
    mesh_sets_free(&o.sets);
    mesh_edges_free(&edges);
    return ok;
}
