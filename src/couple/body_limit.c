#include "couple/body_limit.h"

#include "method/method.h"

static const double MOST_TURN = 0.25; /* rad a step */
/* The same of bodies on joints: a swinging chain of light links with a load comes apart in its
 * whips with 0.5 sizes, and holds with 0.2. */
static const double MOST_JOINTED_TURN = 0.1, MOST_JOINTED_TRAVEL = 0.2;
static const double MOST_TRAVEL = 0.5; /* sizes a step, so that nothing is passed unseen */
static const double MOST_FALL = 0.01;  /* sizes that gravity's dt² is worth */
/* Where many bodies meet at once few sweeps do not stop all of them, and those that are pressed
 * into each other get out again slowly: 500 discs that came down as a column of 33 were in each
 * other by 0.7 of their size, some of them for seconds. Short steps leave less to stop; bodies that
 * bounce, which sweeps do not stop at all, need shorter ones. A blow is what pushes a body by so
 * many times its weight. */
enum { PILE = 8 };
static const double BLOW = 3, MOST_STRUCK_TRAVEL = 0.1, MOST_BOUNCING_TRAVEL = 0.03;

/* `speed` times the step must not be above `most`. Roots and quotients are taken only where the
 * limit may become tighter: of many bodies few are the fastest so far. */
static void limit_speed(weir_step_limit *limit, vec3 speed, double most, const char *cause)
{
    double speed2 = vec3_dot(speed, speed);
    if (speed2 * (limit->seconds * limit->seconds) > 0.999 * most * most && speed2 > 0)
        step_limit_tighten(limit, most / vec3_length(speed), cause);
}

/* Without weight nothing says what a blow is, and a push as small as rounding would be one. */
static bool is_struck(const body *b, double weight)
{
    double least = BLOW * weight * b->mass;
    return weight > 0 && body_is_moved(b) &&
           vec3_dot(b->contact_force, b->contact_force) > least * least;
}

void bodies_limit(const flow *f, weir_step_limit *limit)
{
    bool any = false;
    for (size_t k = 0; k < f->body_count; k++)
        any = any || body_is_moved(&f->bodies[k]);
    double weight = vec3_length(f->force), smallest = INFINITY;
    weir_step_limit of_struck = {.seconds = INFINITY};
    int struck = 0;
    for (size_t k = 0; any && k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        if (!b->alive || b->size == 0)
            continue;
        limit_speed(limit, b->velocity, (b->jointed ? MOST_JOINTED_TRAVEL : MOST_TRAVEL) * b->size,
                    "speed of bodies");
        limit_speed(limit, b->spin, b->jointed ? MOST_JOINTED_TURN : MOST_TURN, "spin of bodies");
        if (is_struck(b, weight)) {
            double travel = b->restitution > 0 ? MOST_BOUNCING_TRAVEL : MOST_STRUCK_TRAVEL;
            limit_speed(&of_struck, b->velocity, travel * b->size, "");
            struck++;
        }
        if (body_is_moved(b) && b->size < smallest)
            smallest = b->size;
    }
    if (struck >= PILE)
        step_limit_tighten(limit, of_struck.seconds, "speed of bodies in a pile");
    if (weight > 0 && smallest < INFINITY)
        step_limit_tighten(limit, sqrt(MOST_FALL * smallest / weight), "weight of bodies");
}
