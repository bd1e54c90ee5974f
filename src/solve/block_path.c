/* Block principal pivoting: Júdice and Pires, "A block principal pivoting algorithm for large-scale
 * strictly monotone linear complementarity problems", Computers & Operations Research 21 (1994).
 *
 * For a set F the trial solution has w_F = 0 and z = 0 outside F. All rows of the wrong sign change
 * sides at once as long as their number falls; when it has not fallen for a while, only the last
 * of them does (Murty 1974), which ends after finitely many steps if M is a P-matrix, until the
 * number has fallen again.
 *
 * A positive semi-definite M may have no inverse on F. Then the proximal point algorithm
 * (Rockafellar 1976) goes around it: z ← solution for M + ε I and q − ε z. Each is a problem
 * with a P-matrix; a fixed point solves the problem itself, not a regularised one, and for
 * redundant contacts it is a solution that shares the load. The set F settles after a few
 * rounds, and the factors with it. */
#include "solve/block_path.h"

#include <math.h>
#include <string.h>

static const double SIGN = 1e-12;  /* a value above -SIGN has the right sign */
static const double EXACT = 1e-14; /* no need to go on below this residual */
/* ε, where M has elements near 1: it falls in the first rounds, and later when convergence is slow.
 * A small one needs fewer rounds, but from a poor guess the sets wander; a large one leads to a
 * good guess. */
static const double FIRST_EPSILON = 1e-1, SMALL_EPSILON = 1e-7, LAST_EPSILON = 1e-10,
                    EPSILON_RATIO = 0.1;
enum { STUCK_ROUNDS = 6, PATIENCE = 10, LEAST_STEPS = 50, PROXIMAL_STEPS = 40, REFINEMENTS = 3 };

bool block_path_take(block_path *b, int n, lcp_workspace *work)
{
    *b = (block_path){
        .n = n,
        .in = lcp_take(work, n, sizeof(bool)),
        .z = lcp_take_doubles(work, n),
        .w = lcp_take_doubles(work, n),
        .factored = lcp_take(work, n, sizeof(bool)),
        .shifted = lcp_take_doubles(work, n),
        .previous = lcp_take_doubles(work, n),
        .right = lcp_take_doubles(work, n),
        .step = lcp_take_doubles(work, n),
    };
    return !work->failed;
}

void block_path_guess(block_path *b)
{
    b->has_factors = false;
    for (int i = 0; i < b->n; i++)
        b->in[i] = b->q[i] < 0;
}

static bool has_factors(const block_path *b, double epsilon)
{
    return b->has_factors && epsilon == b->factored_epsilon &&
           memcmp(b->in, b->factored, (size_t)b->n * sizeof *b->in) == 0;
}

static bool factor(block_path *b, double epsilon)
{
    if (has_factors(b, epsilon))
        return true;
    b->block_steps++;
    b->has_factors = b->system.factor(b->system.self, b->in, epsilon);
    b->factored_epsilon = epsilon;
    memcpy(b->factored, b->in, (size_t)b->n * sizeof *b->in);
    return b->has_factors;
}

/* w = (M + epsilon I) z + shifted; returns the largest |w| in F. */
static double evaluate(block_path *b, double epsilon)
{
    double worst = 0;
    b->system.product(b->system.self, b->z, b->w);
    for (int i = 0; i < b->n; i++) {
        b->w[i] += epsilon * b->z[i] + b->shifted[i];
        if (b->in[i])
            worst = lcp_larger(worst, fabs(b->w[i]));
    }
    return worst;
}

/* The trial solution of F, refined while that helps. */
static void try_set(block_path *b, double epsilon)
{
    for (int i = 0; i < b->n; i++)
        b->right[i] = -b->shifted[i];
    b->system.solve(b->system.self, b->right, b->z);
    double worst = evaluate(b, epsilon);
    for (int round = 0; round < REFINEMENTS && worst > EXACT; round++) {
        for (int i = 0; i < b->n; i++)
            b->right[i] = -b->w[i];
        b->system.solve(b->system.self, b->right, b->step);
        for (int i = 0; i < b->n; i++)
            b->z[i] += b->step[i];
        double before = worst;
        worst = evaluate(b, epsilon);
        if (!(worst < 0.5 * before))
            break;
    }
}

static bool has_wrong_sign(const block_path *b, int i)
{
    const double *side[2] = {b->w, b->z};
    return side[b->in[i]][i] < -SIGN;
}

static int count_wrong_signs(const block_path *b, int *last)
{
    int count = 0;
    for (int i = 0; i < b->n; i++) {
        bool wrong = has_wrong_sign(b, i);
        *last = wrong ? i : *last;
        count += wrong;
    }
    return count;
}

static void change_sides(block_path *b)
{
    for (int i = 0; i < b->n; i++)
        b->in[i] ^= has_wrong_sign(b, i);
}

/* Solves the problem of M + epsilon I and shifted. */
static bool find_set(block_path *b, double epsilon)
{
    int fewest = b->n + 1, patience = PATIENCE;
    int limit = b->n > 2 * LEAST_STEPS ? b->n / 2 : LEAST_STEPS;
    bool improved = !b->system.improve;
    for (int step = 0; step < limit; step++) {
        if (!improved && !has_factors(b, epsilon)) {
            b->has_factors = false;
            improved = true;
            if (!b->system.improve(b->system.self, b->shifted, epsilon, b->in))
                return false;
        }
        if (!factor(b, epsilon))
            return false;
        try_set(b, epsilon);
        int last = -1, count = count_wrong_signs(b, &last);
        if (count == 0)
            return true;
        patience = count < fewest ? PATIENCE : patience - 1;
        fewest = count < fewest ? count : fewest;
        if (patience < 0 && b->system.improve)
            return false;
        if (patience < 0) {
            b->in[last] = !b->in[last];
            b->pivots++;
        } else {
            change_sides(b);
        }
    }
    return false;
}

/* Clips z; w of M and q themselves; returns max |min(z, w)|. */
static double measure(block_path *b)
{
    double worst = 0;
    bool finite = true;
    for (int i = 0; i < b->n; i++)
        b->z[i] = lcp_larger(b->z[i], 0);
    b->system.product(b->system.self, b->z, b->w);
    for (int i = 0; i < b->n; i++) {
        b->w[i] += b->q[i];
        worst = lcp_larger(worst, fabs(b->z[i] < b->w[i] ? b->z[i] : b->w[i]));
        finite = finite && isfinite(b->w[i]);
    }
    return finite ? worst : INFINITY;
}

static bool run_directly(block_path *b, double tolerance)
{
    memcpy(b->shifted, b->q, (size_t)b->n * sizeof *b->q);
    return find_set(b, 0) && measure(b) <= tolerance;
}

/* Goes on to the limit of rounding: the last digits cost little once F has settled. */
static bool run_proximal(block_path *b, double epsilon, double tolerance)
{
    double before = INFINITY;
    int stalled = 0, stuck = 0;
    memset(b->previous, 0, (size_t)b->n * sizeof *b->previous);
    for (int round = 0; round < PROXIMAL_STEPS; round++) {
        b->proximal_steps++;
        for (int i = 0; i < b->n; i++)
            b->shifted[i] = b->q[i] - epsilon * b->previous[i];
        if (!find_set(b, epsilon))
            return false;
        double residual = measure(b);
        if (residual <= EXACT)
            return true;
        bool slow = residual > 0.1 * before;
        if (slow && residual <= 1e-3 * tolerance && ++stalled > 1)
            return true;
        /* Without a solution z grows for ever, and the residual stays. */
        stuck = residual > 0.9 * before ? stuck + 1 : 0;
        if (stuck > STUCK_ROUNDS)
            return false;
        if (slow || epsilon > SMALL_EPSILON)
            epsilon = lcp_larger(LAST_EPSILON, EPSILON_RATIO * epsilon);
        before = residual;
        memcpy(b->previous, b->z, (size_t)b->n * sizeof *b->z);
    }
    return before <= tolerance;
}

bool block_path_run(block_path *b, bool regular, double tolerance)
{
    if (regular && run_directly(b, tolerance))
        return true;
    if (b->system.improve && run_proximal(b, SMALL_EPSILON, tolerance))
        return true;
    return run_proximal(b, FIRST_EPSILON, tolerance);
}
