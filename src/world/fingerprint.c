/* The fingerprint: a hash of everything that was defined, so that a saved state is only put into a
 * world that it fits. */
#include "base/hash.h"
#include "world/state.h"

void world_note_definition(weir_world *w, const void *bytes, size_t count)
{
    w->fingerprint = hash_bytes(w->fingerprint, bytes, count);
}

void world_note_shape(weir_world *w, const weir_shape_def *s)
{
    const double numbers[] = {s->kind,
                              s->complement,
                              s->rounding,
                              s->radius,
                              s->half_length,
                              (double)s->point_count,
                              (double)s->child_count,
                              s->pose.position.x,
                              s->pose.position.y,
                              s->pose.position.z,
                              s->pose.rotation.x,
                              s->pose.rotation.y,
                              s->pose.rotation.z,
                              s->pose.rotation.w,
                              s->normal.x,
                              s->normal.y,
                              s->normal.z,
                              s->half_extents.x,
                              s->half_extents.y,
                              s->half_extents.z};
    world_note_definition(w, numbers, sizeof numbers);
    if (s->kind == WEIR_SHAPE_POLYGON)
        world_note_definition(w, s->points, s->point_count * sizeof *s->points);
    if (s->kind == WEIR_SHAPE_GRID) {
        const double frame[] = {s->grid->origin.x,         s->grid->origin.y,
                                s->grid->origin.z,         s->grid->step,
                                (double)s->grid->count[0], (double)s->grid->count[1]};
        world_note_definition(w, frame, sizeof frame);
        size_t count =
            (size_t)s->grid->count[0] * (size_t)s->grid->count[1] * (size_t)s->grid->count[2];
        world_note_definition(w, s->grid->distances, count * sizeof *s->grid->distances);
    }
    for (size_t k = 0; s->kind == WEIR_SHAPE_UNION && k < s->child_count; k++)
        world_note_shape(w, &s->children[k]);
}

void world_note_world(weir_world *w)
{
    const weir_world_def *d = &w->def;
    const double numbers[] = {d->dim,
                              d->spacing,
                              d->support,
                              d->kernel,
                              d->gravity.x,
                              d->gravity.y,
                              d->gravity.z,
                              d->acceleration.x,
                              d->acceleration.y,
                              d->acceleration.z,
                              d->method,
                              d->substeps,
                              (double)d->seed,
                              (double)d->max_particles};
    world_note_definition(w, numbers, sizeof numbers);
    world_note_definition(w, d->parameters, sizeof d->parameters);
    const weir_coupling_def *c = &d->coupling;
    const double settings[] = {c->mode,        c->solver,    c->radius,
                               c->restitution, c->stiffness, c->damping};
    if (world_is_by_contact(w))
        world_note_definition(w, settings, sizeof settings);
    if (d->sleep_time > 0)
        world_note_definition(w, &d->sleep_time, sizeof d->sleep_time);
    for (int a = 0; a < 3; a++) {
        const double period[] = {d->period[a].enabled, d->period[a].lo, d->period[a].hi};
        world_note_definition(w, period, sizeof period);
    }
}

uint64_t weir_world_fingerprint(const weir_world *w)
{
    return w->fingerprint;
}
