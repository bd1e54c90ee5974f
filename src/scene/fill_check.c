/* What can be wrong with several fills together: they overlap, or they do not fit into memory. */
#include "base/error.h"
#include "base/hash.h"
#include "base/system_memory.h"
#include "scene/fill.h"

#include <stdlib.h>

static const uint32_t none = UINT32_MAX;

/* In mean spacings. No point of a lattice is further from its nearest site than 0.87. */
static const double too_near = 0.5 * (1 - 1e-6); /* round-off must not refuse what just fits */
static const double neighbouring = 0.9;

bool fill_check_memory(double particles, double bytes_per_particle, uint64_t available,
                       double spacing, int dim, weir_error *error)
{
    double needed = particles * bytes_per_particle;
    double free_bytes = (double)(available > 0 ? available : system_memory_available());
    if (needed <= free_bytes)
        return true;
    double larger = spacing * pow(needed / free_bytes, 1.0 / dim);
    double digits = pow(10, floor(log10(larger)) - 1);
    return fail(error, WEIR_OUT_OF_MEMORY,
                "the fills ask for %.4g particles, which need %.3g GB of memory, and %.3g GB are "
                "available; instead of %g m a spacing of %g m or more would fit",
                particles, needed / 1e9, free_bytes / 1e9, spacing, ceil(larger / digits) * digits);
}

/* A site that lies where another fill could have one too. */
typedef struct shared_site {
    vec3 position;
    uint32_t fill;
    uint32_t next; /* in the list of its cell */
} shared_site;

typedef struct overlap_check {
    const fill *fills;
    size_t fill_count;
    bounds *boxes; /* of the fills' sites */
    double cell;   /* m, at least the distance of neighbours */
    bool is_flat;
    shared_site *sites;
    size_t site_count;
    uint32_t *first; /* by slot of the hash table */
    size_t slots;
} overlap_check;

static bool inside(bounds box, vec3 p, double margin)
{
    return p.x >= box.lo.x - margin && p.y >= box.lo.y - margin && p.z >= box.lo.z - margin &&
           p.x <= box.hi.x + margin && p.y <= box.hi.y + margin && p.z <= box.hi.z + margin;
}

static void find_boxes(overlap_check *c)
{
    c->is_flat = true;
    for (size_t i = 0; i < c->fill_count; i++) {
        const fill *f = &c->fills[i];
        bounds *box = &c->boxes[i];
        *box = (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (size_t k = 0; k < f->count; k++) {
            vec3 p = fill_site_position(&f->lattice, f->sites[k]);
            box->lo = vec3_make(fmin(box->lo.x, p.x), fmin(box->lo.y, p.y), fmin(box->lo.z, p.z));
            box->hi = vec3_make(fmax(box->hi.x, p.x), fmax(box->hi.y, p.y), fmax(box->hi.z, p.z));
        }
        c->cell = fmax(c->cell, neighbouring * f->spacing);
        c->is_flat = c->is_flat && f->lattice.dim == 2;
    }
}

/* Goes over the sites within the box of another fill; stores them where there is room for them. */
static size_t collect_sites(overlap_check *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->fill_count; i++)
        for (size_t k = 0; k < c->fills[i].count; k++) {
            vec3 p = fill_site_position(&c->fills[i].lattice, c->fills[i].sites[k]);
            bool shared = false;
            for (size_t j = 0; j < c->fill_count && !shared; j++)
                shared = j != i && inside(c->boxes[j], p, c->cell);
            if (shared && c->sites)
                c->sites[count] = (shared_site){p, (uint32_t)i, none};
            count += shared;
        }
    return count;
}

static size_t cell_slot(const overlap_check *c, vec3 p, int dx, int dy, int dz)
{
    /* In double, since the numbers of cells may be beyond any integer; + 0.0 makes -0 and 0 one. */
    double cell[3] = {floor(p.x / c->cell) + dx + 0.0, floor(p.y / c->cell) + dy + 0.0,
                      floor(p.z / c->cell) + dz + 0.0};
    return hash_bytes(0, cell, sizeof cell) & (c->slots - 1);
}

/* Whether a site of another fill lies so deep in the region of `f` that its cell does. */
static bool is_deep(const fill *f, vec3 site)
{
    return shape_distance(f->region, site, NULL) < -too_near * f->spacing;
}

static bool collide(const overlap_check *c, const shared_site *a, const shared_site *b)
{
    const fill *fill_a = &c->fills[a->fill];
    const fill *fill_b = &c->fills[b->fill];
    if (fill_a == fill_b)
        return false;
    double spacing = (fill_a->spacing + fill_b->spacing) / 2;
    double distance = vec3_length(vec3_sub(a->position, b->position));
    if (distance >= neighbouring * spacing)
        return false;
    return distance < too_near * spacing || is_deep(fill_a, b->position) ||
           is_deep(fill_b, a->position);
}

static bool refuse(const overlap_check *c, const shared_site *a, const shared_site *b,
                   weir_error *error)
{
    const fill *fill_a = &c->fills[a->fill];
    const fill *fill_b = &c->fills[b->fill];
    vec3 p = b->position;
    return fail(error, WEIR_INVALID,
                "the fills \"%s\" and \"%s\" overlap: at (%g, %g, %g) both have particles, %.3g m "
                "apart with a spacing of %g m; move one of them or make it smaller",
                fill_a->name, fill_b->name, p.x, p.y, p.z, vec3_length(vec3_sub(a->position, p)),
                (fill_a->spacing + fill_b->spacing) / 2);
}

/* Compares a site with those of other fills in the table. */
static bool check_site(const overlap_check *c, const shared_site *site, weir_error *error)
{
    int cells = c->is_flat ? 9 : 27;
    for (int k = 0; k < cells; k++) {
        int dz = c->is_flat ? 0 : k / 9 - 1;
        size_t slot = cell_slot(c, site->position, k % 3 - 1, k / 3 % 3 - 1, dz);
        for (uint32_t i = c->first[slot]; i != none; i = c->sites[i].next)
            if (collide(c, &c->sites[i], site))
                return refuse(c, &c->sites[i], site, error);
    }
    return true;
}

static bool check_sites(overlap_check *c, weir_error *error)
{
    for (size_t i = 0; i < c->slots; i++)
        c->first[i] = none;
    for (size_t i = 0; i < c->site_count; i++) {
        shared_site *site = &c->sites[i];
        if (!check_site(c, site, error))
            return false;
        size_t slot = cell_slot(c, site->position, 0, 0, 0);
        site->next = c->first[slot];
        c->first[slot] = (uint32_t)i;
    }
    return true;
}

static bool allocate_table(overlap_check *c)
{
    c->slots = 16;
    while (c->slots < 2 * c->site_count)
        c->slots *= 2;
    c->sites = malloc((c->site_count + 1) * sizeof *c->sites);
    c->first = malloc(c->slots * sizeof *c->first);
    return c->sites && c->first;
}

bool fill_check_overlap(const fill *fills, size_t count, weir_error *error)
{
    if (count < 2)
        return true;
    overlap_check c = {.fills = fills, .fill_count = count};
    c.boxes = malloc(count * sizeof *c.boxes);
    bool ok = c.boxes != NULL;
    if (ok) {
        find_boxes(&c);
        c.site_count = collect_sites(&c);
        ok = allocate_table(&c);
    }
    if (ok) {
        collect_sites(&c);
        ok = check_sites(&c, error);
    } else {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory to check whether fills overlap");
    }
    free(c.first);
    free(c.sites);
    free(c.boxes);
    return ok;
}
