/* What a run says at its end: the report, and a few lines of it for people. */
#include "run.h"

#include "out/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fill_report(const run *r, report *out)
{
    uint64_t substeps = weir_world_get_statistics(r->world).substeps;
    *out = (report){
        .scene = r->s,
        .world = r->world,
        .status = r->status,
        .failure = r->failure[0] ? r->failure : NULL,
        .threads = load_threads(&r->options->load),
        .simd = load_simd(&r->options->load),
        .dt = r->s->data.time.step,
        .wall = r->clock.wall,
        .wall_here = r->wall_here,
        .steps_here = r->done - r->first_step,
        .substeps_here = substeps - r->first_substep,
        .initial_energy = r->clock.initial_energy,
        .limit = weir_world_get_step_limit(r->world, NULL),
        .resumed_from = r->options->resume,
        .warnings = r->warnings,
        .warning_count = r->warning_count,
    };
}

bool run_write_report(run *r, weir_error *error)
{
    report content;
    json j = {0};
    fill_report(r, &content);
    report_write(&j, &content);
    bool ok = !j.failed || fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the report");
    if (ok) {
        file_writer w;
        file_begin(&w, r->report_path);
        file_write(&w, j.text, j.length);
        ok = file_commit(&w, error);
    }
    if (!j.failed && r->options->json)
        fputs(j.text, stdout);
    json_free(&j);
    return ok;
}

static void print_energy(const run *r, const weir_statistics *s)
{
    printf("  energy         %.4g J kinetic, %.4g J potential; %+.3g J since the start\n",
           s->kinetic_energy + s->body_kinetic_energy,
           s->potential_energy + s->body_potential_energy,
           s->total_energy - r->clock.initial_energy);
}

static void print_timing(const run *r, const weir_statistics *s)
{
    double here = (double)(r->done - r->first_step), dt = r->s->data.time.step;
    weir_step_limit limit = weir_world_get_step_limit(r->world, NULL);
    printf("  steps          %llu of %.4g s, %.4g s simulated\n", (unsigned long long)s->steps, dt,
           s->time);
    if (here > 0)
        printf("  substeps       %.3g a step; stable up to %.3g s (%s)\n",
               (double)(s->substeps - r->first_substep) / here, limit.seconds, limit.cause);
    if (here > 0 && r->wall_here > 0)
        printf("  wall time      %.4g s, %.4g ms a step, %.3g times real time, %d thread%s\n",
               r->wall_here, 1000 * r->wall_here / here, dt * here / r->wall_here,
               load_threads(&r->options->load), load_threads(&r->options->load) == 1 ? "" : "s");
}

static void print_places(const run *r)
{
    const scene_output *o = &r->s->data.output;
    if (o->frames >> SCENE_FRAMES_VTP & 1)
        printf("  frames         %.0f, in %s/particles.pvd (open it in ParaView)\n",
               r->clock.frames, r->folder);
    else if (o->frames)
        printf("  frames         %.0f, in %s/frames\n", r->clock.frames, r->folder);
    if (r->output.has_meshes)
        printf("  surfaces       %s/frames/surface_*.%s\n", r->folder,
               surface_format_name(r->output.mesh));
    if (weir_world_probe_count(r->world) > 0)
        printf("  probes         %s/probes.csv\n", r->folder);
    if (r->checkpoint_time >= 0)
        printf("  checkpoint     %s (at %.4g s)\n", r->checkpoint_path, r->checkpoint_time);
    printf("  report         %s\n", r->report_path);
}

void run_print_summary(run *r)
{
    weir_statistics s = weir_world_get_statistics(r->world);
    weir_counters c = weir_world_get_counters(r->world);
    const char *title = r->s->data.title[0] ? r->s->data.title : r->s->name;
    printf("%s: %s\n", title, r->status);
    printf("  particles      %zu, %.4g kg, %.3g MB of memory\n", s.particles, s.mass,
           (double)c.peak_bytes / 1e6);
    if (s.particles_asleep > 0)
        printf("  asleep         %zu of them\n", s.particles_asleep);
    if (c.springs > 0)
        printf("  springs        %zu, %.3g MB of it\n", c.springs, (double)c.spring_bytes / 1e6);
    print_timing(r, &s);
    weir_solve_info solve = weir_world_get_solve_info(r->world);
    if (solve.contacts_most > 0)
        printf("  contacts       %zu pushed in the last substep, at most %zu in one; bodies "
               "overlapped "
               "by %.2g %% of a radius at most\n",
               solve.contacts, solve.contacts_most,
               100 * solve.overlap_bodies / solve.contact_radius);
    printf("  density error  %.2g %% mean, %.2g %% max in the bulk; compression %.2g %% mean\n",
           100 * s.bulk_error_mean, 100 * s.bulk_error_max, 100 * s.compression_mean);
    printf("  volume error   %+.2g %%\n", 100 * s.volume_error);
    print_energy(r, &s);
    for (size_t k = 0; k < r->warning_count; k++)
        printf("  warning        %s\n", r->warnings[k]);
    print_places(r);
}

/* An argument as a shell reads it back. */
static void print_quoted(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=,:+%@";
    if (text[0] && strspn(text, plain) == strlen(text)) {
        fprintf(stderr, " %s", text);
        return;
    }
    fputs(" '", stderr);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stderr);
        else
            fputc(*text, stderr);
    fputc('\'', stderr);
}

void run_print_resume(const run *r, int argc, char **argv)
{
    fputs("weir: interrupted; to resume:\n  weir run", stderr);
    for (int k = 0; k < argc; k++) {
        /* The new checkpoint takes the place of the one that this run came from. */
        if (strcmp(argv[k], "--resume") == 0)
            k++;
        else if (strncmp(argv[k], "--resume=", 9) != 0)
            print_quoted(argv[k]);
    }
    fputs(" --resume", stderr);
    print_quoted(r->checkpoint_path);
    fputc('\n', stderr);
}
