#include "couple/mechanism.h"

#include "base/error.h"

#include <string.h>

void mechanism_init(mechanism *m, memory *mem)
{
    *m = (mechanism){.mem = mem};
}

void mechanism_free(mechanism *m)
{
    if (!m->mem)
        return;
    memory_give(m->mem, m->rows, m->row_capacity * sizeof *m->rows);
    memory_give(m->mem, m->factor, m->factor_capacity * sizeof *m->factor);
    memory_give(m->mem, m->scratch, m->scratch_capacity * sizeof *m->scratch);
    *m = (mechanism){0};
}

void mechanism_clear(mechanism *m, body *bodies, size_t body_count)
{
    m->bodies = bodies;
    m->body_count = body_count;
    m->row_count = 0;
}

joint_row *mechanism_add_row(mechanism *m)
{
    if (!memory_grow(m->mem, (void **)&m->rows, &m->row_capacity, m->row_count + 1, m->row_count,
                     sizeof *m->rows))
        return NULL;
    joint_row *row = &m->rows[m->row_count++];
    memset(row, 0, sizeof *row);
    row->body_a = row->body_b = -1;
    return row;
}

void body_apply_impulse(const body *b, const double impulse[6], double change[6])
{
    if (!body_is_moved(b)) {
        memset(change, 0, 6 * sizeof *change);
        return;
    }
    vec3 spin = body_inverse_inertia(b, (vec3){impulse[3], impulse[4], impulse[5]});
    for (int k = 0; k < 3; k++)
        change[k] = impulse[k] * (k == 2 && b->planar ? 0 : b->inverse_mass);
    change[3] = spin.x;
    change[4] = spin.y;
    change[5] = spin.z;
}

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * b[k];
    return sum;
}

/* J_a M⁻¹ J_bᵀ for the bodies that both rows touch. */
static double couple_rows(const mechanism *m, const joint_row *a, const joint_row *b)
{
    double sum = 0;
    const int32_t body_of_a[2] = {a->body_a, a->body_b}, body_of_b[2] = {b->body_a, b->body_b};
    const double *on_a[2] = {a->on_a, a->on_b}, *on_b[2] = {b->on_a, b->on_b};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            if (body_of_a[i] < 0 || body_of_a[i] != body_of_b[k])
                continue;
            double change[6];
            body_apply_impulse(&m->bodies[body_of_a[i]], on_b[k], change);
            sum += dot6(on_a[i], change);
        }
    return sum;
}

bool mechanism_factor(mechanism *m, weir_error *error)
{
    size_t n = m->row_count;
    if (n == 0)
        return true;
    if (!memory_grow(m->mem, (void **)&m->factor, &m->factor_capacity, n * n, 0,
                     sizeof *m->factor) ||
        !memory_grow(m->mem, (void **)&m->scratch, &m->scratch_capacity, n, 0, sizeof *m->scratch))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu joint rows", n);
    for (size_t r = 0; r < n; r++) {
        double *line = m->factor + r * n;
        for (size_t c = 0; c <= r; c++)
            line[c] = couple_rows(m, &m->rows[r], &m->rows[c]);
        double whole = line[r] + m->rows[r].softness;
        line[r] = whole;
        for (size_t c = 0; c <= r; c++) {
            const double *other = m->factor + c * n;
            double sum = line[c];
            for (size_t k = 0; k < c; k++)
                sum -= line[k] * other[k];
            if (c < r)
                line[c] = sum / other[c];
            else /* a row that says nothing new is left soft */
                line[r] = sqrt(sum > 1e-10 * whole ? sum : (whole > 0 ? whole : 1) * 1e3);
        }
    }
    return true;
}

/* Solves (J M⁻¹ Jᵀ) y = scratch, in place. */
static void solve_factored(const mechanism *m)
{
    size_t n = m->row_count;
    double *y = m->scratch;
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < r; k++)
            y[r] -= m->factor[r * n + k] * y[k];
        y[r] /= m->factor[r * n + r];
    }
    for (size_t r = n; r-- > 0;) {
        for (size_t k = r + 1; k < n; k++)
            y[r] -= m->factor[k * n + r] * y[k];
        y[r] /= m->factor[r * n + r];
    }
}

static double row_velocity(const joint_row *row, const double *work)
{
    double sum = 0;
    if (row->body_a >= 0)
        sum += dot6(row->on_a, work + 6 * row->body_a);
    if (row->body_b >= 0)
        sum += dot6(row->on_b, work + 6 * row->body_b);
    return sum;
}

/* work += M⁻¹ Jᵀ scratch */
static void add_row_impulses(const mechanism *m, double *work)
{
    for (size_t r = 0; r < m->row_count; r++) {
        const joint_row *row = &m->rows[r];
        const int32_t bodies[2] = {row->body_a, row->body_b};
        const double *on[2] = {row->on_a, row->on_b};
        for (int k = 0; k < 2; k++) {
            if (bodies[k] < 0)
                continue;
            double impulse[6], change[6];
            for (int e = 0; e < 6; e++)
                impulse[e] = on[k][e] * m->scratch[r];
            body_apply_impulse(&m->bodies[bodies[k]], impulse, change);
            for (int e = 0; e < 6; e++)
                work[6 * bodies[k] + e] += change[e];
        }
    }
}

void mechanism_apply(const mechanism *m, double *work)
{
    for (size_t b = 0; b < m->body_count; b++) {
        double change[6];
        body_apply_impulse(&m->bodies[b], work + 6 * b, change);
        memcpy(work + 6 * b, change, sizeof change);
    }
    if (m->row_count == 0)
        return;
    for (size_t r = 0; r < m->row_count; r++)
        m->scratch[r] = -row_velocity(&m->rows[r], work);
    solve_factored(m);
    add_row_impulses(m, work);
}

void mechanism_project_velocities(mechanism *m)
{
    if (m->row_count == 0)
        return;
    for (size_t r = 0; r < m->row_count; r++) {
        joint_row *row = &m->rows[r];
        const int32_t bodies[2] = {row->body_a, row->body_b};
        const double *on[2] = {row->on_a, row->on_b};
        double velocity = 0;
        for (int k = 0; k < 2; k++)
            if (bodies[k] >= 0) {
                const body *b = &m->bodies[bodies[k]];
                const double v[6] = {b->velocity.x, b->velocity.y, b->velocity.z,
                                     b->spin.x,     b->spin.y,     b->spin.z};
                velocity += dot6(on[k], v);
            }
        m->scratch[r] = row->bound - velocity;
    }
    solve_factored(m);
    for (size_t r = 0; r < m->row_count; r++) {
        joint_row *row = &m->rows[r];
        row->impulse = m->scratch[r];
        const int32_t bodies[2] = {row->body_a, row->body_b};
        const double *on[2] = {row->on_a, row->on_b};
        for (int k = 0; k < 2; k++) {
            if (bodies[k] < 0)
                continue;
            double impulse[6], change[6];
            for (int e = 0; e < 6; e++)
                impulse[e] = on[k][e] * row->impulse;
            body_apply_impulse(&m->bodies[bodies[k]], impulse, change);
            body_change_velocity(&m->bodies[bodies[k]], change);
        }
    }
}

void mechanism_project_positions(const mechanism *m, double *work)
{
    if (m->row_count == 0)
        return;
    for (size_t r = 0; r < m->row_count; r++)
        m->scratch[r] = -m->rows[r].violation - row_velocity(&m->rows[r], work);
    solve_factored(m);
    add_row_impulses(m, work);
}

void mechanism_note_impulses(mechanism *m)
{
    for (size_t r = 0; r < m->row_count; r++)
        m->rows[r].impulse += m->scratch[r];
}
