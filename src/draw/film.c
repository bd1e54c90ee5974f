#include "draw/film.h"

#include "base/error.h"
#include "draw/program.h"
#include "out/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 40 };

struct draw_film {
    char *path, *unfinished; /* ffmpeg writes the second, which is renamed in the end */
    char *folder;            /* for pictures, when there is no ffmpeg */
    int width, height;
    size_t count; /* of pictures so far */
    bool has_encoder, failed;
    program encoder;
    weir_error missing; /* why there is no ffmpeg */
};

static bool is_gif(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".gif") == 0;
}

static bool check(const char *path, int width, int height, double rate, weir_error *error)
{
    const char *dot = strrchr(path, '.');
    if (!is_gif(path) && !(dot && strcasecmp(dot, ".mp4") == 0))
        return fail(error, WEIR_INVALID,
                    "cannot make the film %s: its name must end in .mp4 or .gif", path);
    if (width < 2 || height < 2 || width > DRAW_MAX_SIZE || height > DRAW_MAX_SIZE)
        return fail(error, WEIR_INVALID,
                    "cannot make the film %s: %d × %d pixels; each side must be 2 to %d", path,
                    width, height, DRAW_MAX_SIZE);
    if (!(rate >= 0.1 && rate <= 240))
        return fail(error, WEIR_INVALID,
                    "cannot make the film %s: %g pictures per second; 0.1 to 240 are possible",
                    path, rate);
    return true;
}

/* H.264 wants even sides; players know the colours of BT.709. */
static const char mp4_filter[] =
    "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709,format=yuv420p";

/* One palette for the whole film, made from what changes. */
static const char gif_filter[] = "split[a][b];[a]palettegen=stats_mode=diff[p];"
                                 "[b][p]paletteuse=dither=bayer:bayer_scale=4";

static bool start_encoder(draw_film *f, double rate, weir_error *error)
{
    char size[32], speed[32];
    snprintf(size, sizeof size, "%dx%d", f->width, f->height);
    snprintf(speed, sizeof speed, "%.6f", rate);
    const char *arguments[MAX_ARGUMENTS] = {"ffmpeg", "-hide_banner", "-loglevel", "error",
                                            "-y",     "-f",           "rawvideo",  "-pixel_format",
                                            "rgb24",  "-video_size",  size,        "-framerate",
                                            speed,    "-i",           "pipe:0",    "-an"};
    int count = 16;
    const char *const mp4[] = {
        "-vf",        mp4_filter, "-c:v",        "libx264",   "-preset",          "medium",
        "-crf",       "18",       "-colorspace", "bt709",     "-color_primaries", "bt709",
        "-color_trc", "bt709",    "-movflags",   "+faststart"};
    const char *const gif[] = {"-filter_complex", gif_filter, "-loop", "0"};
    if (is_gif(f->path)) {
        memcpy(arguments + count, gif, sizeof gif);
        count += (int)(sizeof gif / sizeof gif[0]);
    } else {
        memcpy(arguments + count, mp4, sizeof mp4);
        count += (int)(sizeof mp4 / sizeof mp4[0]);
    }
    /* "file:" keeps a name with a colon from being taken for an address. */
    char *output;
    if (asprintf(&output, "file:%s", f->unfinished) < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    arguments[count] = output;
    bool started = program_start(&f->encoder, arguments, "ffmpeg", error);
    free(output);
    return started;
}

static void release(draw_film *f)
{
    free(f->path);
    free(f->unfinished);
    free(f->folder);
    free(f);
}

/* The names: of the film while it is made, in its own folder so that a rename suffices, and of
 * the folder for pictures. */
static bool set_names(draw_film *f, const char *path, weir_error *error)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    f->path = strdup(path);
    if (asprintf(&f->unfinished, "%.*s.weir-%ld%s", folder, path, (long)getpid(), dot) < 0)
        f->unfinished = NULL;
    if (asprintf(&f->folder, "%.*s_pictures", (int)(dot - path), path) < 0)
        f->folder = NULL;
    return (f->path && f->unfinished && f->folder) ||
           fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the film %s", path);
}

draw_film *draw_film_begin(const char *path, int width, int height, double rate, weir_error *error)
{
    if (!check(path, width, height, rate, error))
        return NULL;
    draw_film *f = calloc(1, sizeof *f);
    if (!f) {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the film %s", path);
        return NULL;
    }
    f->width = width;
    f->height = height;
    bool begun = set_names(f, path, error);
    if (begun) {
        f->has_encoder = start_encoder(f, rate, &f->missing);
        if (!f->has_encoder && f->missing.code != WEIR_UNSUPPORTED)
            begun =
                fail(error, f->missing.code, "cannot make the film %s: %s", path, f->missing.text);
    }
    if (begun && !f->has_encoder)
        begun = file_make_folder(f->folder, error);
    if (begun)
        return f;
    release(f);
    return NULL;
}

static bool keep_picture(draw_film *f, const draw_image *image, weir_error *error)
{
    char *path;
    if (asprintf(&path, "%s/%06zu.png", f->folder, f->count) < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the film %s", f->path);
    bool done = draw_image_write_png(path, image, error);
    free(path);
    return done;
}

bool draw_film_add(draw_film *f, const draw_image *image, weir_error *error)
{
    if (image->width != f->width || image->height != f->height)
        return fail(error, WEIR_INVALID, "the film %s is %d × %d, but picture %zu is %d × %d",
                    f->path, f->width, f->height, f->count + 1, image->width, image->height);
    f->count++;
    if (!f->has_encoder)
        return keep_picture(f, image, error);
    size_t bytes = 3 * (size_t)f->width * (size_t)f->height;
    if (f->failed || program_write(&f->encoder, image->pixels, bytes))
        return !f->failed;
    /* The program has ended; its words say why. */
    f->failed = true;
    weir_error why;
    if (program_finish(&f->encoder, &why))
        fail(&why, WEIR_IO, "ffmpeg ended early");
    return fail(error, why.code, "cannot make the film %s: %s", f->path, why.text);
}

/* The encoder made a whole film: give it its name. */
static bool publish(draw_film *f, weir_error *error)
{
    if (rename(f->unfinished, f->path) == 0)
        return true;
    fail(error, WEIR_IO, "cannot write %s: %s", f->path, file_reason(errno));
    unlink(f->unfinished);
    return false;
}

bool draw_film_end(draw_film *f, weir_error *error)
{
    bool done = false;
    weir_error why;
    if (!f->has_encoder)
        fail(error, WEIR_UNSUPPORTED, "cannot make the film %s: %s; its %zu pictures are in %s",
             f->path, f->missing.text, f->count, f->folder);
    else if (f->failed)
        fail(error, WEIR_IO, "cannot make the film %s: ffmpeg ended early", f->path);
    else if (!program_finish(&f->encoder, &why))
        fail(error, why.code, "cannot make the film %s: %s", f->path, why.text);
    else if (f->count == 0)
        fail(error, WEIR_INVALID, "cannot make the film %s: it has no pictures", f->path);
    else
        done = publish(f, error);
    if (!done)
        unlink(f->unfinished);
    release(f);
    return done;
}

void draw_film_discard(draw_film *f)
{
    if (!f)
        return;
    if (f->has_encoder && !f->failed)
        program_stop(&f->encoder);
    unlink(f->unfinished);
    release(f);
}
