/* Frames of a run, at the steps that reach their times. */
#include "run.h"

#include "out/bgeo.h"
#include "out/leftovers.h"
#include "out/ply.h"
#include "out/scene_copy.h"
#include "out/vtp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 32, PATH_BYTES = 4096, VTP_COMPRESSION = 1 };

/* ----------------------------------------------------------------------- frames */

/* Before the first step no method has computed densities: the fluids' own stand for them. */
static const float *rest_density(run *r, const weir_particle_view *p)
{
    free(r->output.rest_density);
    r->output.rest_density = malloc((p->count + 1) * sizeof(float));
    for (size_t i = 0; r->output.rest_density && i < p->count; i++)
        r->output.rest_density[i] = (float)scene_fluid_def(r->s, p->fluid[i]).density;
    return r->output.rest_density;
}

static size_t list_fields(run *r, const weir_particle_view *p, frame_field fields[MAX_FIELDS])
{
    uint32_t wanted = r->s->data.output.fields;
    size_t count = 0;
    /* Without it nobody could tell the fluids apart. */
    if (r->s->data.fluid_count > 1)
        wanted |= (uint32_t)1 << SCENE_FIELD_FLUID;
    for (int k = 0; scene_field_name(k) && count < MAX_FIELDS; k++) {
        const char *name = scene_field_name(k);
        frame_field f = {.name = name, .type = FRAME_F32, .components = 1};
        if (k == SCENE_FIELD_VELOCITY) {
            f.components = 3;
            memcpy(f.data, p->velocity, sizeof f.data);
        } else if (k == SCENE_FIELD_ID) {
            f.type = FRAME_U32;
            f.data[0] = p->id;
        } else if (k == SCENE_FIELD_FLUID) {
            f.type = FRAME_U8;
            f.data[0] = p->fluid;
        } else {
            f.data[0] = r->done == 0 && strcmp(name, "density") == 0
                            ? rest_density(r, p)
                            : weir_world_get_field(r->world, name);
        }
        if ((wanted >> k & 1) && (f.data[0] || p->count == 0))
            fields[count++] = f;
    }
    return count;
}

static size_t list_bodies(const run *r, frame_body *bodies, size_t most)
{
    weir_body_state state;
    size_t count = 0;
    for (int k = 0;
         count < most && weir_body_get_state(r->world, weir_world_body_at(r->world, k), &state);
         k++)
        bodies[count++] = (frame_body){state.name, state.pose, state.velocity, state.spin};
    return count;
}

static bool write_vtp(run *r, const frame *f, const char *number, weir_error *error)
{
    char name[80], path[PATH_BYTES];
    snprintf(name, sizeof name, "frames/particles_%s.vtp", number);
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    return vtp_write(path, f, VTP_COMPRESSION, error) &&
           pvd_add(&r->output.particles, f->time, name, error);
}

static bool write_solids(run *r, const frame *f, const char *number, weir_error *error)
{
    char name[80], path[PATH_BYTES];
    snprintf(name, sizeof name, "frames/solids_%s.vtp", number);
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    return vtp_write_bodies(path, f, error) && pvd_add(&r->output.bodies, f->time, name, error);
}

static bool write_formats(run *r, const frame *f, weir_error *error)
{
    uint32_t formats = r->s->data.output.frames;
    char number[24], path[PATH_BYTES];
    snprintf(number, sizeof number, "%05.0f", r->clock.frames);
    if ((formats >> SCENE_FRAMES_VTP & 1) && !write_vtp(r, f, number, error))
        return false;
    if (r->output.has_bodies && !write_solids(r, f, number, error))
        return false;
    if (r->output.has_contacts && !run_contacts_write(r, f->time, number, error))
        return false;
    snprintf(path, sizeof path, "%s/frames/particles_%s.ply", r->folder, number);
    if ((formats >> SCENE_FRAMES_PLY & 1) && !ply_write(path, f, error))
        return false;
    snprintf(path, sizeof path, "%s/frames/particles_%s.bgeo", r->folder, number);
    return !(formats >> SCENE_FRAMES_BGEO & 1) || bgeo_write(path, f, error);
}

static bool write_mesh(run *r, const weir_particle_view *p, weir_error *error)
{
    char path[PATH_BYTES];
    surface_settings settings = surface_settings_default();
    settings.threads = load_threads(&r->options->load);
    surface_particles particles = surface_particles_of(p, r->s->data.dim, r->s->data.spacing);
    snprintf(path, sizeof path, "%s/frames/surface_%05.0f.%s", r->folder, r->clock.frames,
             surface_format_name(r->output.mesh));
    return surface_file_write(path, r->output.mesh, &particles, &settings, NULL, error);
}

static bool write_frame(run *r, double time, weir_error *error)
{
    weir_particle_view p = weir_world_get_particles(r->world);
    frame_field fields[MAX_FIELDS];
    size_t solids = r->s->data.solid_count + r->s->data.body_count;
    frame_body *bodies = calloc(solids + 1, sizeof *bodies);
    if (!bodies)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a frame");
    frame f = {.dim = r->s->data.dim,
               .step = r->done,
               .time = time,
               .count = p.count,
               .fields = fields,
               .bodies = bodies};
    memcpy(f.x, p.position, sizeof f.x);
    f.field_count = list_fields(r, &p, fields);
    f.body_count = list_bodies(r, bodies, solids);
    bool ok = write_formats(r, &f, error) && (!r->output.has_meshes || write_mesh(r, &p, error));
    free(bodies);
    if (ok)
        r->clock.frames++;
    return ok;
}

/* -------------------------------------------------------------------------- all */

static bool is_moving(const run *r)
{
    bool moving = r->s->data.body_count > 0;
    for (size_t k = 0; k < r->s->data.solid_count; k++)
        moving = moving || r->s->data.solids[k].motion.node;
    return moving;
}

static bool open_index(run *r, double resume_time, weir_error *error)
{
    char path[PATH_BYTES];
    if (r->s->data.output.frames >> SCENE_FRAMES_VTP & 1) {
        snprintf(path, sizeof path, "%s/particles.pvd", r->folder);
        r->output.has_index = pvd_open(&r->output.particles, path, resume_time, error);
        if (!r->output.has_index)
            return false;
    }
    if (!is_moving(r))
        return true;
    snprintf(path, sizeof path, "%s/solids.pvd", r->folder);
    r->output.has_bodies = pvd_open(&r->output.bodies, path, resume_time, error);
    if (!r->output.has_bodies || r->s->data.body_count == 0)
        return r->output.has_bodies;
    snprintf(path, sizeof path, "%s/contacts.pvd", r->folder);
    r->output.has_contacts = pvd_open(&r->output.contacts, path, resume_time, error);
    return r->output.has_contacts;
}

/* What `weir render` needs to know of the run beside its frames. */
static bool copy_scene(const run *r, weir_error *error)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/scene.yaml", r->folder);
    return scene_copy_write(path, r->s, error);
}

bool run_output_open(run *r, double resume_time, weir_error *error)
{
    char path[PATH_BYTES];
    bool has_frames = r->s->data.output.frames || r->output.has_meshes;
    if (snprintf(path, sizeof path, "%s/frames", r->folder) >= PATH_BYTES - 100)
        return fail(error, WEIR_INVALID, "the name of the output folder is too long");
    leftovers_remove(r->folder);
    leftovers_remove(path);
    return file_make_folder(has_frames ? path : r->folder, error) && copy_scene(r, error) &&
           run_series_open(r, resume_time, error) &&
           (!has_frames || open_index(r, resume_time, error));
}

bool run_output_step(run *r, weir_error *error)
{
    const scene_output *o = &r->s->data.output;
    double time = weir_world_get_time(r->world);
    if (!run_series_step(r, time, error))
        return false;
    if ((o->frames || r->output.has_meshes) && run_is_due(time, r->clock.next_frame, o->every)) {
        if (!write_frame(r, time, error))
            return false;
        r->clock.next_frame = run_next_due(time, o->every);
    }
    return true;
}

bool run_output_close(run *r, weir_error *error)
{
    return run_series_close(r, error);
}

void run_output_free(run *r)
{
    run_output_close(r, NULL);
    if (r->output.has_index)
        pvd_close(&r->output.particles);
    if (r->output.has_bodies)
        pvd_close(&r->output.bodies);
    if (r->output.has_contacts)
        pvd_close(&r->output.contacts);
    free(r->output.rest_density);
}
