#include "couple/manifold.h"

/* Corners of one body before the planes of the other. Planes do not end, so that it does not matter
 * how fast they are neared. */
static void meet_planes(touch_list *list, const touch_pair *p, int side)
{
    const body *mover = &p->f->bodies[side == 0 ? p->first : p->second];
    const body *ground = &p->f->bodies[side == 0 ? p->second : p->first];
    const convex *corners = mover->form, *planes = ground->form;
    vec3 at[CONVEX_MOST], centre = pose_local_point(ground->pose, body_centre(mover));
    double nearest = INFINITY;
    for (int w = 0; w < planes->count; w++)
        nearest = fmin(nearest, vec3_dot(centre, planes->normals[w]) - planes->offsets[w]);
    if (nearest > mover->radius + p->reach)
        return;
    for (int c = 0; c < corners->count; c++)
        at[c] = pose_local_point(ground->pose, pose_point(mover->pose, corners->corners[c]));
    int met = 0;
    for (int w = 0; w < planes->count; w++) {
        size_t before = list->count;
        vec3 out = quat_rotate(ground->pose.rotation, planes->normals[w]);
        for (int c = 0; c < corners->count; c++) {
            double gap = vec3_dot(at[c], planes->normals[w]) - planes->offsets[w];
            if (gap > p->reach || list->count >= MANIFOLD_MOST)
                continue;
            vec3 foot = vec3_madd(at[c], -gap, planes->normals[w]);
            list->items[list->count++] = (touch){.sample = (uint32_t)(8 * c + w),
                                                 .side = (uint8_t)side,
                                                 .plane = true,
                                                 .point = pose_point(ground->pose, foot),
                                                 .normal = side == 0 ? out : vec3_scale(out, -1),
                                                 .gap = gap};
        }
        met += list->count > before;
    }
    list->whole = met <= 1 && list->count <= (p->f->dim == 2 ? 2 : PATCH_TOUCHES);
}

/* Two balls: where they will meet on their way through the step, or where they are nearest now. */
static void meet_balls(touch_list *list, const touch_pair *p)
{
    const body *a = &p->f->bodies[p->first], *b = &p->f->bodies[p->second];
    double ra = a->form->half.x, rb = b->form->half.x, both = ra + rb;
    vec3 foot = list->placed[p->second].centre;
    vec3 apart = vec3_sub(list->placed[p->first].centre, foot);
    double distance2 = vec3_dot(apart, apart), reach = both + p->reach;
    list->whole = true;
    if (distance2 > reach * reach)
        return;
    vec3 way = vec3_scale(vec3_sub(a->velocity, b->velocity), p->dt), at = apart;
    double speed2 = vec3_dot(way, way), nearing = -vec3_dot(way, apart);
    if (distance2 > both * both && speed2 > p->slop * p->slop) {
        /* |apart + s way| = both for the first time; without a root they pass each other. */
        double root2 = nearing * nearing - speed2 * (distance2 - both * both);
        double s = root2 >= 0 ? (nearing - sqrt(root2)) / speed2 : -1;
        if (s < 0 || s > 1)
            s = fmin(fmax(nearing / speed2, 0), 1);
        at = vec3_madd(apart, s, way);
        if (vec3_length(at) > both + p->slop)
            return;
    }
    vec3 n = vec3_unit(at, (vec3){0, 1, 0});
    double gap = vec3_dot(apart, n) - both;
    list->items[list->count++] = (touch){.side = 0,
                                         .plane = true,
                                         .point = vec3_madd(foot, rb, n),
                                         .normal = n,
                                         .gap = gap,
                                         .radius = ra};
}

static void place_polygon(const body *b, placed_form *out)
{
    const convex *form = b->form;
    quat q = b->pose.rotation;
    double c = 1 - 2 * q.z * q.z, s = 2 * q.z * q.w;
    vec3 at = b->pose.position;
    for (int k = 0; k < form->count; k++) {
        vec3 p = form->corners[k], n = form->normals[k];
        out->corners[k] = (struct placed_corner){.x = at.x + c * p.x - s * p.y,
                                                 .y = at.y + s * p.x + c * p.y,
                                                 .nx = c * n.x - s * n.y,
                                                 .ny = s * n.x + c * n.y};
    }
}

/* The same for a rectangle, from its middle and sides. */
static void place_rectangle(const body *b, placed_form *out)
{
    quat q = b->pose.rotation;
    double c = 1 - 2 * q.z * q.z, s = 2 * q.z * q.w;
    double nx = c * out->own_axis[0] - s * out->own_axis[1];
    double ny = s * out->own_axis[0] + c * out->own_axis[1];
    double x = b->pose.position.x + c * out->own_middle[0] - s * out->own_middle[1];
    double y = b->pose.position.y + s * out->own_middle[0] + c * out->own_middle[1];
    double ux = out->half_side[0] * nx, uy = out->half_side[0] * ny;
    double vx = -out->half_side[1] * ny, vy = out->half_side[1] * nx;
    out->middle[0] = x;
    out->middle[1] = y;
    out->corners[0] = (struct placed_corner){x - ux - vx, y - uy - vy, ny, -nx};
    out->corners[1] = (struct placed_corner){x + ux - vx, y + uy - vy, nx, ny};
    out->corners[2] = (struct placed_corner){x + ux + vx, y + uy + vy, -ny, nx};
    out->corners[3] = (struct placed_corner){x - ux + vx, y - uy + vy, -nx, -ny};
}

static void place_box(const body *b, placed_form *out)
{
    const convex *form = b->form;
    out->centre = pose_point(b->pose, form->centre);
    for (int k = 0; k < 3; k++)
        out->axes[k] = quat_rotate(b->pose.rotation, form->normals[k]);
    out->half[0] = form->half.x;
    out->half[1] = form->half.y;
    out->half[2] = form->half.z;
}

/* What stays the same wherever the body lies. */
static void note_form(const convex *form, placed_form *out)
{
    out->of = form;
    out->kind = form ? form->kind : CONVEX_NONE;
    out->rectangle = out->kind == CONVEX_POLYGON && form->half.x > 0;
    if (!form)
        return;
    out->count = form->count;
    out->half_side[0] = form->half.x;
    out->half_side[1] = form->half.y;
    out->own_middle[0] = form->centre.x;
    out->own_middle[1] = form->centre.y;
    out->own_axis[0] = form->normals[1].x;
    out->own_axis[1] = form->normals[1].y;
}

bool manifold_reserve(touch_list *list, memory *m, size_t bodies)
{
    return memory_grow(m, (void **)&list->placed, &list->placed_capacity, bodies, 0,
                       sizeof *list->placed);
}

void manifold_place(touch_list *list, const flow *f)
{
    for (size_t k = 0; k < f->body_count; k++) {
        const body *b = &f->bodies[k];
        const convex *form = b->alive ? b->form : NULL;
        placed_form *placed = &list->placed[k];
        if (placed->of != form)
            note_form(form, placed);
        if (placed->rectangle)
            place_rectangle(b, placed);
        else if (placed->kind == CONVEX_POLYGON)
            place_polygon(b, placed);
        else if (placed->kind == CONVEX_BOX)
            place_box(b, placed);
        else if (placed->kind == CONVEX_BALL)
            placed->centre = pose_point(b->pose, form->centre);
    }
}

bool manifold_find(touch_list *list, const touch_pair *p)
{
    convex_kind a = list->placed[p->first].kind, b = list->placed[p->second].kind;
    if (a == CONVEX_POLYGON && b == CONVEX_POLYGON)
        return manifold_flat(list, p);
    if (a == CONVEX_BOX && b == CONVEX_BOX)
        return manifold_boxes(list, p);
    if (a == CONVEX_BALL && b == CONVEX_BALL)
        meet_balls(list, p);
    else if ((a == CONVEX_POLYGON || a == CONVEX_BOX) && b == CONVEX_PLANES)
        meet_planes(list, p, 0);
    else if ((b == CONVEX_POLYGON || b == CONVEX_BOX) && a == CONVEX_PLANES)
        meet_planes(list, p, 1);
    else
        return false;
    return true;
}
