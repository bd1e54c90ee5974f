/* The scalar field whose level set is the surface, of particles or of a solid shape, on a grid of
 * blocks that exist where needed.
 * Grid nodes are the multiples of the step, so that the surface of a resting fluid does not
 * flicker from frame to frame. */
#ifndef WEIR_SURFACE_ISO_FIELD_H
#define WEIR_SURFACE_ISO_FIELD_H

#include "space/shape.h"
#include "surface/bins.h"
#include "surface/kernels.h"

enum {
    BLOCK_CELLS = 8,
    BLOCK_NODES = BLOCK_CELLS + 1,
    BLOCK_VALUES = BLOCK_NODES * BLOCK_NODES * BLOCK_NODES,
};

/* Lengths in steps. The centre is split into a node and a rest, so that values are the same
 * bits in every block that shares a node, also far from the origin. */
typedef struct iso_field_kernel {
    int32_t node[3];
    float offset[3];
    float inverse[6];
    float extent[3]; /* half the size of the support's bounding box */
    float weight;
    uint32_t particle;
    bool exposed;
} iso_field_kernel;

typedef struct iso_field {
    const surface_particles *particles; /* without particles for a solid */
    const shape *solid;                 /* NULL: the particles make the field */
    surface_kind kind;
    int dim, threads;
    double step; /* m */
    double level;
    float margin;                /* largest extent, steps */
    int bin_nodes;               /* size of a bin, steps */
    iso_field_kernel *kernels;   /* in the order of the bins */
    int32_t *node[3];            /* of each kernel once more, side by side for lanes */
    float *offset[3], *axes[6];  /* and G⁻¹, in steps */
    const struct iso_passes *by; /* the loops over kernels, of the machine's instruction level */
    bins bins;
} iso_field;

/* Values of a block's nodes, and the kernels that made them. */
typedef struct iso_field_block {
    int node[3]; /* the first node */
    int count[3];
    float values[BLOCK_VALUES]; /* x fastest */
    uint32_t *kernels;
    float *boxes[6]; /* around the support of each, from the first node: low and high by axis */
    uint32_t *near;  /* room for a selection of them */
    size_t kernel_count, kernel_capacity;
} iso_field_block;

/* What the field knows at a point. */
typedef struct iso_field_sample {
    float gradient[3]; /* per step */
    float velocity[3];
    uint8_t fluid; /* of the particle with the largest share */
} iso_field_sample;

/* Rounds down, below 0 too. */
static inline int iso_floor_divide(int a, int b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Builds kernels, level and bins. Checks particles and settings first. */
bool iso_field_build(iso_field *f, const surface_particles *particles,
                     const surface_settings *settings, weir_error *error);
/* The same from shapes that are there, with the level as in the settings. */
bool iso_field_assemble(iso_field *f, const surface_particles *particles,
                        const surface_settings *settings, const kernel_shape *shapes,
                        weir_error *error);
/* The field of a solid: minus its distance, level 0. `none` are no particles, of its dimension. */
void iso_field_of_solid(iso_field *f, const shape *solid, double step,
                        const surface_particles *none);
void iso_field_free(iso_field *f);

/* Evaluates the block (x, y, z). False when memory runs out. */
bool iso_field_evaluate(const iso_field *f, uint64_t block, iso_field_block *out);
void iso_field_block_free(iso_field_block *block);

/* Visits `count` items with all threads, each with room for a block of its own; the grain is as of
 * parallel_for. False when memory runs out, or a visit returned it. */
typedef bool (*iso_field_visit)(void *context, size_t i, iso_field_block *room);
bool iso_field_visit_all(const iso_field *f, size_t count, size_t grain, iso_field_visit visit,
                         void *context);

/* How deep a point lies in the solid, in m; the point is in steps from the block's first node. */
double iso_field_depth(const iso_field *f, const iso_field_block *block, const float point[3]);

/* At `count` points, in steps from the block's first node. Neighbours are best asked for together.
 */
void iso_field_sample_at(const iso_field *f, const iso_field_block *block, float (*points)[3],
                         size_t count, iso_field_sample *samples);

/* The blocks where the field can be above its level: all, or (for the surface alone) those of
 * exposed kernels. False when memory runs out. */
bool iso_field_blocks(const iso_field *f, bool surface_only, keymap *blocks);

#endif
