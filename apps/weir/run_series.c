/* Time series of a run: readings of the probes and statistics of the whole, as CSV. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_BYTES = 4096 };

double run_next_due(double time, double every)
{
    return every > 0 ? every * (floor(time / every + 1e-9) + 1) : 0;
}

bool run_is_due(double time, double due, double every)
{
    return time >= due - 1e-9 * every;
}

/* ----------------------------------------------------------------------- probes */

static bool open_probes(run *r, double resume_time, weir_error *error)
{
    int count = weir_world_probe_count(r->world), columns = 0;
    char path[PATH_BYTES];
    char(*names)[100] = calloc((size_t)count * 3, sizeof *names);
    const char **list = calloc((size_t)count * 3, sizeof *list);
    bool ok = names && list;
    for (int k = 0; ok && k < count; k++) {
        weir_probe_reading reading = weir_world_read_probe(r->world, k);
        for (int c = 0; c < reading.components; c++, columns++) {
            const char *axis[] = {"_x", "_y", "_z"};
            snprintf(names[columns], sizeof names[0], "%.90s%s", reading.name,
                     reading.components > 1 ? axis[c] : "");
            list[columns] = names[columns];
        }
    }
    snprintf(path, sizeof path, "%s/probes.csv", r->folder);
    ok = ok ? csv_open(&r->output.probes, path, list, columns, resume_time, error)
            : fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the probes");
    r->output.has_probes = ok;
    free(list);
    free(names);
    return ok;
}

static bool write_probes(run *r, double time, weir_error *error)
{
    int count = weir_world_probe_count(r->world), columns = 0;
    double *values = calloc((size_t)count * 3, sizeof *values);
    if (!values)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the probes");
    for (int k = 0; k < count; k++) {
        weir_probe_reading reading = weir_world_read_probe(r->world, k);
        for (int c = 0; c < reading.components; c++)
            values[columns++] = reading.value[c];
    }
    bool ok = csv_add(&r->output.probes, time, values, error);
    free(values);
    return ok;
}

/* ------------------------------------------------------------------- statistics */

static const char *const columns[] = {
    "particles",
    "kinetic_energy",
    "potential_energy",
    "body_kinetic_energy",
    "body_potential_energy",
    "total_energy",
    "compression_mean",
    "compression_max",
    "bulk_error_mean",
    "bulk_error_max",
    "volume_error",
    "speed_max",
    "substeps",
    "iterations",
    "residual",
    "particles_asleep",
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* A row is due when a frame is. A run that resumes has the row of its checkpoint already. */
static bool open_statistics(run *r, double resume_time, weir_error *error)
{
    char path[PATH_BYTES];
    double every = r->s->data.output.every;
    r->output.next_statistics = isfinite(resume_time) ? run_next_due(resume_time, every) : 0;
    snprintf(path, sizeof path, "%s/statistics.csv", r->folder);
    r->output.has_statistics =
        csv_open(&r->output.statistics, path, columns, COLUMNS, resume_time, error);
    return r->output.has_statistics;
}

static bool write_statistics(run *r, double time, weir_error *error)
{
    weir_statistics s = weir_world_get_statistics(r->world);
    weir_solve_info solve = weir_world_get_solve_info(r->world);
    bool solves = solve.iterations > 0;
    double values[COLUMNS] = {
        (double)s.particles,
        s.kinetic_energy,
        s.potential_energy,
        s.body_kinetic_energy,
        s.body_potential_energy,
        s.total_energy,
        s.compression_mean,
        s.compression_max,
        s.bulk_error_mean,
        s.bulk_error_max,
        s.volume_error,
        s.speed_max,
        (double)s.substeps,
        solves ? (double)(solve.velocity_iterations + solve.position_iterations) : NAN,
        solves ? fmax(solve.velocity_residual, solve.position_residual) : NAN,
        (double)s.particles_asleep,
    };
    return csv_add(&r->output.statistics, time, values, error);
}

/* -------------------------------------------------------------------------- all */

bool run_series_open(run *r, double resume_time, weir_error *error)
{
    if (weir_world_probe_count(r->world) > 0 && !open_probes(r, resume_time, error))
        return false;
    return open_statistics(r, resume_time, error);
}

bool run_series_step(run *r, double time, weir_error *error)
{
    const scene_output *o = &r->s->data.output;
    if (r->output.has_probes && run_is_due(time, r->clock.next_probe, o->probes_every)) {
        if (!write_probes(r, time, error))
            return false;
        r->clock.next_probe = run_next_due(time, o->probes_every);
    }
    if (run_is_due(time, r->output.next_statistics, o->every)) {
        if (!write_statistics(r, time, error))
            return false;
        r->output.next_statistics = run_next_due(time, o->every);
    }
    return true;
}

bool run_series_close(run *r, weir_error *error)
{
    bool ok = !r->output.has_probes || csv_close(&r->output.probes, error);
    if (r->output.has_statistics)
        ok = csv_close(&r->output.statistics, ok ? error : NULL) && ok;
    r->output.has_probes = r->output.has_statistics = false;
    return ok;
}
