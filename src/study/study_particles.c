/* Curves from frames: bodies, and extents, moments and profiles of the particles. */
#include "study/study_run.h"

#include "base/memory.h"
#include "space/point_hash.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.28318530717958647692;

/* The frame that is looked at. */
typedef struct looking {
    const study_curve *c;
    const study_run *r;
    read_frame frame;
    const float *velocity[3]; /* NULL where there is none */
} looking;

static const float *find_component(const read_frame *f, const char *name, int component)
{
    const frame_field *found = read_frame_find(f, name);
    return found && found->type == FRAME_F32 && component < found->components
               ? found->data[component]
               : NULL;
}

static bool load_frame(looking *l, const char *file, weir_error *error)
{
    char *path;
    if (asprintf(&path, "%s/%s", l->r->folder, file) < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    bool ok = read_frame_load(&l->frame, path, l->r->dim, error);
    free(path);
    for (int k = 0; ok && k < l->r->dim; k++)
        l->velocity[k] = find_component(&l->frame, "velocity", k);
    return ok;
}

static bool is_within(const looking *l, size_t i)
{
    const study_curve *c = l->c;
    if (c->within_count < 2)
        return true;
    const double a[3] = {c->within[0].x, c->within[0].y, c->within[0].z};
    const double b[3] = {c->within[1].x, c->within[1].y, c->within[1].z};
    assert(l->r->dim <= 3);
    for (int k = 0; k < l->r->dim; k++) {
        double x = l->frame.view.x[k][i];
        if (x < fmin(a[k], b[k]) || x > fmax(a[k], b[k]))
            return false;
    }
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The coordinates along an axis of what counts, sorted; to be freed. NULL without memory. */
static double *sort_along(const looking *l, int axis, size_t *count)
{
    const frame *f = &l->frame.view;
    double *sorted = malloc((f->count + 1) * sizeof *sorted);
    *count = 0;
    for (size_t i = 0; sorted && i < f->count; i++)
        if (is_within(l, i))
            sorted[(*count)++] = f->x[axis][i];
    if (sorted)
        qsort(sorted, *count, sizeof *sorted, compare_numbers);
    return sorted;
}

/* The coordinate with a share of the particles beyond it. */
static bool find_quantile(const looking *l, int axis, bool largest, double beyond, double *value,
                          weir_error *error)
{
    size_t count;
    double *sorted = sort_along(l, axis, &count);
    if (!sorted)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    size_t skipped = (size_t)(beyond * (double)count);
    *value = count == 0 ? NAN : sorted[largest ? count - 1 - skipped : skipped];
    free(sorted);
    return true;
}

/* --------------------------------------------------------------------- moments */

static double find_moment(const looking *l)
{
    const frame *f = &l->frame.view;
    int quantity = l->c->quantity, dim = l->r->dim;
    bool is_axis = quantity >= STUDY_SEMI_AXIS_X && quantity <= STUDY_SEMI_AXIS_Z;
    int axis = quantity - (is_axis ? STUDY_SEMI_AXIS_X : STUDY_CENTRE_X);
    double count = 0, sum = 0, squares = 0;
    bool needs_velocity = quantity == STUDY_ANGULAR_MOMENTUM || quantity == STUDY_KINETIC_ENERGY;
    bool is_wave = quantity == STUDY_WAVE_X;
    if ((needs_velocity && !l->velocity[0]) || (!needs_velocity && !is_wave && axis >= dim))
        return NAN;
    for (size_t i = 0; i < f->count; i++) {
        if (!is_within(l, i))
            continue;
        double v[3] = {0, 0, 0}, value;
        for (int k = 0; needs_velocity && k < dim; k++)
            v[k] = l->velocity[k][i];
        if (quantity == STUDY_ANGULAR_MOMENTUM)
            value = f->x[0][i] * v[1] - f->x[1][i] * v[0];
        else if (quantity == STUDY_KINETIC_ENERGY)
            value = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
        else if (is_wave)
            value = cos(TWO_PI * f->x[0][i] / l->c->wavelength);
        else
            value = f->x[axis][i];
        count++;
        sum += value;
        squares += value * value;
    }
    double mean = sum / count;
    if (!is_axis)
        return mean;
    /* A uniform ellipse has the variance a²/4 along its axis, an ellipsoid a²/5. */
    return sqrt((dim + 2) * fmax(squares / count - mean * mean, 0));
}

/* -------------------------------------------------------------------- profiles */

/* A point may be offered several times, where cells share a chain: `seen` holds the particle that
 * counted it last, from 1. */
typedef struct counting {
    const frame *f;
    size_t *seen;
    size_t self;
    double reach;
    int count;
} counting;

static void count_near(void *user, size_t index)
{
    counting *c = user;
    double square = 0;
    for (int k = 0; k < c->f->dim; k++) {
        double d = (double)c->f->x[k][index] - (double)c->f->x[k][c->self];
        square += d * d;
    }
    bool counts = index != c->self && c->seen[index] != c->self + 1;
    c->seen[index] = c->self + 1;
    c->count += counts && square < c->reach * c->reach;
}

static vec3 place_of(const frame *f, size_t i)
{
    return (vec3){f->x[0][i], f->x[1][i], f->dim == 3 ? f->x[2][i] : 0};
}

/* Neighbours within the kernel radius of every particle; to be freed. */
static float *count_neighbours(const looking *l, weir_error *error)
{
    const frame *f = &l->frame.view;
    weir_hooks hooks = {0};
    memory mem = memory_with_hooks(&hooks);
    point_hash hash;
    float *counts = calloc(f->count + 1, sizeof *counts);
    size_t *seen = calloc(f->count + 1, sizeof *seen);
    if (!counts || !seen || !point_hash_create(&hash, &mem, l->r->kernel_radius, f->count + 1)) {
        free(counts);
        free(seen);
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for neighbours");
        return NULL;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < f->count; i++)
        ok = point_hash_add(&hash, &mem, place_of(f, i));
    for (size_t i = 0; ok && i < f->count; i++) {
        counting c = {f, seen, i, l->r->kernel_radius, 0};
        point_hash_near(&hash, place_of(f, i), 1, f->dim, count_near, &c);
        counts[i] = (float)c.count;
    }
    point_hash_destroy(&hash, &mem);
    free(seen);
    if (ok)
        return counts;
    free(counts);
    fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for neighbours");
    return NULL;
}

/* The value that a profile shows, of one particle. */
static double value_of(const looking *l, const float *values, size_t i)
{
    double square = 0;
    switch (l->c->quantity) {
    case STUDY_DENSITY:
        return (double)values[i] / l->r->rest_density;
    case STUDY_SPEED:
        for (int k = 0; k < l->r->dim; k++)
            square += (double)l->velocity[k][i] * (double)l->velocity[k][i];
        return sqrt(square);
    default:
        return values[i];
    }
}

/* Adds each particle of the frame: its place along the profile, and its value. */
static bool add_samples(looking *l, study_points *samples, store *kept, weir_error *error)
{
    const frame *f = &l->frame.view;
    int quantity = l->c->quantity;
    float *counted = NULL;
    const float *values = NULL;
    double level = 0;
    if (quantity == STUDY_NEIGHBOURS)
        values = counted = count_neighbours(l, error);
    else if (quantity == STUDY_DENSITY || quantity == STUDY_PRESSURE)
        values = find_component(&l->frame, quantity == STUDY_DENSITY ? "density" : "pressure", 0);
    else
        values = l->velocity[quantity == STUDY_SPEED ? 0 : quantity - STUDY_VX];
    if (!values)
        return quantity != STUDY_NEIGHBOURS &&
               fail(error, WEIR_NOT_FOUND, "the frames lack the field of this profile");
    bool depth = l->c->along == STUDY_DEPTH;
    bool ok = !depth || find_quantile(l, 1, true, 0.01, &level, error);
    for (size_t i = 0; ok && i < f->count; i++)
        if (is_within(l, i)) {
            double x = depth ? level - (double)f->x[1][i] : (double)f->x[l->c->along][i];
            ok = study_points_add(samples, kept, x, value_of(l, values, i), error);
        }
    free(counted);
    return ok;
}

static bool bin_samples(const study_points *samples, size_t bins, study_points *out, store *kept,
                        weir_error *error)
{
    double lo = INFINITY, hi = -INFINITY;
    double *sums = store_take_array(kept, 3 * bins, sizeof *sums);
    if (!sums)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a profile");
    for (size_t k = 0; k < samples->count; k++) {
        lo = fmin(lo, samples->x[k]);
        hi = fmax(hi, samples->x[k]);
    }
    for (size_t k = 0; k < samples->count; k++) {
        double share = hi > lo ? (samples->x[k] - lo) / (hi - lo) : 0;
        size_t bin = (size_t)(share * (double)bins);
        bin = bin < bins ? bin : bins - 1;
        sums[3 * bin]++;
        sums[3 * bin + 1] += samples->x[k];
        sums[3 * bin + 2] += samples->y[k];
    }
    for (size_t b = 0; b < bins; b++)
        if (sums[3 * b] > 0 && !study_points_add(out, kept, sums[3 * b + 1] / sums[3 * b],
                                                 sums[3 * b + 2] / sums[3 * b], error))
            return false;
    return true;
}

static bool take_profile(looking *l, study_points *out, store *kept, weir_error *error)
{
    const pvd *index = &l->r->particles;
    store scratch = {0};
    study_points samples = {0};
    bool ok = true;
    for (size_t k = 0; ok && k < index->count; k++) {
        double time = index->entries[k].time;
        bool counts = isnan(l->c->from) && isnan(l->c->to)
                          ? k + 1 == index->count
                          : !(time < l->c->from - 1e-9) && !(time > l->c->to + 1e-9);
        if (counts)
            ok = load_frame(l, index->entries[k].file, error) &&
                 add_samples(l, &samples, &scratch, error);
    }
    ok = ok && bin_samples(&samples, (size_t)l->c->bins, out, kept, error);
    store_free(&scratch);
    return ok;
}

/* ----------------------------------------------------------------- time series */

static bool take_particles(looking *l, study_points *out, store *kept, weir_error *error)
{
    const pvd *index = &l->r->particles;
    for (size_t k = 0; k < index->count; k++) {
        double value;
        if (!load_frame(l, index->entries[k].file, error))
            return false;
        if (l->c->kind == STUDY_MOMENT)
            value = find_moment(l);
        else if (l->c->along >= l->r->dim)
            value = NAN;
        else if (!find_quantile(l, l->c->along, l->c->side == 1, l->c->skip, &value, error))
            return false;
        if (isfinite(value) && !study_points_add(out, kept, index->entries[k].time, value, error))
            return false;
    }
    return true;
}

static double body_value(const frame_body *b, int quantity)
{
    switch (quantity) {
    case STUDY_X:
        return b->pose.position.x;
    case STUDY_Y:
        return b->pose.position.y;
    case STUDY_Z:
        return b->pose.position.z;
    case STUDY_VX:
        return b->velocity.x;
    case STUDY_VY:
        return b->velocity.y;
    case STUDY_VZ:
        return b->velocity.z;
    case STUDY_SPIN:
        return b->angular_velocity.z;
    default:
        return 2 * atan2(b->pose.rotation.z, b->pose.rotation.w);
    }
}

static bool take_body(looking *l, study_points *out, store *kept, weir_error *error)
{
    const pvd *index = &l->r->bodies;
    bool ok = true;
    for (size_t k = 0; ok && k < index->count; k++) {
        char *path;
        if (asprintf(&path, "%s/%s", l->r->folder, index->entries[k].file) < 0)
            return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
        ok = read_frame_load_bodies(&l->frame, path, error);
        free(path);
        bool found = false;
        for (size_t b = 0; ok && b < l->frame.view.body_count && !found; b++) {
            const frame_body *body = &l->frame.view.bodies[b];
            found = strcmp(body->name, l->c->body) == 0;
            if (found)
                ok = study_points_add(out, kept, index->entries[k].time,
                                      body_value(body, l->c->quantity), error);
        }
        if (ok && !found)
            ok = fail(error, WEIR_NOT_FOUND, "the scene has no body '%s'", l->c->body);
    }
    return ok;
}

bool study_take_frames(const study_curve *c, const study_run *r, study_points *out, store *kept,
                       weir_error *error)
{
    looking l = {.c = c, .r = r};
    bool ok;
    if (c->kind == STUDY_BODY)
        ok = take_body(&l, out, kept, error);
    else if (c->kind == STUDY_PROFILE)
        ok = take_profile(&l, out, kept, error);
    else
        ok = take_particles(&l, out, kept, error);
    read_frame_free(&l.frame);
    if (ok && out->count == 0)
        ok = fail(error, WEIR_NOT_FOUND, "the run has no frames that count");
    return ok;
}
