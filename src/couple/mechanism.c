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
    memory_give(m->mem, m->start, m->start_capacity * sizeof *m->start);
    memory_give(m->mem, m->first, m->first_capacity * sizeof *m->first);
    memory_give(m->mem, m->last_row, m->last_capacity * sizeof *m->last_row);
    memory_give(m->mem, m->before, m->before_capacity * sizeof *m->before);
    memory_give(m->mem, m->predicted, m->predicted_capacity * sizeof *m->predicted);
    *m = (mechanism){0};
}

void mechanism_clear(mechanism *m, body *bodies, size_t body_count, double time, double dt)
{
    m->bodies = bodies;
    m->body_count = body_count;
    m->time = time;
    m->dt = dt;
    m->row_count = 0;
    m->factored = false;
}

joint_row *mechanism_add_row(mechanism *m)
{
    if (!memory_grow(m->mem, (void **)&m->rows, &m->row_capacity, m->row_count + 1, m->row_count,
                     sizeof *m->rows))
        return NULL;
    joint_row *row = &m->rows[m->row_count++];
    m->factored = false;
    memset(row, 0, sizeof *row);
    row->body_a = row->body_b = row->at_a = row->at_b = -1;
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

/* --------------------------------------------------------------------- factor */

static int32_t row_body(const joint_row *row, int side)
{
    return side == 0 ? row->body_a : row->body_b;
}

static const double *row_entries(const joint_row *row, int side)
{
    return side == 0 ? row->on_a : row->on_b;
}

static bool reserve(mechanism *m)
{
    size_t n = m->row_count;
    return memory_grow(m->mem, (void **)&m->scratch, &m->scratch_capacity, n, 0,
                       sizeof *m->scratch) &&
           memory_grow(m->mem, (void **)&m->start, &m->start_capacity, n, 0, sizeof *m->start) &&
           memory_grow(m->mem, (void **)&m->first, &m->first_capacity, n, 0, sizeof *m->first) &&
           memory_grow(m->mem, (void **)&m->before, &m->before_capacity, 2 * n, 0,
                       sizeof *m->before) &&
           memory_grow(m->mem, (void **)&m->last_row, &m->last_capacity, m->body_count, 0,
                       sizeof *m->last_row) &&
           memory_grow(m->mem, (void **)&m->predicted, &m->predicted_capacity, m->body_count, 0,
                       sizeof *m->predicted);
}

/* Chains the rows of each body and finds where each row of the factor begins: nothing to the left
 * of the first row that shares a body is ever filled. Returns the size of the factor. */
static size_t find_envelope(mechanism *m)
{
    size_t size = 0;
    for (size_t b = 0; b < m->body_count; b++)
        m->last_row[b] = -1;
    for (size_t r = 0; r < m->row_count; r++) {
        m->first[r] = r;
        for (int side = 0; side < 2; side++) {
            int32_t b = row_body(&m->rows[r], side);
            m->before[2 * r + (size_t)side] = b >= 0 ? m->last_row[b] : -1;
        }
        for (int side = 0; side < 2; side++) {
            int32_t b = row_body(&m->rows[r], side);
            if (b < 0)
                continue;
            m->last_row[b] = (int32_t)r;
            for (int32_t c = m->before[2 * r + (size_t)side]; c >= 0;) {
                m->first[r] = (size_t)c < m->first[r] ? (size_t)c : m->first[r];
                c = m->before[2 * c + (m->rows[c].body_a == b ? 0 : 1)];
            }
        }
        m->start[r] = size - m->first[r];
        size += r - m->first[r] + 1;
    }
    return size;
}

/* Writes row r of J M⁻¹ Jᵀ + Σ into the factor's place. */
static void fill_line(mechanism *m, size_t r)
{
    const joint_row *row = &m->rows[r];
    double *line = m->factor + m->start[r];
    for (size_t c = m->first[r]; c < r; c++)
        line[c] = 0;
    line[r] = row->softness;
    for (int side = 0; side < 2; side++) {
        int32_t b = row_body(row, side);
        if (b < 0)
            continue;
        double change[6];
        body_apply_impulse(&m->bodies[b], row_entries(row, side), change);
        line[r] += dot6(row_entries(row, side), change);
        for (int32_t c = m->before[2 * r + (size_t)side]; c >= 0;) {
            int other = m->rows[c].body_a == b ? 0 : 1;
            line[c] += dot6(row_entries(&m->rows[c], other), change);
            c = m->before[2 * c + other];
        }
    }
}

/* What is left of a row's diagonal after the rows before it, below which it says nothing new. */
static const double REPEATED = 1e-9;

bool mechanism_factor(mechanism *m, weir_error *error)
{
    size_t n = m->row_count;
    if (n == 0 || m->factored)
        return true;
    if (!reserve(m) || !memory_grow(m->mem, (void **)&m->factor, &m->factor_capacity,
                                    find_envelope(m), 0, sizeof *m->factor))
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for %zu joint rows", n);
    for (size_t r = 0; r < n; r++) {
        fill_line(m, r);
        double *line = m->factor + m->start[r], whole = line[r];
        for (size_t c = m->first[r]; c <= r; c++) {
            const double *other = m->factor + m->start[c];
            double sum = line[c];
            size_t from = m->first[r] > m->first[c] ? m->first[r] : m->first[c];
            for (size_t k = from; k < c; k++)
                sum -= line[k] * other[k];
            if (c < r)
                line[c] = sum / other[c];
            else /* a row that says nothing new is left soft */
                line[r] = sqrt(sum > REPEATED * whole ? sum : (whole > 0 ? whole : 1) * 1e6);
        }
    }
    m->factored = true;
    return true;
}

/* Solves (J M⁻¹ Jᵀ + Σ) y = scratch, in place. */
static void solve_factored(const mechanism *m)
{
    double *y = m->scratch;
    for (size_t r = 0; r < m->row_count; r++) {
        const double *line = m->factor + m->start[r];
        for (size_t k = m->first[r]; k < r; k++)
            y[r] -= line[k] * y[k];
        y[r] /= line[r];
    }
    for (size_t r = m->row_count; r-- > 0;) {
        const double *line = m->factor + m->start[r];
        y[r] /= line[r];
        for (size_t k = m->first[r]; k < r; k++)
            y[k] -= line[k] * y[r];
    }
}

/* ------------------------------------------------------------------- products */

static double row_velocity(const joint_row *row, const double *work)
{
    double sum = 0;
    if (row->body_a >= 0)
        sum += dot6(row->on_a, work + 6 * row->body_a);
    if (row->body_b >= 0)
        sum += dot6(row->on_b, work + 6 * row->body_b);
    return sum;
}

/* The velocity change of the body on one side by a row's impulse; false where there is none. */
static bool find_change(const mechanism *m, const joint_row *row, int side, double impulse,
                        double change[6])
{
    int32_t b = row_body(row, side);
    if (b < 0)
        return false;
    double entries[6];
    for (int e = 0; e < 6; e++)
        entries[e] = row_entries(row, side)[e] * impulse;
    body_apply_impulse(&m->bodies[b], entries, change);
    return true;
}

/* work += M⁻¹ Jᵀ scratch */
static void add_row_impulses(const mechanism *m, double *work)
{
    for (size_t r = 0; r < m->row_count; r++)
        for (int side = 0; side < 2; side++) {
            double change[6];
            if (!find_change(m, &m->rows[r], side, m->scratch[r], change))
                continue;
            for (int e = 0; e < 6; e++)
                work[6 * row_body(&m->rows[r], side) + e] += change[e];
        }
}

void mechanism_apply(const mechanism *m, double *work)
{
    for (size_t b = 0; b < m->body_count; b++) {
        double change[6];
        body_apply_impulse(&m->bodies[b], work + 6 * b, change);
        memcpy(work + 6 * b, change, sizeof change);
    }
    mechanism_respond(m, work);
}

void mechanism_respond(const mechanism *m, double *work)
{
    if (m->row_count == 0)
        return;
    for (size_t r = 0; r < m->row_count; r++)
        m->scratch[r] = -row_velocity(&m->rows[r], work);
    solve_factored(m);
    add_row_impulses(m, work);
}

void mechanism_mend_positions(const mechanism *m, double *work)
{
    if (m->row_count == 0)
        return;
    for (size_t r = 0; r < m->row_count; r++)
        m->scratch[r] = -m->rows[r].violation;
    solve_factored(m);
    add_row_impulses(m, work);
}

void mechanism_note_impulses(mechanism *m, double factor)
{
    for (size_t r = 0; r < m->row_count; r++)
        m->rows[r].impulse += factor * m->scratch[r];
}

/* ----------------------------------------------------------------- velocities */

static double present_velocity(const mechanism *m, const joint_row *row)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        if (row_body(row, side) < 0)
            continue;
        const body *b = &m->bodies[row_body(row, side)];
        const double v[6] = {b->velocity.x, b->velocity.y, b->velocity.z,
                             b->spin.x,     b->spin.y,     b->spin.z};
        sum += dot6(row_entries(row, side), v);
    }
    return sum;
}

/* J v + Σ impulse = bound, to first order. */
static void meet_bounds(mechanism *m)
{
    for (size_t r = 0; r < m->row_count; r++) {
        const joint_row *row = &m->rows[r];
        m->scratch[r] = row->bound - present_velocity(m, row) - row->softness * row->impulse;
    }
    solve_factored(m);
    for (size_t r = 0; r < m->row_count; r++) {
        m->rows[r].impulse += m->scratch[r];
        for (int side = 0; side < 2; side++) {
            double change[6];
            if (find_change(m, &m->rows[r], side, m->scratch[r], change))
                body_change_velocity(&m->bodies[row_body(&m->rows[r], side)], change);
        }
    }
}

static pose present_pose(const mechanism *m, int32_t index)
{
    return index >= 0 ? m->bodies[index].pose : pose_identity();
}

static pose predicted_pose(const mechanism *m, int32_t index)
{
    return index >= 0 ? m->predicted[index] : pose_identity();
}

/* Moves each bound by what the value will be off at the end of the step. Returns the largest such
 * amount as a share of what the velocities do in the step. */
static double bend_bounds(mechanism *m)
{
    double off = 0, moved = 0;
    for (size_t b = 0; b < m->body_count; b++) {
        const body *solid = &m->bodies[b];
        if (!solid->alive || !solid->jointed)
            continue;
        m->predicted[b] = body_predict(solid, m->time, m->dt);
        moved = fmax(moved, vec3_length(solid->velocity) + vec3_length(solid->spin));
    }
    for (size_t r = 0; r < m->row_count; r++) {
        joint_row *row = &m->rows[r];
        if (!row->measure)
            continue;
        double value =
            row->measure(row, predicted_pose(m, row->at_a), predicted_pose(m, row->at_b));
        double speed = (value - row->value) / m->dt;
        row->bound -= speed;
        off = fmax(off, fabs(speed));
    }
    return moved > 0 ? off / moved : 0;
}

/* Takes back what the rows gave since their impulses were noted in `before`. */
static void give_back(mechanism *m)
{
    for (size_t r = 0; r < m->row_count; r++) {
        joint_row *row = &m->rows[r];
        for (int side = 0; side < 2; side++) {
            double change[6];
            if (find_change(m, row, side, row->before - row->impulse, change))
                body_change_velocity(&m->bodies[row_body(row, side)], change);
        }
        row->impulse = row->before;
    }
}

/* Brings the values that rows keep to where they are now at the end of the step, by Newton's rule
 * with the factor of the present poses. Steps too long for the turn do not converge: then first
 * order must do. */
static void keep_values(mechanism *m)
{
    enum { MOST = 12 };
    for (size_t r = 0; r < m->row_count; r++)
        m->rows[r].before = m->rows[r].impulse;
    double off = INFINITY;
    for (int k = 0; k < MOST && off > 1e-13; k++) {
        double last = off;
        off = bend_bounds(m);
        if (off > 0.5 || !(off <= 0.5 * last || off < 1e-9)) {
            give_back(m);
            return;
        }
        meet_bounds(m);
    }
}

void mechanism_project_velocities(mechanism *m)
{
    if (m->row_count == 0)
        return;
    meet_bounds(m);
    keep_values(m);
}

void mechanism_refine_velocities(mechanism *m)
{
    if (m->row_count == 0)
        return;
    for (size_t r = 0; r < m->row_count; r++) {
        joint_row *row = &m->rows[r];
        row->bound = present_velocity(m, row) + row->softness * row->impulse;
        if (row->measure)
            row->value = row->measure(row, present_pose(m, row->at_a), present_pose(m, row->at_b));
    }
    keep_values(m);
}
