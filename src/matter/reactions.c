#include "matter/reactions.h"

/* Components of the sums: what is noted of all bodies, and the motion of those that are moved, or
 * what these are owed. */
enum { PRESSURE = 0, VISCOUS = 3, ANGULAR = 6, NOTED = 9, MOTION = 9, TURN = 12, ALL = 15 };

typedef struct reaction_job {
    const flow *f;
    reaction_finder find;
    const void *context;
    double *owed;
    bool moves;
    int width;
} reaction_job;

/* What a push does to the motion of a body. */
static void put_motion(const reaction_job *job, const body *b, const reaction *one, vec3 arm,
                       double *terms)
{
    vec3 both = vec3_add(one->pressure, one->viscous);
    vec3 motion = {0, 0, 0}, turn = {0, 0, 0};
    if (job->owed) {
        motion = one->owed;
        turn = vec3_cross(arm, one->owed);
    } else if (body_is_moved(b)) {
        motion = vec3_scale(both, b->inverse_mass);
        turn = body_inverse_inertia(b, vec3_cross(arm, both));
    }
    contact_terms_put(terms, MOTION, motion);
    contact_terms_put(terms, TURN, turn);
}

static bool find_terms(const void *context, size_t n, size_t i, uint32_t w, double *terms)
{
    (void)n;
    const reaction_job *job = context;
    reaction one = {.body = job->f->walls.spans[i].contacts[w].body};
    const body *b = &job->f->bodies[one.body];
    job->find(job->context, i, w, &one);
    if (one.body == REACTION_NONE)
        return false;
    vec3 arm = vec3_sub(one.point, body_centre(b));
    contact_terms_put(terms, PRESSURE, one.pressure);
    contact_terms_put(terms, VISCOUS, one.viscous);
    contact_terms_put(terms, ANGULAR, vec3_cross(arm, vec3_add(one.pressure, one.viscous)));
    if (job->width == ALL)
        put_motion(job, b, &one, arm, terms);
    return true;
}

/* Sums go on from what bodies have. */
static void begin_sums(const reaction_job *job, contact_sums *s)
{
    for (size_t k = 0; k < job->f->body_count; k++) {
        const body *b = &job->f->bodies[k];
        contact_sums_put(s, PRESSURE, k, b->pressure_impulse);
        contact_sums_put(s, VISCOUS, k, b->viscous_impulse);
        contact_sums_put(s, ANGULAR, k, b->angular_impulse);
        if (job->width != ALL)
            continue;
        const double *owed = job->owed ? job->owed + 6 * k : NULL;
        contact_sums_put(s, MOTION, k, owed ? (vec3){owed[0], owed[1], owed[2]} : b->velocity);
        contact_sums_put(s, TURN, k, owed ? (vec3){owed[3], owed[4], owed[5]} : b->spin);
    }
}

/* A planar body has no motion along z and does not turn about x and y. */
static void owe(double owed[6], const body *b, vec3 motion, vec3 turn)
{
    owed[0] = motion.x;
    owed[1] = motion.y;
    owed[5] = turn.z;
    if (b->planar)
        return;
    owed[2] = motion.z;
    owed[3] = turn.x;
    owed[4] = turn.y;
}

static void end_motion(const reaction_job *job, const contact_sums *s, body *b, size_t k)
{
    vec3 motion = contact_sums_get(s, MOTION, k), turn = contact_sums_get(s, TURN, k);
    if (job->owed) {
        owe(job->owed + 6 * k, b, motion, turn);
        return;
    }
    b->velocity = motion;
    b->spin = turn;
}

static void end_sums(const reaction_job *job, flow *f)
{
    const contact_sums *s = &f->sums;
    for (size_t k = 0; k < f->body_count; k++) {
        body *b = &f->bodies[k];
        b->pressure_impulse = contact_sums_get(s, PRESSURE, k);
        b->viscous_impulse = contact_sums_get(s, VISCOUS, k);
        b->angular_impulse = contact_sums_get(s, ANGULAR, k);
        if (job->width == ALL && body_is_moved(b))
            end_motion(job, s, b, k);
    }
}

static bool run_by_lists(reaction_job *job, flow *f)
{
    job->width = job->moves && flow_any_moved(f) ? ALL : NOTED;
    if (!contact_sums_begin(f, job->width))
        return false;
    begin_sums(job, &f->sums);
    bool ok = contact_sums_add(f, job->width, find_terms, job);
    end_sums(job, f);
    return ok;
}

/* The same sums without lists in between, which one thread has no use for. */
static void run_in_order(const reaction_job *job, flow *f)
{
    for (size_t n = 0; n < f->walls.touching_count; n++) {
        size_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            reaction one = {.body = solids->contacts[w].body};
            job->find(job->context, i, w, &one);
            if (one.body == REACTION_NONE)
                continue;
            body *b = &f->bodies[one.body];
            if (job->moves)
                body_push(b, one.point, one.pressure, one.viscous);
            else
                body_note_push(b, one.point, one.pressure, one.viscous);
        }
    }
}

static bool run(reaction_job *job, flow *f)
{
    if (f->threads > 1)
        return run_by_lists(job, f);
    run_in_order(job, f);
    return true;
}

bool reactions_push(flow *f, reaction_finder find, const void *context)
{
    reaction_job job = {.f = f, .find = find, .context = context, .moves = true};
    return run(&job, f);
}

bool reactions_note(flow *f, reaction_finder find, const void *context)
{
    reaction_job job = {.f = f, .find = find, .context = context};
    return run(&job, f);
}

bool reactions_owe(flow *f, reaction_finder find, const void *context, double *owed)
{
    reaction_job job = {.f = f, .find = find, .context = context, .owed = owed, .moves = true};
    return run_by_lists(&job, f);
}
