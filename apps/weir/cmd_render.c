/* weir render: pictures and films of scenes and results. Several sources, or one scene with several
 * methods, are shown side by side. */
#include "interrupt.h"
#include "render.h"

#include "out/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MIN_SIZE = 16 }; /* pixels */

#define VALUE(member) offsetof(render_options, member)

static const option options[] = {
    {"--out", "FILE", OPTION_TEXT, VALUE(out), 0,
     "Picture (.png) or film (.mp4, .gif); RESULTS/picture.png without it."},
    {"--size", "WxH", OPTION_TEXT, VALUE(size), 0, "Pixels; 1280x720 without it."},
    {"--look", "LOOK", OPTION_TEXT, VALUE(look), 0,
     "The fluid as water, splats (faster), mesh (opaque) or particles."},
    {"--color", "FIELD", OPTION_TEXT, VALUE(color), 0,
     "Particles by density, pressure, velocity, fluid or another field."},
    {"--range", "LOW,HIGH", OPTION_TEXT, VALUE(range), 0, "Values at the ends of the colours."},
    {"--frame", "N", OPTION_INTEGER, VALUE(frame), 0, "The N-th output frame, from 0."},
    LOAD_OPTIONS(render_options, load),
    {"--fps", "N", OPTION_NUMBER, VALUE(fps), 0, "Pictures per second of a film; 30 without it."},
    {"--speed", "X", OPTION_NUMBER, VALUE(speed), 0,
     "Speed of a film: 0.5 is slow motion, 1 real time."},
    {"--caption", NULL, OPTION_FLAG, VALUE(caption), 0, "Write title, time and method into it."},
    {"--orbit", NULL, OPTION_FLAG, VALUE(orbit), 0, "Turn the camera around the scene (3D films)."},
    {"--vectors", NULL, OPTION_FLAG, VALUE(vectors), 0, "Draw velocities as arrows."},
    {"--contacts", NULL, OPTION_FLAG, VALUE(contacts), 0,
     "Draw the points where bodies touch in red."},
    {"--compare", "M1,M2", OPTION_TEXT, VALUE(compare), 0,
     "Run the scene with several methods and show them side by side."},
    {"--povray", "FILE", OPTION_TEXT, VALUE(povray), 0,
     "Write the moment as a POV-Ray scene (3D)."},
    {"--within", "S", OPTION_SECONDS, VALUE(within), 0,
     "Run a scene for at most S seconds of the clock and draw how far it came."},
    {"--quiet", NULL, OPTION_FLAG, VALUE(quiet), 0, "No progress, no summary."},
};

/* ----------------------------------------------------------------- options */

static bool has_ending(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

static int read_size(render *r)
{
    char rest;
    const char *text = r->options->size;
    r->width = 1280;
    r->height = 720;
    if (!text)
        return EXIT_OK;
    if (sscanf(text, "%dx%d%c", &r->width, &r->height, &rest) == 2 && r->width >= MIN_SIZE &&
        r->height >= MIN_SIZE && r->width <= DRAW_MAX_SIZE && r->height <= DRAW_MAX_SIZE)
        return EXIT_OK;
    return command_fail(EXIT_USAGE,
                        "--size: '%s' is not allowed: must be like 1280x720, each side %d to %d",
                        text, MIN_SIZE, DRAW_MAX_SIZE);
}

static int read_look(const render_options *o, show_style *style)
{
    static const char *const looks[] = {[SHOW_PARTICLES] = "particles",
                                        [SHOW_WATER] = "water",
                                        [SHOW_SPLATS] = "splats",
                                        [SHOW_MESH] = "mesh"};
    style->look = o->color || o->vectors ? SHOW_PARTICLES : SHOW_WATER;
    if (!o->look)
        return EXIT_OK;
    for (size_t k = 0; k < sizeof looks / sizeof looks[0]; k++)
        if (strcmp(looks[k], o->look) == 0) {
            style->look = (show_look)k;
            if (o->color && style->look != SHOW_PARTICLES)
                return command_fail(EXIT_USAGE, "--color is for --look particles, not %s", o->look);
            return EXIT_OK;
        }
    return command_fail(EXIT_USAGE,
                        "--look: '%s' is not allowed: must be water, splats, mesh or particles",
                        o->look);
}

static int read_range(const render_options *o, show_style *style)
{
    char rest;
    style->low = INFINITY;
    style->high = -INFINITY;
    if (!o->range)
        return EXIT_OK;
    style->has_range = sscanf(o->range, "%lf,%lf%c", &style->low, &style->high, &rest) == 2 &&
                       isfinite(style->low) && isfinite(style->high) && style->low < style->high;
    return style->has_range ? EXIT_OK
                            : command_fail(EXIT_USAGE,
                                           "--range: '%s' is not allowed: must be two numbers, the "
                                           "lower first, such as 990,1010",
                                           o->range);
}

static int read_style(const render *r, show_style *style)
{
    const render_options *o = r->options;
    *style = (show_style){.color = o->color,
                          .caption = o->caption,
                          .vectors = o->vectors,
                          .contacts = o->contacts,
                          .surface = surface_settings_default()};
    style->surface.threads = load_threads(&o->load);
    int code = read_look(o, style);
    return code == EXIT_OK ? read_range(o, style) : code;
}

/* "sph,pbf" to names. */
static int read_compare(render *r)
{
    const render_options *o = r->options;
    if (!o->compare)
        return EXIT_OK;
    if (o->arguments.count > 1 || o->load.method)
        return command_fail(EXIT_USAGE, "--compare takes one scene and no --method");
    r->methods = strdup(o->compare);
    if (!r->methods)
        return command_fail(EXIT_FAILED, "memory ran out");
    for (char *rest = r->methods, *name; (name = strsep(&rest, ",")) != NULL;) {
        weir_method method;
        if (!weir_method_find(name, &method))
            return command_fail(
                EXIT_USAGE, "--compare: there is no method '%s'; see 'weir info methods'", name);
        if (r->method_count == MAX_PANELS)
            return command_fail(EXIT_USAGE, "--compare: at most %d methods", MAX_PANELS);
        r->method_names[r->method_count++] = name;
    }
    return EXIT_OK;
}

/* ------------------------------------------------------------------ panels */

static int open_panel(render *r, panel *p, const char *path, const char *method)
{
    load_options load = r->options->load;
    int code = read_style(r, &p->style);
    if (method)
        load.method = method;
    if (code == EXIT_OK)
        code = show_open(&p->source, path, &load);
    if (code != EXIT_OK)
        return code;
    const scene *s = p->source.s;
    p->source.patience = r->options->within;
    const char *name = p->source.world ? s->name : p->source.path;
    const char *title = method ? method : s->data.title[0] ? s->data.title : name;
    snprintf(p->title, sizeof p->title, "%s", title);
    if (r->options->caption || method || r->options->arguments.count > 1)
        p->style.title = p->title;
    p->style.width = r->width / r->columns;
    p->style.height = r->height / r->rows;
    return EXIT_OK;
}

static int open_panels(render *r)
{
    size_t count = r->method_count ? r->method_count : r->options->arguments.count;
    int code = EXIT_OK;
    r->panels = calloc(count, sizeof *r->panels);
    if (!r->panels)
        return command_fail(EXIT_FAILED, "memory ran out");
    /* Up to three stand side by side; more make a sheet. */
    r->columns = count <= 3 ? (int)count : (int)ceil(sqrt((double)count));
    r->rows = ((int)count + r->columns - 1) / r->columns;
    for (size_t k = 0; k < count && code == EXIT_OK; k++) {
        const char *path = r->options->arguments.items[r->method_count ? 0 : k];
        r->count = k + 1;
        code = open_panel(r, &r->panels[k], path, r->method_count ? r->method_names[k] : NULL);
    }
    return code;
}

/* --------------------------------------------------------------------- all */

/* Where the picture goes without --out: to the results. */
static char *default_out(const render *r)
{
    const show *first = &r->panels[0].source;
    const char *name = r->count > 1 ? "compare" : "picture";
    char *path;
    int length = first->world ? asprintf(&path, "out/%s/%s.png", first->s->name, name)
                              : asprintf(&path, "%s/%s.png", first->results.folder, name);
    return length < 0 ? NULL : path;
}

static int prepare_out(render *r)
{
    weir_error error;
    if (!r->options->out && r->options->povray)
        return EXIT_OK;
    r->out = r->options->out ? strdup(r->options->out) : default_out(r);
    char *folder = r->out ? strdup(r->out) : NULL;
    if (!folder)
        return command_fail(EXIT_FAILED, "memory ran out");
    char *slash = strrchr(folder, '/');
    bool done = true;
    if (slash && slash > folder) {
        *slash = '\0';
        done = file_make_folder(folder, &error) && file_check_folder(folder, NULL, &error);
    }
    free(folder);
    return done ? EXIT_OK : command_fail(EXIT_FAILED, "%s", error.text);
}

/* What can be wrong without looking at any file. */
static int check_options(render *r)
{
    const render_options *o = r->options;
    show_style style;
    if (o->out && !has_ending(o->out, ".png") && !has_ending(o->out, ".mp4") &&
        !has_ending(o->out, ".gif"))
        return command_fail(EXIT_USAGE,
                            "--out: '%s' is not allowed: must end in .png, .mp4 or .gif", o->out);
    r->is_film = o->out && !has_ending(o->out, ".png");
    if (r->is_film && o->povray)
        return command_fail(EXIT_USAGE, "--povray writes one moment; a film is none");
    int code = read_size(r);
    if (code == EXIT_OK)
        code = read_style(r, &style);
    return code == EXIT_OK ? read_compare(r) : code;
}

static int render_all(render *r)
{
    weir_error error;
    int code = check_options(r);
    if (code == EXIT_OK)
        code = open_panels(r);
    if (code == EXIT_OK)
        code = prepare_out(r);
    if (code != EXIT_OK)
        return code;
    /* Before a long run, not after it, the user learns that nothing can be drawn. */
    r->canvas = r->out ? draw_canvas_create(&error) : NULL;
    if (r->out && !r->canvas)
        return command_fail(EXIT_FAILED, "%s", error.text);
    return r->is_film ? render_film(r) : render_picture(r);
}

static int execute(const command *self, int argc, char **argv)
{
    render_options values = {.frame = -1, .fps = 30, .speed = 1};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    render r = {.options = &values};
    interrupt_catch();
    code = render_all(&r);
    draw_canvas_destroy(r.canvas);
    for (size_t k = 0; k < r.count; k++) {
        show_picture_free(&r.panels[k].picture);
        show_solids_free(&r.panels[k].solids);
        show_close(&r.panels[k].source);
    }
    free(r.panels);
    free(r.methods);
    free(r.out);
    return code;
}

const command command_render = {
    .name = "render",
    .usage = "SCENE|RESULTS... [OPTIONS]",
    .min_arguments = 1,
    .max_arguments = COMMAND_MAX_ARGUMENTS,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Draw a picture or film of a scene or of results.",
    .details = "A scene is run in memory up to the time that is drawn; RESULTS is the folder of a\n"
               "run. Several of them are shown side by side. No display is needed.",
    .run = execute,
};
