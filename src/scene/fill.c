#include "scene/fill.h"

#include "base/error.h"
#include "base/random.h"

#include <stdlib.h>

/* Distances of sampled shapes are exact to a few digits; a site exactly at a margin is kept. */
static const double tolerance = 1e-4; /* of the spacing */

static const double most_sites_per_axis = 1e6; /* so that site numbers fit into 62 bits */
static const double most_particles = 2147483647;

enum { BLOCK_CELLS = 4 }; /* cells along each side of the blocks whose sites are looked at singly */

/* A block of cells: [lo, hi) along each axis. */
typedef struct block {
    uint64_t lo[3], hi[3];
} block;

typedef struct filler {
    const fill_def *def;
    fill_sites lattice;
    fill *out;           /* NULL: only count */
    double leaf_sites;   /* blocks of at most so many sites are not cut further */
    double particles;    /* so far */
    double region_sites; /* sites in the region, taken by solids or not */
    double *taken;       /* by solid: sites that it keeps out */
    vec3 *taken_place;   /* by solid: the first of them */
    size_t *near;        /* solids near the present block */
    size_t near_count;
} filler;

fill_def fill_def_default(void)
{
    return (fill_def){.name = "fill", .lattice = FILL_GRID};
}

static void set_basis(fill_sites *s, fill_lattice lattice, double spacing)
{
    double z = s->dim == 3 ? 1 : 0;
    if (lattice == FILL_GRID) {
        s->cell = vec3_make(spacing, spacing, spacing);
        s->basis_count = 1;
        s->basis[0] = vec3_make(0.5, 0.5, 0.5 * z);
    } else if (s->dim == 2) {
        /* Two sites in a cell of a x a sqrt(3) with the area of two particles. */
        double a = spacing * sqrt(2 / sqrt(3));
        s->cell = vec3_make(a, a * sqrt(3), spacing);
        s->basis_count = 2;
        s->basis[0] = vec3_make(0.25, 0.25, 0);
        s->basis[1] = vec3_make(0.75, 0.75, 0);
    } else {
        double a = spacing * cbrt(4);
        s->cell = vec3_make(a, a, a);
        s->basis_count = 4;
        s->basis[0] = vec3_make(0.25, 0.25, 0.25);
        s->basis[1] = vec3_make(0.75, 0.75, 0.25);
        s->basis[2] = vec3_make(0.75, 0.25, 0.75);
        s->basis[3] = vec3_make(0.25, 0.75, 0.75);
    }
}

static bool check_def(const fill_def *def, weir_error *error)
{
    if (!(def->spacing > 0) || !isfinite(def->spacing))
        return fail(error, WEIR_INVALID,
                    "fill \"%s\": the particle spacing is %g m and must be above 0", def->name,
                    def->spacing);
    if (!(def->jitter >= 0 && def->jitter <= 0.5))
        return fail(error, WEIR_INVALID,
                    "fill \"%s\": the jitter is %g and must be between 0 and 0.5 spacings",
                    def->name, def->jitter);
    if (!vec3_is_finite(def->velocity))
        return fail(error, WEIR_INVALID, "fill \"%s\": the velocity is not finite", def->name);
    bounds box = shape_bounds(def->region);
    if (!vec3_is_finite(box.lo) || !vec3_is_finite(box.hi))
        return fail(error, WEIR_INVALID,
                    "fill \"%s\": the region has no end; use a box, a ball or another bounded "
                    "shape",
                    def->name);
    return true;
}

/* Cells that have a site at or below the far end of an extent. */
static double cells_within(double extent, double cell, double first_site)
{
    return fmax(0, ceil(extent / cell - first_site + 1e-9));
}

static bool set_lattice(fill_sites *s, const fill_def *def, weir_error *error)
{
    s->dim = shape_dimension(def->region);
    set_basis(s, def->lattice, def->spacing);
    bounds box = shape_bounds(def->region);
    s->origin = box.lo;
    double count[3] = {cells_within(box.hi.x - box.lo.x, s->cell.x, s->basis[0].x),
                       cells_within(box.hi.y - box.lo.y, s->cell.y, s->basis[0].y),
                       s->dim == 3 ? cells_within(box.hi.z - box.lo.z, s->cell.z, s->basis[0].z)
                                   : 1};
    for (int axis = 0; axis < 3; axis++) {
        if (count[axis] > most_sites_per_axis)
            return fail(error, WEIR_INVALID,
                        "fill \"%s\": the region is %.3g particles long and at most %g are "
                        "allowed; use a spacing above %g m",
                        def->name, count[axis], most_sites_per_axis, def->spacing);
        s->count[axis] = (uint64_t)count[axis];
    }
    if (s->dim == 2)
        s->origin.z = 0;
    return true;
}

static vec3 site_in_cell(const fill_sites *s, uint64_t x, uint64_t y, uint64_t z, int b)
{
    return vec3_make(s->origin.x + ((double)x + s->basis[b].x) * s->cell.x,
                     s->origin.y + ((double)y + s->basis[b].y) * s->cell.y,
                     s->origin.z + ((double)z + s->basis[b].z) * s->cell.z);
}

static uint64_t site_index(const fill_sites *s, uint64_t x, uint64_t y, uint64_t z, int b)
{
    return ((z * s->count[1] + y) * s->count[0] + x) * (uint64_t)s->basis_count + (uint64_t)b;
}

vec3 fill_site_position(const fill_sites *s, uint64_t index)
{
    uint64_t cell = index / (uint64_t)s->basis_count;
    uint64_t row = cell / s->count[0];
    return site_in_cell(s, cell % s->count[0], row % s->count[1], row / s->count[1],
                        (int)(index % (uint64_t)s->basis_count));
}

static double solid_distance(const fill_solid *solid, vec3 point)
{
    return shape_distance(solid->shape, pose_local_point(solid->pose, point), NULL);
}

static bool in_region(const filler *f, vec3 point)
{
    return shape_distance(f->def->region, point, NULL) <= tolerance * f->def->spacing;
}

/* The solid near the block that keeps `point` out, or NULL. */
static const fill_solid *blocking_solid(const filler *f, vec3 point)
{
    for (size_t i = 0; i < f->near_count; i++) {
        const fill_solid *solid = &f->def->solids[f->near[i]];
        if (solid_distance(solid, point) < solid->margin - tolerance * f->def->spacing)
            return solid;
    }
    return NULL;
}

/* Moves a site at random; by less, or not at all, where it would leave the region or enter a
 * solid. */
static vec3 jitter(const filler *f, vec3 site, uint64_t index)
{
    double reach = f->def->jitter * f->def->spacing;
    vec3 shift = {0, 0, 0};
    shift.x = 2 * random_unit(f->def->seed, 3 * index) - 1;
    shift.y = 2 * random_unit(f->def->seed, 3 * index + 1) - 1;
    if (f->lattice.dim == 3)
        shift.z = 2 * random_unit(f->def->seed, 3 * index + 2) - 1;
    for (int halving = 0; halving < 3; halving++, reach /= 2) {
        vec3 moved = vec3_madd(site, reach, shift);
        if (in_region(f, moved) && !blocking_solid(f, moved))
            return moved;
    }
    return site;
}

static bool keep(fill *out, vec3 position, uint64_t site, weir_error *error)
{
    if (out->count == out->capacity) {
        size_t wanted = out->capacity > 0 ? out->capacity + out->capacity / 2 : 1024;
        vec3 *positions = realloc(out->positions, wanted * sizeof *positions);
        if (positions)
            out->positions = positions;
        uint64_t *sites = realloc(out->sites, wanted * sizeof *sites);
        if (sites)
            out->sites = sites;
        if (!positions || !sites)
            return fail(error, WEIR_OUT_OF_MEMORY,
                        "fill \"%s\": no memory for %zu particles; use a larger spacing", out->name,
                        wanted);
        out->capacity = wanted;
    }
    out->positions[out->count] = position;
    out->sites[out->count++] = site;
    return true;
}

static bool visit_site(filler *f, vec3 site, uint64_t index, bool all_in_region, weir_error *error)
{
    if (!all_in_region && !in_region(f, site))
        return true;
    f->region_sites++;
    const fill_solid *solid = blocking_solid(f, site);
    if (solid) {
        size_t i = (size_t)(solid - f->def->solids);
        if (f->taken[i]++ == 0)
            f->taken_place[i] = site;
        return true;
    }
    f->particles++;
    if (!f->out)
        return true;
    if (f->particles > most_particles)
        return fail(error, WEIR_INVALID, "fill \"%s\": there are more than %.0f particles",
                    f->def->name, most_particles);
    return keep(f->out, f->def->jitter > 0 ? jitter(f, site, index) : site, index, error);
}

/* The middle of a block and the radius of the sphere around its particles. */
static vec3 block_middle(const filler *f, const block *b, double *radius)
{
    const fill_sites *s = &f->lattice;
    vec3 lo = vec3_make((double)b->lo[0] * s->cell.x, (double)b->lo[1] * s->cell.y,
                        (double)b->lo[2] * s->cell.z);
    vec3 hi = vec3_make((double)b->hi[0] * s->cell.x, (double)b->hi[1] * s->cell.y,
                        (double)b->hi[2] * s->cell.z);
    if (s->dim == 2)
        lo.z = hi.z = 0;
    *radius = vec3_length(vec3_sub(hi, lo)) / 2 * (1 + 1e-9) + tolerance * f->def->spacing;
    return vec3_madd(s->origin, 0.5, vec3_add(lo, hi));
}

/* Finds the solids that reach into a block; true where one of them takes all of it. */
static bool find_near_solids(filler *f, vec3 middle, double radius, size_t *covering)
{
    f->near_count = 0;
    for (size_t i = 0; i < f->def->solid_count; i++) {
        const fill_solid *solid = &f->def->solids[i];
        double distance = solid_distance(solid, middle);
        /* The spacing is for jitter, which moves particles by up to sqrt(3)/2 of it. */
        if (distance < solid->margin + radius + f->def->spacing)
            f->near[f->near_count++] = i;
        if (distance < solid->margin - radius) {
            *covering = i;
            return true;
        }
    }
    return false;
}

static double block_sites(const filler *f, const block *b)
{
    return (double)(b->hi[0] - b->lo[0]) * (double)(b->hi[1] - b->lo[1]) *
           (double)(b->hi[2] - b->lo[2]) * f->lattice.basis_count;
}

static bool visit_sites(filler *f, const block *b, bool all_in_region, weir_error *error)
{
    const fill_sites *s = &f->lattice;
    for (uint64_t z = b->lo[2]; z < b->hi[2]; z++)
        for (uint64_t y = b->lo[1]; y < b->hi[1]; y++)
            for (uint64_t x = b->lo[0]; x < b->hi[0]; x++)
                for (int i = 0; i < s->basis_count; i++)
                    if (!visit_site(f, site_in_cell(s, x, y, z, i), site_index(s, x, y, z, i),
                                    all_in_region, error))
                        return false;
    return true;
}

static int longest_axis(const block *b)
{
    int longest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (b->hi[axis] - b->lo[axis] > b->hi[longest] - b->lo[longest])
            longest = axis;
    return longest;
}

/* Decides over a block by the distances from its middle, which change by at most the way, where
 * they say enough: the block lies wholly outside of the region, in a solid, or, while counting,
 * wholly inside and far from solids. Also finds the solids near it. */
static bool settle_block(filler *f, vec3 middle, double radius, double sites, bool *all_in_region)
{
    if (!*all_in_region) {
        double distance = shape_distance(f->def->region, middle, NULL);
        if (distance > radius)
            return true;
        *all_in_region = distance < -radius;
    }
    size_t covering = 0;
    bool covered = find_near_solids(f, middle, radius, &covering);
    bool counted = !f->out && f->near_count == 0;
    if (!*all_in_region || !(covered || counted))
        return false;
    f->region_sites += sites;
    if (covered) {
        if (f->taken[covering] == 0)
            f->taken_place[covering] = middle;
        f->taken[covering] += sites;
    } else {
        f->particles += sites;
    }
    return true;
}

/* Walks over the blocks of the lattice, halving them until they are settled or small. */
static bool visit_block(filler *f, const block *b, bool all_in_region, weir_error *error)
{
    double radius;
    vec3 middle = block_middle(f, b, &radius);
    double sites = block_sites(f, b);
    if (sites == 0 || settle_block(f, middle, radius, sites, &all_in_region))
        return true;
    int axis = longest_axis(b);
    if (b->hi[axis] - b->lo[axis] <= BLOCK_CELLS)
        return visit_sites(f, b, all_in_region, error);
    if (!f->out && sites <= f->leaf_sites) {
        /* Too many to look at: the middle speaks for the block. */
        if (in_region(f, middle) && !blocking_solid(f, middle))
            f->particles += sites;
        return true;
    }
    block half = *b;
    half.hi[axis] = b->lo[axis] + (b->hi[axis] - b->lo[axis]) / 2;
    if (!visit_block(f, &half, all_in_region, error))
        return false;
    half.lo[axis] = half.hi[axis];
    half.hi[axis] = b->hi[axis];
    return visit_block(f, &half, all_in_region, error);
}

static void close_filler(filler *f)
{
    free(f->taken);
    free(f->taken_place);
    free(f->near);
}

static bool open_filler(filler *f, const fill_def *def, fill *out, weir_error *error)
{
    *f = (filler){.def = def, .out = out};
    if (!check_def(def, error) || !set_lattice(&f->lattice, def, error))
        return false;
    f->taken = calloc(def->solid_count + 1, sizeof *f->taken);
    f->taken_place = calloc(def->solid_count + 1, sizeof *f->taken_place);
    f->near = calloc(def->solid_count + 1, sizeof *f->near);
    if (f->taken && f->taken_place && f->near)
        return true;
    close_filler(f);
    return fail(error, WEIR_OUT_OF_MEMORY, "fill \"%s\": no memory for %zu solids", def->name,
                def->solid_count);
}

static block whole_lattice(const fill_sites *s)
{
    return (block){{0, 0, 0}, {s->count[0], s->count[1], s->count[2]}};
}

bool fill_estimate(const fill_def *def, double *particles, weir_error *error)
{
    filler f;
    if (!open_filler(&f, def, NULL, error))
        return false;
    block all = whole_lattice(&f.lattice);
    f.leaf_sites = block_sites(&f, &all) / 262144;
    bool ok = visit_block(&f, &all, false, error);
    *particles = f.particles;
    close_filler(&f);
    return ok;
}

/* Why a fill has no particles. */
static bool explain_empty(const filler *f, weir_error *error)
{
    const fill_def *def = f->def;
    bounds box = shape_bounds(def->region);
    vec3 e = vec3_sub(box.hi, box.lo);
    if (f->region_sites == 0)
        return fail(error, WEIR_INVALID,
                    "fill \"%s\" has no particles: no site of the lattice lies in the region, "
                    "which is %g x %g x %g m, with a spacing of %g m; use a smaller spacing or a "
                    "larger region",
                    def->name, e.x, e.y, e.z, def->spacing);
    size_t most = 0;
    for (size_t i = 1; i < def->solid_count; i++)
        if (f->taken[i] > f->taken[most])
            most = i;
    const fill_solid *solid = &def->solids[most];
    vec3 p = f->taken_place[most];
    return fail(error, WEIR_INVALID,
                "fill \"%s\" has no particles: solids keep all %.0f out; solid \"%s\" keeps out "
                "%.0f, for example at (%g, %g, %g), which is inside of it or nearer than %g m; "
                "move the fill or the solid",
                def->name, f->region_sites, solid->name, f->taken[most], p.x, p.y, p.z,
                solid->margin);
}

bool fill_create(fill *out, const fill_def *def, weir_error *error)
{
    filler f;
    if (!open_filler(&f, def, out, error))
        return false;
    *out = (fill){.name = def->name,
                  .region = def->region,
                  .spacing = def->spacing,
                  .velocity = def->velocity,
                  .lattice = f.lattice};
    block all = whole_lattice(&f.lattice);
    bool ok = visit_block(&f, &all, false, error);
    if (ok && out->count == 0)
        ok = explain_empty(&f, error);
    close_filler(&f);
    if (!ok)
        fill_free(out);
    return ok;
}

void fill_free(fill *f)
{
    free(f->positions);
    free(f->sites);
    *f = (fill){0};
}
