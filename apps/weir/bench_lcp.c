/* Cost of the contact problem: the solvers on the same contacts of fluid with two balls that touch
 * each other and the floor. */
#include "bench.h"

#include "base/random.h"
#include "base/vec.h"
#include "solve/lcp_solver.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

typedef struct contact_set {
    int n;
    lcp_contact *rows;
    double *point_inverse_mass, *q, *z, *w;
    lcp_body body[2];
    lcp_contacts problem;
} contact_set;

static const double particle_mass = 0.027; /* kg: 3 cm of water */

/* Balls of 1 m, a quarter and two and a half times as heavy as what hits them, so that contacts
 * depend on each other alike for every number of them. */
static void make_bodies(contact_set *s)
{
    for (int k = 0; k < 2; k++) {
        double mass = (k == 0 ? 0.25 : 2.5) * s->n / 2 * particle_mass;
        double inertia = 0.4 * mass * 0.25;
        s->body[k] = (lcp_body){.inverse_mass = {1 / mass, 1 / mass, 1 / mass}};
        for (int a = 0; a < 3; a++)
            s->body[k].inverse_inertia[4 * a] = 1 / inertia;
    }
}

static void put_body(lcp_contact *row, int side, int body, vec3 arm, vec3 direction)
{
    row->body[side] = body;
    row->linear[side] = direction;
    row->angular[side] = vec3_cross(arm, direction);
}

/* Particle i hits a ball at a point of a spiral that covers it evenly. Its normal is off the radius
 * a little, as that of a mesh, so that contacts turn the ball. */
static void add_particle(contact_set *s, int i)
{
    int b = i % 2;
    double height = 1 - (2.0 * i + 1) / s->n, angle = i * pi * (3 - sqrt(5));
    double ring = sqrt(1 - height * height);
    vec3 out = {ring * cos(angle), height, ring * sin(angle)};
    uint64_t k = 4 * (uint64_t)i;
    vec3 off = {random_unit(1, k) - 0.5, random_unit(1, k + 1) - 0.5, random_unit(1, k + 2) - 0.5};
    vec3 normal = vec3_unit(vec3_madd(out, 0.3, off), out);
    s->rows[i] = (lcp_contact){.point = i, .body = {-1, -1}, .point_direction = normal};
    put_body(&s->rows[i], 0, b, vec3_scale(out, 0.5), vec3_scale(normal, -1));
    s->point_inverse_mass[i] = 1 / particle_mass;
    s->q[i] = 0.2 - random_unit(1, k + 3); /* m/s: four of five approach */
}

/* The last rows: both balls on the floor, and against each other. */
static void add_bodies(contact_set *s)
{
    for (int k = 0; k < 2; k++) {
        lcp_contact *row = &s->rows[s->n - 3 + k];
        *row = (lcp_contact){.point = -1, .body = {-1, -1}};
        put_body(row, 0, k, (vec3){0, -0.5, 0}, (vec3){0, 1, 0});
    }
    lcp_contact *both = &s->rows[s->n - 1];
    *both = (lcp_contact){.point = -1, .body = {-1, -1}};
    put_body(both, 0, 0, (vec3){0.5, 0, 0}, (vec3){-1, 0, 0});
    put_body(both, 1, 1, (vec3){-0.5, 0, 0}, (vec3){1, 0, 0});
    for (int i = s->n - 3; i < s->n; i++)
        s->q[i] = -0.5;
}

static bool make(contact_set *s, int n, weir_error *error)
{
    *s = (contact_set){.n = n};
    size_t count = (size_t)n;
    s->rows = calloc(count, sizeof *s->rows);
    s->point_inverse_mass = calloc(4 * count, sizeof *s->point_inverse_mass);
    if (!s->rows || !s->point_inverse_mass)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %d contacts", n);
    s->q = s->point_inverse_mass + n;
    s->z = s->q + n;
    s->w = s->z + n;
    make_bodies(s);
    for (int i = 0; i < n - 3; i++)
        add_particle(s, i);
    add_bodies(s);
    s->problem = (lcp_contacts){.n = n,
                                .points = n - 3,
                                .bodies = 2,
                                .rows = s->rows,
                                .point_inverse_mass = s->point_inverse_mass,
                                .body = s->body,
                                .q = s->q};
    return true;
}

static void release(contact_set *s)
{
    free(s->rows);
    free(s->point_inverse_mass);
}

/* The best of several solves; the first one takes memory. */
static bool time_solver(contact_set *s, lcp_solver solver, int repeats, bench_table *t,
                        weir_error *error)
{
    memory m = memory_with_hooks(NULL);
    lcp_workspace work;
    lcp_result result = {0};
    double best = INFINITY;
    bool ok = true;
    lcp_workspace_init(&work, &m);
    for (int k = 0; k <= repeats && ok; k++) {
        double begun = bench_now();
        ok = lcp_solve_contacts(solver, &s->problem, NULL, &work, s->z, s->w, &result, error);
        double seconds = bench_now() - begun;
        if (k > 0 || repeats == 0)
            best = fmin(best, seconds);
    }
    lcp_workspace_free(&work);
    if (!ok)
        return false;
    double *row = t->values[t->rows];
    t->labels[t->rows++] = lcp_solver_name(solver);
    row[0] = s->n;
    row[1] = best;
    row[2] = result.pivots + result.block_steps + result.iterations;
    row[3] = result.residual;
    return true;
}

bool bench_lcp(const bench_options *o, bench_table *t, weir_error *error)
{
    static const int sizes[] = {125, 250, 500, 1000, 2000, 4000};
    /* The dense tableau grows with the cube: minutes beyond this. */
    int most_dense = o->quick ? 250 : 1000, last = o->quick ? 4 : 6;
    t->label = "solver";
    t->columns = 4;
    const char *const names[] = {"contacts", "seconds", "steps", "residual"};
    for (int c = 0; c < t->columns; c++)
        t->names[c] = names[c];
    for (int k = 0; k < last; k++) {
        contact_set s;
        bool ok = make(&s, sizes[k], error);
        for (int solver = 0; solver < LCP_SOLVER_COUNT && ok; solver++) {
            bool dense = solver == LCP_SOLVER_LEMKE;
            if (!dense || sizes[k] <= most_dense)
                ok = time_solver(&s, (lcp_solver)solver, dense ? 0 : o->quick ? 3 : 10, t, error);
        }
        release(&s);
        if (!ok)
            return false;
    }
    return true;
}
