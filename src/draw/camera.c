#include "draw/camera.h"

#include "base/error.h"

#include <string.h>

/* Share of the picture that framing leaves free at each side. */
static const double margin = 0.06;

static const double default_field_of_view = 0.6; /* rad, 34°: little distortion at the rim */

draw_box draw_box_empty(void)
{
    return (draw_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void draw_box_add(draw_box *box, vec3 p, double radius)
{
    box->low = vec3_make(fmin(box->low.x, p.x - radius), fmin(box->low.y, p.y - radius),
                         fmin(box->low.z, p.z - radius));
    box->high = vec3_make(fmax(box->high.x, p.x + radius), fmax(box->high.y, p.y + radius),
                          fmax(box->high.z, p.z + radius));
}

bool draw_box_is_empty(const draw_box *box)
{
    return !(box->low.x <= box->high.x && box->low.y <= box->high.y && box->low.z <= box->high.z);
}

vec3 draw_box_middle(const draw_box *box)
{
    return vec3_scale(vec3_add(box->low, box->high), 0.5);
}

double draw_box_diagonal(const draw_box *box)
{
    return vec3_length(vec3_sub(box->high, box->low));
}

static vec3 corner(const draw_box *box, int k)
{
    return vec3_make(k & 1 ? box->high.x : box->low.x, k & 2 ? box->high.y : box->low.y,
                     k & 4 ? box->high.z : box->low.z);
}

/* Right, up and back of a camera that looks against `back`. */
static void find_axes(vec3 back, vec3 up, vec3 axes[3])
{
    axes[2] = vec3_unit(back, vec3_make(0, 0, 1));
    vec3 right = vec3_cross(up, axes[2]);
    if (vec3_length(right) < 1e-9 * (1 + vec3_length(up))) /* looking along `up` */
        right = vec3_cross(vec3_make(axes[2].y, axes[2].z, axes[2].x), axes[2]);
    axes[0] = vec3_unit(right, vec3_make(1, 0, 0));
    axes[1] = vec3_cross(axes[2], axes[0]);
}

static draw_camera frame_flat(const draw_box *box, double aspect)
{
    vec3 size = vec3_sub(box->high, box->low), middle = draw_box_middle(box);
    double height = fmax(size.y, size.x / aspect) / (1 - 2 * margin);
    middle.z = 0;
    return (draw_camera){.eye = vec3_add(middle, vec3_make(0, 0, 1)),
                         .target = middle,
                         .up = vec3_make(0, 1, 0),
                         .height = height > 0 ? height : 1};
}

draw_camera draw_camera_frame(const draw_box *given, int dim, vec3 towards, vec3 up, double aspect)
{
    draw_box box = *given;
    if (draw_box_is_empty(&box))
        box = (draw_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    if (dim == 2)
        return frame_flat(&box, aspect);
    vec3 axes[3], target = draw_box_middle(&box);
    find_axes(towards, up, axes);
    double slope = tan(default_field_of_view / 2) * (1 - 2 * margin), distance = 0;
    /* The nearest eye on the ray that has every corner inside the four sides of the picture; then
     * the target slides in the picture's plane until the free space is equal on both sides. A few
     * rounds settle both. */
    for (int round = 0; round < 8; round++) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        distance = 0;
        for (int k = 0; k < 8; k++) {
            vec3 p = vec3_sub(corner(&box, k), target);
            double x = vec3_dot(p, axes[0]), y = vec3_dot(p, axes[1]), z = vec3_dot(p, axes[2]);
            distance = fmax(distance, z + fmax(fabs(x) / (slope * aspect), fabs(y) / slope));
        }
        for (int k = 0; k < 8; k++) {
            vec3 p = vec3_sub(corner(&box, k), target);
            double depth = distance - vec3_dot(p, axes[2]);
            for (int a = 0; a < 2; a++) {
                low[a] = fmin(low[a], vec3_dot(p, axes[a]) / depth);
                high[a] = fmax(high[a], vec3_dot(p, axes[a]) / depth);
            }
        }
        target = vec3_madd(target, (low[0] + high[0]) / 2 * distance, axes[0]);
        target = vec3_madd(target, (low[1] + high[1]) / 2 * distance, axes[1]);
    }
    return (draw_camera){.eye = vec3_madd(target, distance, axes[2]),
                         .target = target,
                         .up = up,
                         .field_of_view = default_field_of_view};
}

vec3 draw_camera_default_direction(vec3 up)
{
    vec3 axes[3];
    vec3 u = vec3_unit(up, vec3_make(0, 1, 0));
    /* Front is +z where y is up, −y where z is up: x runs to the right in both. */
    vec3 front = fabs(u.y) > 0.7   ? vec3_make(0, 0, 1)
                 : fabs(u.z) > 0.7 ? vec3_make(0, -1, 0)
                                   : vec3_make(0, 0, 1);
    find_axes(front, u, axes);
    vec3 direction = vec3_madd(axes[2], 0.45, axes[0]);
    return vec3_madd(direction, 0.42, u);
}

draw_camera draw_camera_orbit(draw_camera camera, double angle)
{
    vec3 axis = vec3_scale(vec3_unit(camera.up, vec3_make(0, 1, 0)), angle);
    quat turn = quat_from_rotation_vector(axis);
    camera.eye = vec3_add(camera.target, quat_rotate(turn, vec3_sub(camera.eye, camera.target)));
    return camera;
}

draw_camera draw_camera_slide(draw_camera camera, double share, double aspect)
{
    vec3 axes[3], way = vec3_sub(camera.eye, camera.target);
    find_axes(way, camera.up, axes);
    double height = camera.field_of_view > 0 ? 2 * vec3_length(way) * tan(camera.field_of_view / 2)
                                             : camera.height;
    vec3 move = vec3_scale(axes[0], share * aspect * height);
    camera.eye = vec3_add(camera.eye, move);
    camera.target = vec3_add(camera.target, move);
    return camera;
}

bool draw_camera_check(const draw_camera *c, int dim, weir_error *error)
{
    if (!vec3_is_finite(c->eye) || !vec3_is_finite(c->target) || !vec3_is_finite(c->up))
        return fail(error, WEIR_INVALID, "the camera's eye, target and up must be finite");
    if (dim == 2 || c->field_of_view == 0) {
        if (!(c->height > 0) || !isfinite(c->height))
            return fail(error, WEIR_INVALID,
                        "the camera shows a height of %g m, but must show more than 0", c->height);
    } else if (!(c->field_of_view > 0 && c->field_of_view < 3)) {
        return fail(error, WEIR_INVALID,
                    "the camera's field of view is %g rad, but must be between 0 and 3",
                    c->field_of_view);
    }
    if (dim == 3 && vec3_length(vec3_sub(c->eye, c->target)) == 0)
        return fail(error, WEIR_INVALID, "the camera's eye and target are at the same place");
    return true;
}

void draw_matrix_multiply(float out[16], const float a[16], const float b[16])
{
    float product[16];
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            float sum = 0;
            for (int k = 0; k < 4; k++)
                sum += a[4 * k + row] * b[4 * column + k];
            product[4 * column + row] = sum;
        }
    memcpy(out, product, sizeof product);
}

static void set_vector(float out[3], vec3 v)
{
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

static void set_world_to_eye(draw_view *view, const vec3 axes[3], vec3 eye)
{
    memset(view->world_to_eye, 0, sizeof view->world_to_eye);
    for (int row = 0; row < 3; row++) {
        view->world_to_eye[row] = (float)axes[row].x;
        view->world_to_eye[4 + row] = (float)axes[row].y;
        view->world_to_eye[8 + row] = (float)axes[row].z;
        view->world_to_eye[12 + row] = (float)-vec3_dot(axes[row], eye);
    }
    view->world_to_eye[15] = 1;
    set_vector(view->right, axes[0]);
    set_vector(view->up, axes[1]);
    set_vector(view->back, axes[2]);
    set_vector(view->eye, eye);
}

static void set_parallel(draw_view *view, double half_width, double half_height, double near,
                         double far)
{
    memset(view->eye_to_clip, 0, sizeof view->eye_to_clip);
    view->eye_to_clip[0] = (float)(1 / half_width);
    view->eye_to_clip[5] = (float)(1 / half_height);
    view->eye_to_clip[10] = (float)(-2 / (far - near));
    view->eye_to_clip[14] = (float)(-(far + near) / (far - near));
    view->eye_to_clip[15] = 1;
    view->parallel = true;
}

static void set_perspective(draw_view *view, double field_of_view, double aspect, double near,
                            double far)
{
    double scale = 1 / tan(field_of_view / 2);
    memset(view->eye_to_clip, 0, sizeof view->eye_to_clip);
    view->eye_to_clip[0] = (float)(scale / aspect);
    view->eye_to_clip[5] = (float)scale;
    view->eye_to_clip[10] = (float)(-(far + near) / (far - near));
    view->eye_to_clip[11] = -1;
    view->eye_to_clip[14] = (float)(-2 * far * near / (far - near));
}

static void finish(draw_view *view, double near, double far)
{
    draw_matrix_multiply(view->world_to_clip, view->eye_to_clip, view->world_to_eye);
    view->near = (float)near;
    view->far = (float)far;
    view->scale[0] = view->eye_to_clip[0];
    view->scale[1] = view->eye_to_clip[5];
}

draw_view draw_view_of(const draw_camera *c, const draw_box *box, double aspect)
{
    draw_view view = {0};
    vec3 axes[3];
    find_axes(vec3_sub(c->eye, c->target), c->up, axes);
    double nearest = INFINITY, farthest = -INFINITY;
    for (int k = 0; k < 8; k++) {
        double depth = -vec3_dot(vec3_sub(corner(box, k), c->eye), axes[2]);
        nearest = fmin(nearest, depth);
        farthest = fmax(farthest, depth);
    }
    double size = draw_box_diagonal(box);
    set_world_to_eye(&view, axes, c->eye);
    if (c->field_of_view == 0) {
        double near = nearest - 0.1 * size - 1, far = farthest + 0.1 * size + 1;
        set_parallel(&view, c->height * aspect / 2, c->height / 2, near, far);
        finish(&view, near, far);
        return view;
    }
    double far = fmax(farthest + 0.05 * size, 1e-3 * size);
    double near = fmax(nearest - 0.05 * size, far * 1e-3);
    set_perspective(&view, c->field_of_view, aspect, near, far);
    finish(&view, near, far);
    return view;
}

draw_view draw_view_of_light(vec3 direction, const draw_box *box)
{
    draw_view view = {0};
    vec3 axes[3], middle = draw_box_middle(box);
    find_axes(direction, fabs(direction.y) > 0.9 ? vec3_make(1, 0, 0) : vec3_make(0, 1, 0), axes);
    double half[3] = {0, 0, 0};
    for (int k = 0; k < 8; k++)
        for (int a = 0; a < 3; a++)
            half[a] = fmax(half[a], fabs(vec3_dot(vec3_sub(corner(box, k), middle), axes[a])));
    set_world_to_eye(&view, axes, vec3_madd(middle, half[2], axes[2]));
    set_parallel(&view, half[0] * 1.02, half[1] * 1.02, -0.02 * half[2], 2.02 * half[2]);
    finish(&view, -0.02 * half[2], 2.02 * half[2]);
    return view;
}
