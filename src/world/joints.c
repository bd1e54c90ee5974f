/* Joints: creation and state. */
#include "base/error.h"
#include "base/notice.h"
#include "world/state.h"

weir_joint_def weir_joint_def_default(void)
{
    return (weir_joint_def){.axis = {0, 0, 1}, .length = -1, .max_effort = INFINITY};
}

static bool find_body_index(const weir_world *w, weir_body_id id, int32_t *index)
{
    *index = weir_body_is_valid(w, id) ? (int32_t)id.slot - 1 : -1;
    return *index >= 0 || id.slot == 0;
}

weir_joint_id weir_joint_create(weir_world *w, const weir_joint_def *def, weir_error *error)
{
    weir_joint_id none = {0, 0};
    int32_t a, b;
    if (!REQUIRE(&w->def.hooks, error, def != NULL))
        return none;
    const char *name = def->name ? def->name : "joint";
    if (!find_body_index(w, def->a, &a) || !find_body_index(w, def->b, &b)) {
        fail(error, WEIR_STALE_ID, "joint %s: one of its bodies does not exist any more", name);
        return none;
    }
    if (world_is_by_contact(w)) {
        fail(error, WEIR_UNSUPPORTED,
             "joint %s: coupling by contacts is for bodies without joints; use boundary-volume",
             name);
        return none;
    }
    if (!memory_grow(&w->mem, (void **)&w->joints, &w->joint_capacity, w->joint_count + 1,
                     w->joint_count, sizeof *w->joints)) {
        fail(error, WEIR_OUT_OF_MEMORY, "no memory for a joint");
        return none;
    }
    joint *j = &w->joints[w->joint_count];
    if (!joint_init(j, &w->flow, def, a, b, error)) {
        fail_in(error, "joint %s", name);
        return none;
    }
    if (!body_has_mass(&w->flow.bodies[a]) && (b < 0 || !body_has_mass(&w->flow.bodies[b]))) {
        fail(error, WEIR_INVALID, "joint %s: at least one of its bodies must be dynamic", name);
        return none;
    }
    w->joint_count++;
    w->flow.bodies[a].jointed = true;
    rest_wake(&w->flow, (size_t)a, 0);
    if (b >= 0) {
        w->flow.bodies[b].jointed = true;
        rest_wake(&w->flow, (size_t)b, 0);
    }
    const double numbers[] = {
        j->kind,        j->a,         j->b,          j->local_a.x,  j->local_a.y,  j->local_a.z,
        j->local_b.x,   j->local_b.y, j->local_b.z,  j->axis_a.x,   j->axis_a.y,   j->axis_a.z,
        j->length,      j->stiffness, j->damping,    j->limited,    j->lo,         j->hi,
        j->break_force, j->collide,   j->relative.x, j->relative.y, j->relative.z, j->relative.w};
    world_note_definition(w, numbers, sizeof numbers);
    return (weir_joint_id){(uint32_t)w->joint_count, 1};
}

bool weir_joint_set_motor(weir_world *w, weir_joint_id id, weir_motor motor, double target,
                          double max_effort, weir_error *error)
{
    if (id.slot == 0 || id.slot > w->joint_count)
        return fail(error, WEIR_STALE_ID, "the joint id is null or of another world");
    joint *j = &w->joints[id.slot - 1];
    if (!joint_check_motor(j->kind, motor, target, max_effort, error))
        return fail_in(error, "joint %s", j->name);
    j->motor = motor;
    j->target = target;
    j->max_effort = max_effort;
    rest_wake(&w->flow, (size_t)j->a, 0);
    if (j->b >= 0)
        rest_wake(&w->flow, (size_t)j->b, 0);
    return true;
}

int weir_world_joint_count(const weir_world *w)
{
    return (int)w->joint_count;
}

weir_joint_state weir_world_joint_state(const weir_world *w, int index)
{
    if (index < 0 || (size_t)index >= w->joint_count)
        return (weir_joint_state){0};
    const joint *j = &w->joints[index];
    return (weir_joint_state){
        .name = j->name,
        .kind = j->kind,
        .broken = j->broken,
        .position = joint_position(j, &w->flow),
        .speed = j->speed,
        .force = j->force,
        .torque = j->torque,
        .effort = j->effort,
        .drift = j->broken ? 0 : joint_drift(j, &w->flow),
    };
}

weir_solve_info weir_world_get_solve_info(const weir_world *w)
{
    const row_system *s = &w->system;
    size_t crowd_rows = w->crowd.active ? w->crowd.contact_count * (size_t)w->flow.dim : 0;
    return (weir_solve_info){
        .velocity_iterations = s->velocity_result.iterations,
        .position_iterations = s->position_result.iterations,
        .velocity_residual = s->velocity_result.residual,
        .position_residual = s->position_result.residual,
        .rows = s->row_count + crowd_rows,
        .joint_rows = w->mechanism.row_count,
        .density_rows = w->method->rows ? w->flow.p.count : 0,
        .iterations = w->iterations,
        .contacts = w->coupling.pushing,
        .contacts_most = w->coupling.most_pushing,
        .contact_pivots = w->coupling.result.pivots + w->coupling.result.block_steps +
                          w->coupling.result.iterations,
        .contact_residual = w->coupling.result.residual,
        .contact_radius = w->coupling.def.radius,
        .overlap_bodies = w->coupling.overlap_bodies,
        .overlap_fluid = w->coupling.overlap_fluid,
    };
}
