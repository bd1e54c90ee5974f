#include "couple/row_limits.h"

#include "couple/row_parts.h"

#include <math.h>

/* How far the fluid moves within the step, over the most that it may. A solve at once makes speed
 * of the densities that it leaves: in steps that one fast particle makes short, less may be left.
 */
static double motion_of(const row_system *s, const system_options *o, double dt)
{
    double motion = fmin(s->f->speed_max * dt / (o->most_way * s->f->spacing), 1);
    return o->at_once ? fmin(motion, dt / o->mending) : motion;
}

/* Spacings that the fluid is deep. */
static double layers_of(const row_system *s)
{
    return s->density ? s->f->fluid_depth / s->f->spacing : 0;
}

/* The density error that a step may leave. What is noise in a splash keeps deep fluid from coming
 * to rest: its steps are short, so that the same error means more speed, and gravity gives less of
 * a spacing in each. So the deeper the fluid the smaller the error, but for steps that the fluid's
 * own motion makes short. */
static double density_tolerance(const row_system *s, const system_options *o, double dt)
{
    static const double DEEP = 52; /* layers */
    double calm = fmin(o->density_tolerance, o->calm_tolerance);
    return fmax(calm * DEEP / fmax(layers_of(s), DEEP), o->density_tolerance * motion_of(s, o, dt));
}

/* Velocities to a share of what drives them, but no closer than to a part of the density error that
 * a step may leave: what is left drives the next step, so that fluid at rest goes on converging
 * from step to step. The part: errors of velocities stay and add up, those of positions go, which
 * is enough where all moves fast. Nearly all of it is noise from particle to particle; but a body
 * adds up what all rows around it leave, and with no more than that one that is let go under water
 * starts with half or twice its acceleration; and what the rows of deep fluid have in common misses
 * a pressure that grows with the depth. So what neighbours have in common counts more with bodies,
 * and in deep fluid once for every so many layers, whatever the part; and solvers that do not tell
 * one from the other solve all of it closer. */
static const double CALM_PART = 0.4, FAST_PART = 1.2, WHOLE_PART = 0.1;
static const double BODY_WEIGHT = 4, VELOCITY_LAYERS = 12, DEEP_WEIGHT = 4;

/* From 1.6 tolerances a step leads below one in nine of ten solves of velocities, and what it
 * leaves drives the next step in any case. Only where all moves fast: what is not measured keeps
 * calm fluid moving, and a solve at once turns it into energy. Positions are measured, as single
 * particles of theirs are what a step leaves. */
static const double SURE = 1.6;

/* Strokes end solves of densities where all moves fast: the next step meets other neighbours, while
 * what is not measured keeps calm fluid moving, and gives a solve at once energy in short steps.
 * With a fivehundredth of the rows beyond the peak single particles of a dam break were 0.5 % too
 * dense, with this share as many as without strokes. Games bear such particles. */
static const double FEW = 1.0 / 2000, FAR = 2, FEW_AT_ONCE = 1.0 / 200, FAR_AT_ONCE = 8;

static double fast_share(double motion)
{
    return fmax(2 * motion - 1, 0);
}

static double mix(double calm, double fast, double motion)
{
    return calm + (fast - calm) * motion;
}

solve_options row_limits_of_velocities(const row_system *s, const system_options *o, double dt,
                                       double drive, double typical)
{
    double motion = motion_of(s, o, dt), part = mix(CALM_PART, FAST_PART, motion);
    double by_depth = fmin(layers_of(s) / VELOCITY_LAYERS, DEEP_WEIGHT);
    double by_bodies = s->coupling_count > 0 ? BODY_WEIGHT : 0;
    double error = (o->solver == SOLVER_ACCELERATED ? part : WHOLE_PART) *
                   density_tolerance(s, o, dt) * typical / (dt * drive);
    return (solve_options){.tolerance = fmax(o->tolerance, error),
                           .smooth = part / CALM_PART * fmax(by_depth, by_bodies),
                           .sure = SURE * motion,
                           .scale = drive,
                           .min_iterations = o->min_iterations,
                           .max_iterations = o->max_iterations};
}

/* Under weight what a solve of velocities leaves would have to be mended in every step, and over
 * the way of a long step it lacks what bends. Otherwise nothing presses on it, and the speed would
 * be noise: vortices lost their energy up to two fifths faster than their viscosity says. */
double row_limits_of_feedback(const row_system *s, const system_options *o, double dt)
{
    double motion = motion_of(s, o, dt);
    double times = o->weighs ? mix(1, 2, motion) : 2 * fast_share(motion);
    return o->position_share > 0 ? o->position_share * times / dt : 0;
}

/* What is forgotten has to be found again, all of it in every step, and in deep fluid that takes
 * longer; fluid comes to rest with less there, too. None remains none. */
double row_limits_of_start(const row_system *s, const system_options *o)
{
    static const double SHALLOW = 22; /* layers */
    double forgotten = (1 - o->warm_start) * sqrt(SHALLOW / fmax(layers_of(s), SHALLOW));
    return o->warm_start > 0 ? 1 - forgotten : 0;
}

solve_options row_limits_of_positions(const row_system *s, const system_options *o, double dt,
                                      double typical)
{
    return (solve_options){.tolerance = density_tolerance(s, o, dt),
                           .peak = o->density_peak,
                           .few = FEW * fast_share(motion_of(s, o, dt)),
                           .far = FAR,
                           .single = row_system_density_count(s),
                           .scale = typical,
                           .min_iterations = o->min_iterations,
                           .max_iterations = o->max_iterations};
}

/* What rows have in common counts in a solve at once, too: by single rows alone a column that had
 * just begun to fall went on all but freely until it was compressed by 1 %, and came back with 2 %
 * more energy than it had. */
static const double AT_ONCE_WEIGHT = 6;

solve_options row_limits_at_once(const row_system *s, const system_options *o, double dt,
                                 double typical)
{
    solve_options limits = row_limits_of_positions(s, o, dt, typical / dt);
    limits.few = FEW_AT_ONCE * fast_share(motion_of(s, o, dt));
    limits.far = FAR_AT_ONCE;
    limits.smooth = AT_ONCE_WEIGHT;
    return limits;
}
