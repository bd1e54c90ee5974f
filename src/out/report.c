#include "out/report.h"

#include "out/submerged.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_STAGES = 32 };

static void write_vector(json *j, const char *key, vec3 v)
{
    json_vector(j, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void write_text(json *j, const char *key, const char *text)
{
    if (text)
        json_string(j, key, text);
    else
        json_null(j, key);
}

static void write_scene(json *j, const report *r)
{
    const scene_data *d = &r->scene->data;
    json_object_begin(j, "scene");
    json_string(j, "name", r->scene->name);
    json_string(j, "file", r->scene->path);
    json_string(j, "title", d->title);
    json_object_end(j);
    json_string(j, "status", r->status);
    json_bool(j, "interrupted", strcmp(r->status, "interrupted") == 0);
    write_text(j, "failure", r->failure);
    write_text(j, "resumed_from", r->resumed_from);
    json_integer(j, "dim", d->dim);
    json_number(j, "spacing", d->spacing);
    json_number(j, "kernel_radius", scene_support(d) * d->spacing);
}

/* Parameters as they are used, derived ones filled in. */
static void write_method(json *j, const report *r)
{
    const weir_method_info *info = weir_method_get_info((weir_method)r->scene->data.method.name);
    json_string(j, "method", info->name);
    json_object_begin(j, "parameters");
    for (int k = 0; k < info->parameter_count; k++) {
        const weir_parameter *p = &info->parameters[k];
        double value = weir_world_get_parameter(r->world, p->name);
        if (p->choices)
            json_string(j, p->name, p->choices[(int)value]);
        else
            json_number(j, p->name, value);
    }
    json_object_end(j);
}

static void write_timing(json *j, const report *r, const weir_statistics *s)
{
    double steps = (double)r->steps_here;
    json_integer(j, "steps", (int64_t)s->steps);
    json_integer(j, "substeps", (int64_t)s->substeps);
    json_number(j, "dt", r->dt);
    json_number(j, "simulated_s", s->time);
    json_number(j, "wall_s", r->wall);
    json_number(j, "ms_per_step", 1000 * r->wall_here / steps);
    json_number(j, "real_time_factor", r->dt * steps / r->wall_here);
    weir_stage_time stages[MAX_STAGES];
    int count = weir_world_get_profile(r->world, stages, MAX_STAGES);
    json_object_begin(j, "stages");
    for (int k = 0; k < count; k++)
        json_number(j, stages[k].name, 1000 * stages[k].seconds / steps);
    json_object_end(j);
    json_object_begin(j, "step_limit");
    json_number(j, "seconds", r->limit.seconds);
    json_string(j, "cause", r->limit.cause ? r->limit.cause : "none");
    json_number(j, "sound_speed", r->limit.sound_speed);
    json_number(j, "substeps_per_step", (double)r->substeps_here / steps);
    json_object_end(j);
}

/* Iterations and residuals of the last substep; null for methods without a solver. */
static void write_solver(json *j, const report *r)
{
    weir_solve_info info = weir_world_get_solve_info(r->world);
    if (info.iterations == 0) {
        json_null(j, "iterations");
        json_null(j, "residual");
        json_null(j, "rows");
        return;
    }
    json_object_begin(j, "iterations");
    json_integer(j, "velocity", info.velocity_iterations);
    json_integer(j, "position", info.position_iterations);
    json_integer(j, "total", (int64_t)info.iterations);
    json_object_end(j);
    json_object_begin(j, "residual");
    json_number(j, "velocity", info.velocity_residual);
    json_number(j, "position", info.position_residual);
    json_object_end(j);
    json_object_begin(j, "rows");
    json_integer(j, "density", (int64_t)info.density_rows);
    json_integer(j, "joint", (int64_t)info.joint_rows);
    json_integer(j, "contact", (int64_t)info.rows);
    json_object_end(j);
}

/* Particles inside of bodies that forces move. */
static size_t count_inside(const weir_world *world)
{
    weir_particle_view p = weir_world_get_particles(world);
    size_t count = 0;
    for (size_t i = 0; i < p.count; i++) {
        weir_vec3 at = {p.position[0][i], p.position[1][i], p.position[2] ? p.position[2][i] : 0};
        weir_body_id nearest;
        weir_body_state state;
        if (weir_world_distance(world, at, &nearest) < 0 &&
            weir_body_get_state(world, nearest, &state))
            count += state.kind == WEIR_BODY_DYNAMIC;
    }
    return count;
}

/* Coupling by contacts: how many pushed, and how their problem was solved, in the last substep. */
static void write_contacts(json *j, const report *r)
{
    weir_solve_info info = weir_world_get_solve_info(r->world);
    if (info.contacts_most == 0) {
        json_null(j, "contacts");
        return;
    }
    json_object_begin(j, "contacts");
    json_integer(j, "pushing", (int64_t)info.contacts);
    json_integer(j, "most", (int64_t)info.contacts_most);
    json_integer(j, "pivots", info.contact_pivots);
    json_number(j, "residual", info.contact_residual);
    json_number(j, "radius", info.contact_radius);
    json_number(j, "overlap_bodies", info.overlap_bodies);
    json_number(j, "overlap_fluid", info.overlap_fluid);
    json_integer(j, "fluid_inside", (int64_t)count_inside(r->world));
    json_object_end(j);
}

static void write_state(json *j, const report *r, const weir_statistics *s)
{
    json_object_begin(j, "density");
    json_number(j, "compression_mean", s->compression_mean);
    json_number(j, "compression_max", s->compression_max);
    json_number(j, "interior_compression_mean", s->interior_compression_mean);
    json_number(j, "interior_compression_max", s->interior_compression_max);
    json_number(j, "bulk_error_mean", s->bulk_error_mean);
    json_number(j, "bulk_error_max", s->bulk_error_max);
    json_integer(j, "bulk_particles", (int64_t)s->bulk_particles);
    json_object_end(j);
    json_number(j, "mass", s->mass);
    json_number(j, "volume", s->volume);
    json_number(j, "volume_error", s->volume_error);
    json_object_begin(j, "energy");
    json_number(j, "kinetic", s->kinetic_energy);
    json_number(j, "potential", s->potential_energy);
    json_number(j, "body_kinetic", s->body_kinetic_energy);
    json_number(j, "body_potential", s->body_potential_energy);
    json_number(j, "total", s->total_energy);
    json_number(j, "initial", r->initial_energy);
    json_object_end(j);
    write_vector(j, "momentum", s->momentum);
    write_vector(j, "angular_momentum", s->angular_momentum);
    json_number(j, "speed_max", s->speed_max);
}

static void write_body(json *j, const weir_body_state *b, double submerged)
{
    static const char *const kinds[] = {"static", "animated", "dynamic"};
    quat q = b->pose.rotation;
    json_object_begin(j, NULL);
    json_string(j, "name", b->name);
    json_string(j, "kind", kinds[b->kind]);
    json_number(j, "mass", b->mass);
    write_vector(j, "position", b->pose.position);
    write_vector(j, "centre", b->centre);
    json_vector(j, "rotation", (const double[]){q.x, q.y, q.z, q.w}, 4);
    write_vector(j, "velocity", b->velocity);
    write_vector(j, "spin", b->spin);
    json_object_begin(j, "force");
    write_vector(j, "pressure", b->pressure_force);
    write_vector(j, "viscous", b->viscous_force);
    write_vector(j, "contact", b->contact_force);
    write_vector(j, "joint", b->joint_force);
    json_object_end(j);
    write_vector(j, "torque", b->torque);
    json_number(j, "submerged_fraction", submerged);
    json_object_end(j);
}

static void write_bodies(json *j, const report *r)
{
    weir_body_state state;
    json_array_begin(j, "bodies");
    for (int k = 0; weir_body_get_state(r->world, weir_world_body_at(r->world, k), &state); k++)
        write_body(j, &state, submerged_fraction(r->world, k));
    json_array_end(j);
}

static void write_joint(json *j, const weir_joint_state *state)
{
    static const char *const kinds[] = {"ball", "hinge", "slider", "lock", "distance", "spring"};
    json_object_begin(j, NULL);
    json_string(j, "name", state->name);
    json_string(j, "kind", kinds[state->kind]);
    json_bool(j, "broken", state->broken);
    json_number(j, "position", state->position);
    json_number(j, "speed", state->speed);
    write_vector(j, "force", state->force);
    write_vector(j, "torque", state->torque);
    json_number(j, "effort", state->effort);
    json_number(j, "drift", state->drift);
    json_object_end(j);
}

static void write_joints(json *j, const report *r)
{
    json_array_begin(j, "joints");
    for (int k = 0; k < weir_world_joint_count(r->world); k++) {
        weir_joint_state state = weir_world_joint_state(r->world, k);
        write_joint(j, &state);
    }
    json_array_end(j);
}

static void write_flow(json *j, weir_flow_state flow)
{
    json_object_begin(j, NULL);
    json_string(j, "name", flow.name);
    json_integer(j, "particles", (int64_t)flow.particles);
    json_number(j, "volume", flow.volume);
    json_object_end(j);
}

static void write_flows(json *j, const report *r)
{
    json_array_begin(j, "emitters");
    for (int k = 0; k < weir_world_emitter_count(r->world); k++)
        write_flow(j, weir_world_emitter_state(r->world, k));
    json_array_end(j);
    json_array_begin(j, "sinks");
    for (int k = 0; k < weir_world_sink_count(r->world); k++)
        write_flow(j, weir_world_sink_state(r->world, k));
    json_array_end(j);
    json_object_begin(j, "probes");
    for (int k = 0; k < weir_world_probe_count(r->world); k++) {
        weir_probe_reading reading = weir_world_read_probe(r->world, k);
        if (reading.components == 1)
            json_number(j, reading.name, reading.value[0]);
        else
            json_vector(j, reading.name, reading.value, reading.components);
    }
    json_object_end(j);
}

static void write_machine(json *j, const report *r)
{
    weir_counters c = weir_world_get_counters(r->world);
    json_object_begin(j, "memory");
    json_integer(j, "bytes", (int64_t)c.bytes);
    json_integer(j, "peak_bytes", (int64_t)c.peak_bytes);
    json_integer(j, "allocations", (int64_t)c.allocations);
    json_object_end(j);
    if (c.spring_bytes > 0) {
        json_object_begin(j, "springs");
        json_integer(j, "count", (int64_t)c.springs);
        json_integer(j, "changed", (int64_t)c.springs_changed);
        json_integer(j, "bytes", (int64_t)c.spring_bytes);
        json_object_end(j);
    }
    json_integer(j, "threads", r->threads);
    json_string(j, "simd", r->simd);
}

void report_write(json *j, const report *r)
{
    weir_statistics s = weir_world_get_statistics(r->world);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, weir_world_hash(r->world));
    json_object_begin(j, NULL);
    json_string(j, "weir", WEIR_VERSION);
    write_scene(j, r);
    write_method(j, r);
    json_integer(j, "particles", (int64_t)s.particles);
    json_integer(j, "particles_asleep", (int64_t)s.particles_asleep);
    write_timing(j, r, &s);
    write_solver(j, r);
    write_contacts(j, r);
    write_state(j, r, &s);
    write_bodies(j, r);
    write_joints(j, r);
    write_flows(j, r);
    write_machine(j, r);
    json_string(j, "hash", hash);
    json_array_begin(j, "warnings");
    for (size_t k = 0; k < r->warning_count; k++)
        json_string(j, NULL, r->warnings[k]);
    json_array_end(j);
    json_object_end(j);
}
