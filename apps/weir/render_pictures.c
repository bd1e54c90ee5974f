/* The panels of `weir render` as a picture, as a scene for POV-Ray, and as a film. */
#include "interrupt.h"
#include "render.h"

#include "draw/film.h"
#include "draw/povray.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { SMOOTH = 2 }; /* samples of a pixel along each axis */

static const double orbit_speed = 0.35; /* rad per second of film: a turn in 18 s */

static int go(render *r, double time)
{
    int code = EXIT_OK;
    for (size_t k = 0; k < r->count && code == EXIT_OK; k++)
        code = show_go(&r->panels[k].source, time);
    return code;
}

static int build_solids(render *r)
{
    weir_error error;
    for (size_t k = 0; k < r->count; k++)
        if (!show_solids_build(&r->panels[k].solids, &r->panels[k].source, &error))
            return command_fail(EXIT_FAILED, "%s", error.text);
    return EXIT_OK;
}

/* Draws all panels into `sheet`, which is filled anew. */
static bool draw_panels(render *r, double angle, draw_image *sheet, weir_error *error)
{
    if (!draw_image_create(sheet, r->width, r->height, error))
        return false;
    for (size_t k = 0; k < r->count; k++) {
        panel *p = &r->panels[k];
        draw_image image;
        p->style.angle = angle;
        if (!show_picture_make(&p->picture, &p->source, &p->solids, &p->style, error) ||
            !draw_canvas_draw(r->canvas, &p->picture.scene, p->style.width, p->style.height, SMOOTH,
                              &image, error)) {
            draw_image_free(sheet);
            return false;
        }
        draw_image_paste(sheet, &image, (int)k % r->columns * p->style.width,
                         (int)k / r->columns * p->style.height);
        draw_image_free(&image);
    }
    return true;
}

static int fail_draw(const weir_error *error)
{
    return command_fail(error->code == WEIR_INVALID ? EXIT_USAGE : EXIT_FAILED, "%s", error->text);
}

/* ---------------------------------------------------------------- pictures */

static int write_povray(render *r)
{
    panel *p = &r->panels[0];
    show_style style = p->style;
    weir_error error;
    const char *path = r->options->povray;
    style.title = NULL;
    bool done = show_picture_make(&p->picture, &p->source, &p->solids, &style, &error);
    draw_fluid *fluid = &p->picture.scene.fluid;
    if (done && fluid->look == DRAW_WATER && !fluid->mesh) {
        done = surface_mesh_build(&p->picture.mesh, &p->source.particles, &style.surface, &error);
        fluid->mesh = &p->picture.mesh;
    }
    done = done &&
           draw_povray_write(path, &p->picture.scene, (double)style.width / style.height, &error);
    if (!done)
        return fail_draw(&error);
    if (!r->options->quiet)
        printf("POV-Ray scene of %.4g s: %s\n", p->source.time, path);
    return EXIT_OK;
}

static int find_time(const render *r, double *time)
{
    const show *first = &r->panels[0].source;
    *time = first->end;
    if (r->options->frame >= 0)
        return show_frame_time(first, r->options->frame, time) ? EXIT_OK : EXIT_USAGE;
    for (size_t k = 1; k < r->count; k++)
        *time = fmax(*time, r->panels[k].source.end);
    return EXIT_OK;
}

int render_picture(render *r)
{
    weir_error error;
    draw_image sheet;
    double time;
    int code = find_time(r, &time);
    if (code == EXIT_OK)
        code = go(r, time);
    if (code == EXIT_OK)
        code = build_solids(r);
    if (code == EXIT_OK && r->options->povray)
        code = write_povray(r);
    if (code != EXIT_OK || !r->out)
        return code;
    if (!draw_panels(r, 0, &sheet, &error))
        return fail_draw(&error);
    bool done = draw_image_write_png(r->out, &sheet, &error);
    draw_image_free(&sheet);
    if (!done)
        return command_fail(EXIT_FAILED, "%s", error.text);
    if (!r->options->quiet)
        printf("picture of %.4g s: %s\n", r->panels[0].source.time, r->out);
    return EXIT_OK;
}

/* ------------------------------------------------------------------- films */

static void show_progress(const render *r, size_t done, size_t all)
{
    if (r->options->quiet || isatty(STDERR_FILENO) != 1)
        return;
    if (done < all)
        fprintf(stderr, "\rpicture %zu of %zu\033[K", done + 1, all);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* A film stands still: what it frames holds the fluid at its begin and, of results, at its end. */
static int frame_film(render *r, double begin, double end)
{
    weir_error error;
    int code = go(r, begin);
    if (code == EXIT_OK)
        code = build_solids(r);
    for (size_t k = 0; k < r->count && code == EXIT_OK; k++) {
        panel *p = &r->panels[k];
        if (p->source.world)
            continue;
        code = show_go(&p->source, end);
        if (code == EXIT_OK && !show_solids_widen(&p->solids, &p->source, &error))
            code = command_fail(EXIT_FAILED, "%s", error.text);
    }
    return code;
}

/* Adds the pictures. A scene that fails and Ctrl-C end the film early, with what there is of it. */
static int add_pictures(render *r, draw_film *film, double begin, double end, size_t *made)
{
    double fps = r->options->fps, pace = r->options->speed / fps;
    size_t count = (size_t)floor((end - begin) / pace + 1e-6) + 1;
    for (size_t k = 0; k < count; k++) {
        weir_error error;
        draw_image sheet;
        show_progress(r, k, count);
        int code = go(r, begin + (double)k * pace);
        if (code == EXIT_OK && interrupt_seen())
            code =
                command_fail(EXIT_INTERRUPTED, "interrupted after %zu of %zu pictures", k, count);
        if (code != EXIT_OK)
            return code;
        double angle = r->options->orbit ? orbit_speed * (double)k / fps : 0;
        if (!draw_panels(r, angle, &sheet, &error))
            return fail_draw(&error);
        bool done = draw_film_add(film, &sheet, &error);
        draw_image_free(&sheet);
        if (!done)
            return command_fail(EXIT_FAILED, "%s", error.text);
        (*made)++;
    }
    show_progress(r, count, count);
    return EXIT_OK;
}

int render_film(render *r)
{
    weir_error error;
    double begin = r->panels[0].source.begin, end;
    int code = find_time(r, &end);
    if (code == EXIT_OK)
        code = frame_film(r, begin, end);
    if (code != EXIT_OK)
        return code;
    draw_film *film = draw_film_begin(r->out, r->width, r->height, r->options->fps, &error);
    if (!film)
        return fail_draw(&error);
    size_t pictures = 0;
    code = add_pictures(r, film, begin, end, &pictures);
    if (code == EXIT_FAILED || code == EXIT_USAGE || pictures == 0) {
        draw_film_discard(film);
        return code;
    }
    if (!draw_film_end(film, &error))
        return command_fail(EXIT_FAILED, "%s", error.text);
    if (!r->options->quiet)
        printf("film of %.4g s: %s\n", r->panels[0].source.time, r->out);
    return code;
}
