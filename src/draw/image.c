#include "draw/image.h"

#include "base/error.h"
#include "out/file.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

bool draw_image_create(draw_image *image, int width, int height, weir_error *error)
{
    *image = (draw_image){0};
    if (width < 1 || height < 1 || width > DRAW_MAX_SIZE || height > DRAW_MAX_SIZE)
        return fail(error, WEIR_INVALID,
                    "a picture of %d × %d pixels is not possible: each side must be 1 to %d", width,
                    height, DRAW_MAX_SIZE);
    image->pixels = calloc((size_t)width * (size_t)height, 3);
    if (!image->pixels)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for a picture of %d × %d pixels",
                    width, height);
    image->width = width;
    image->height = height;
    return true;
}

void draw_image_free(draw_image *image)
{
    free(image->pixels);
    *image = (draw_image){0};
}

bool draw_image_write_png(const char *path, const draw_image *image, weir_error *error)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width,
                     .height = (png_uint_32)image->height,
                     .format = PNG_FORMAT_RGB};
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(png), bytes = room;
    void *memory = malloc(room);
    if (!memory)
        return fail(error, WEIR_OUT_OF_MEMORY, "cannot write %s: memory ran out", path);
    bool packed = png_image_write_to_memory(&png, memory, &bytes, 0, image->pixels, 0, NULL);
    bool done = false;
    if (packed) {
        file_writer w;
        file_begin(&w, path);
        file_write(&w, memory, bytes);
        done = file_commit(&w, error);
    } else {
        fail(error, WEIR_IO, "cannot write %s: libpng says \"%s\"", path, png.message);
    }
    free(memory);
    return done;
}

bool draw_image_read_png(draw_image *image, const char *path, weir_error *error)
{
    *image = (draw_image){0};
    size_t size;
    void *bytes = file_read(path, &size, error);
    if (!bytes)
        return false;
    png_image png = {.version = PNG_IMAGE_VERSION};
    bool done = png_image_begin_read_from_memory(&png, bytes, size);
    if (done) {
        png.format = PNG_FORMAT_RGB;
        done = png.width <= DRAW_MAX_SIZE && png.height <= DRAW_MAX_SIZE &&
               draw_image_create(image, (int)png.width, (int)png.height, error) &&
               png_image_finish_read(&png, NULL, image->pixels, 0, NULL);
    }
    if (!done)
        fail(error, WEIR_FORMAT, "cannot read %s: it is not a PNG picture (%s)", path,
             png.message[0] ? png.message : "too large");
    if (!done)
        draw_image_free(image);
    png_image_free(&png);
    free(bytes);
    return done;
}

void draw_image_paste(draw_image *image, const draw_image *part, int x, int y)
{
    int left = x < 0 ? -x : 0;
    int right = x + part->width > image->width ? image->width - x : part->width;
    for (int row = 0; row < part->height && right > left; row++) {
        if (y + row < 0 || y + row >= image->height)
            continue;
        size_t to = (size_t)(y + row) * (size_t)image->width + (size_t)(x + left);
        size_t from = (size_t)row * (size_t)part->width + (size_t)left;
        memcpy(image->pixels + 3 * to, part->pixels + 3 * from, 3 * (size_t)(right - left));
    }
}

static double to_linear(uint8_t value)
{
    double c = value / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* Mean difference of one square: of the averages, per channel. */
static double square_difference(const draw_image *a, const draw_image *b, int x0, int y0, int blur,
                                const double *light)
{
    double sums[3] = {0, 0, 0};
    int x1 = x0 + blur < a->width ? x0 + blur : a->width;
    int y1 = y0 + blur < a->height ? y0 + blur : a->height;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            size_t at = 3 * ((size_t)y * (size_t)a->width + (size_t)x);
            for (size_t k = 0; k < 3; k++)
                sums[k] += light[a->pixels[at + k]] - light[b->pixels[at + k]];
        }
    return (fabs(sums[0]) + fabs(sums[1]) + fabs(sums[2])) / 3;
}

double draw_image_difference(const draw_image *a, const draw_image *b, int blur)
{
    if (a->width != b->width || a->height != b->height || blur < 1)
        return -1;
    double light[256], total = 0;
    for (int i = 0; i < 256; i++)
        light[i] = to_linear((uint8_t)i);
    for (int y = 0; y < a->height; y += blur)
        for (int x = 0; x < a->width; x += blur)
            total += square_difference(a, b, x, y, blur, light);
    return total / ((double)a->width * a->height);
}
