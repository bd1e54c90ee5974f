#include "couple/body_limit.h"

#include "method/method.h"

static const double MOST_TURN = 0.25; /* rad a step */
/* The same of bodies on joints: a swinging chain of light links with a load comes apart in its
 * whips with 0.5 sizes, and holds with 0.2. */
static const double MOST_JOINTED_TURN = 0.1, MOST_JOINTED_TRAVEL = 0.2;
static const double MOST_TRAVEL = 0.5; /* sizes a step, so that nothing is passed unseen */
static const double MOST_FALL = 0.01;  /* sizes that gravity's dt² is worth */

void bodies_limit(const flow *f, weir_step_limit *limit)
{
    bool any = false;
    for (size_t k = 0; k < f->body_count; k++)
        any = any || body_is_moved(&f->bodies[k]);
    double weight = vec3_length(f->force);
    for (size_t k = 0; any && k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if (!b->alive || b->size == 0)
            continue;
        double speed = vec3_length(b->velocity), spin = vec3_length(b->spin);
        if (speed > 0)
            step_limit_tighten(limit,
                               (b->jointed ? MOST_JOINTED_TRAVEL : MOST_TRAVEL) * b->size / speed,
                               "speed of bodies");
        if (spin > 0)
            step_limit_tighten(limit, (b->jointed ? MOST_JOINTED_TURN : MOST_TURN) / spin,
                               "spin of bodies");
        if (weight > 0 && body_is_moved(b))
            step_limit_tighten(limit, sqrt(MOST_FALL * b->size / weight), "weight of bodies");
    }
}
