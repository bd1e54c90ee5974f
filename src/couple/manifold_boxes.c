/* Boxes in space. */
#include "couple/manifold.h"

/* The axis along which two boxes are farthest apart, or overlap least. */
typedef struct box_axis {
    double separation;
    vec3 normal; /* from the first box to the second */
    int a, b;    /* axes of the first and of the second box; -1 where it is a face's */
} box_axis;

typedef struct box_pair {
    const placed_form *a, *b;
    vec3 apart;                      /* from a to b */
    double cosine[3][3], size[3][3]; /* of the angles between axes, and their amounts */
} box_pair;

static void face_axis(const box_pair *p, int of_b, int k, box_axis *out)
{
    const placed_form *own = of_b ? p->b : p->a, *other = of_b ? p->a : p->b;
    double way = vec3_dot(p->apart, own->axes[k]), reach = own->half[k];
    for (int j = 0; j < 3; j++)
        reach += other->half[j] * (of_b ? p->size[j][k] : p->size[k][j]);
    *out = (box_axis){.separation = fabs(way) - reach,
                      .normal = way < 0 ? vec3_scale(own->axes[k], -1) : own->axes[k],
                      .a = of_b ? -1 : k,
                      .b = of_b ? k : -1};
}

/* False for edges that are parallel: faces tell as much. */
static bool edge_axis(const box_pair *p, int i, int j, box_axis *out)
{
    double length2 = 1 - p->cosine[i][j] * p->cosine[i][j];
    if (length2 < 1e-6)
        return false;
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double reach = p->a->half[i1] * p->size[i2][j] + p->a->half[i2] * p->size[i1][j] +
                   p->b->half[j1] * p->size[i][j2] + p->b->half[j2] * p->size[i][j1];
    vec3 axis = vec3_cross(p->a->axes[i], p->b->axes[j]);
    double way = vec3_dot(p->apart, axis), scale = 1 / sqrt(length2);
    *out = (box_axis){.separation = (fabs(way) - reach) * scale,
                      .normal = vec3_scale(axis, way < 0 ? -scale : scale),
                      .a = i,
                      .b = j};
    return true;
}

enum { MOST_AXES = 15 };

/* Lists all axes, faces first; fewer when one of them keeps the boxes apart by more than `reach`:
 * that one is the last. */
static int list_axes(const box_pair *p, double reach, box_axis axes[MOST_AXES])
{
    int count = 0;
    for (int of_b = 0; of_b < 2; of_b++)
        for (int k = 0; k < 3; k++) {
            face_axis(p, of_b, k, &axes[count]);
            if (axes[count++].separation > reach)
                return count;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (edge_axis(p, i, j, &axes[count]) && axes[count++].separation > reach)
                return count;
    return count;
}

static const box_axis *find_best(const box_axis *axes, int begin, int end)
{
    const box_axis *best = NULL;
    for (int k = begin; k < end; k++)
        if (!best || axes[k].separation > best->separation)
            best = &axes[k];
    return best;
}

/* Faces are preferred to edges, and the first box to the second, while the others are hardly
 * better: the choice must not flicker. */
static const box_axis *choose_axis(const box_axis *axes, int count, double slop)
{
    const box_axis *best = find_best(axes, 0, 3), *other = find_best(axes, 3, 6);
    if (other->separation > best->separation + 0.1 * slop)
        best = other;
    const box_axis *edge = find_best(axes, 6, count);
    double lead = slop + 0.05 * fabs(best->separation);
    return edge && edge->separation > best->separation + lead ? edge : best;
}

static double separate_aside(const box_axis *axes, int count, vec3 n)
{
    double most = -INFINITY;
    for (int k = 0; k < count; k++)
        if (axes[k].separation > most && fabs(vec3_dot(axes[k].normal, n)) < 0.9)
            most = axes[k].separation;
    return most;
}

/* ------------------------------------------------------------------------ faces */

/* A corner of the face that is clipped, in the frame of the other face: across it, and above it.
 * The edges that meet there name it: 0 to 3 are of the face itself, 4 to 7 of the other. */
typedef struct clip_corner {
    double u, v, rise;
    int before, after;
} clip_corner;

/* Keeps what lies below `limit` along u or v, or above −limit where the sign is −1. */
static int clip(const clip_corner *in, int count, int along_v, double sign, double limit, int edge,
                clip_corner *out)
{
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const clip_corner *p = &in[k], *q = &in[(k + 1) % count];
        double x = sign * (along_v ? p->v : p->u) - limit,
               y = sign * (along_v ? q->v : q->u) - limit;
        if (x <= 0)
            out[kept++] = *p;
        if ((x <= 0) == (y <= 0))
            continue;
        double s = x / (x - y);
        out[kept++] = (clip_corner){.u = p->u + s * (q->u - p->u),
                                    .v = p->v + s * (q->v - p->v),
                                    .rise = p->rise + s * (q->rise - p->rise),
                                    .before = x <= 0 ? p->after : edge,
                                    .after = x <= 0 ? edge : p->after};
    }
    return kept;
}

/* The face of `own` along one of its axes, out of it along n, and what of `other` lies before it.
 */
typedef struct face_meeting {
    const placed_form *own, *other;
    int axis;
    vec3 n;
    uint8_t side_of_other;
} face_meeting;

static int clip_faces(const face_meeting *m, int facing, clip_corner out[2 * CONVEX_MOST])
{
    int iu = (m->axis + 1) % 3, iv = (m->axis + 2) % 3;
    vec3 u = m->own->axes[iu], v = m->own->axes[iv];
    int ja = (facing + 1) % 3, jb = (facing + 2) % 3;
    double way = vec3_dot(m->other->axes[facing], m->n) > 0 ? -1 : 1;
    vec3 middle = vec3_madd(vec3_sub(m->other->centre, m->own->centre),
                            way * m->other->half[facing], m->other->axes[facing]);
    vec3 ea = vec3_scale(m->other->axes[ja], m->other->half[ja]);
    vec3 eb = vec3_scale(m->other->axes[jb], m->other->half[jb]);
    static const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    clip_corner corners[2 * CONVEX_MOST], half[2 * CONVEX_MOST];
    for (int k = 0; k < 4; k++) {
        vec3 at = vec3_madd(vec3_madd(middle, signs[k][0], ea), signs[k][1], eb);
        corners[k] = (clip_corner){vec3_dot(at, u), vec3_dot(at, v),
                                   vec3_dot(at, m->n) - m->own->half[m->axis], (k + 3) % 4, k};
    }
    int count = clip(corners, 4, 0, 1, m->own->half[iu], 4, half);
    count = clip(half, count, 0, -1, m->own->half[iu], 5, corners);
    count = clip(corners, count, 1, 1, m->own->half[iv], 6, half);
    return clip(half, count, 1, -1, m->own->half[iv], 7, out);
}

static void meet_faces(touch_list *list, const touch_pair *p, const face_meeting *m)
{
    int facing = 0;
    double most = 0;
    for (int k = 0; k < 3; k++)
        if (fabs(vec3_dot(m->other->axes[k], m->n)) > most) {
            most = fabs(vec3_dot(m->other->axes[k], m->n));
            facing = k;
        }
    clip_corner corners[2 * CONVEX_MOST];
    int count = clip_faces(m, facing, corners);
    vec3 u = m->own->axes[(m->axis + 1) % 3], v = m->own->axes[(m->axis + 2) % 3];
    vec3 base = vec3_madd(m->own->centre, m->own->half[m->axis], m->n);
    uint32_t name = (uint32_t)(64 * (3 * facing + m->axis));
    for (int k = 0; k < count; k++) {
        if (corners[k].rise > p->reach)
            continue;
        list->items[list->count++] =
            (touch){.sample = name + (uint32_t)(8 * corners[k].before + corners[k].after),
                    .side = m->side_of_other,
                    .plane = true,
                    .point = vec3_madd(vec3_madd(base, corners[k].u, u), corners[k].v, v),
                    .normal = m->side_of_other == 0 ? m->n : vec3_scale(m->n, -1),
                    .gap = corners[k].rise};
    }
    list->whole = list->count <= PATCH_TOUCHES;
}

/* ------------------------------------------------------------------------ edges */

/* A point of the edge of a box along an axis that lies farthest along n. */
static vec3 support_edge(const placed_form *box, int axis, vec3 n)
{
    vec3 at = box->centre;
    for (int k = 0; k < 3; k++)
        if (k != axis) {
            double way = vec3_dot(box->axes[k], n) > 0 ? 1 : -1;
            at = vec3_madd(at, way * box->half[k], box->axes[k]);
        }
    return at;
}

/* Where two edges pass each other closest. */
static void meet_edges(touch_list *list, const touch_pair *p, const box_pair *pair,
                       const box_axis *axis)
{
    vec3 at_a = support_edge(pair->a, axis->a, axis->normal);
    vec3 at_b = support_edge(pair->b, axis->b, vec3_scale(axis->normal, -1));
    vec3 da = pair->a->axes[axis->a], db = pair->b->axes[axis->b], between = vec3_sub(at_b, at_a);
    double c = vec3_dot(da, db), x = vec3_dot(between, da), y = vec3_dot(between, db);
    double on_a = (x - c * y) / (1 - c * c), on_b = (c * x - y) / (1 - c * c);
    on_a = fmin(fmax(on_a, -pair->a->half[axis->a]), pair->a->half[axis->a]);
    on_b = fmin(fmax(on_b, -pair->b->half[axis->b]), pair->b->half[axis->b]);
    vec3 foot = vec3_madd(at_b, on_b, db);
    double gap = vec3_dot(vec3_sub(foot, vec3_madd(at_a, on_a, da)), axis->normal);
    if (gap > p->reach)
        return;
    list->items[list->count++] = (touch){.sample = (uint32_t)(4096 + 3 * axis->a + axis->b),
                                         .side = 0,
                                         .plane = true,
                                         .point = foot,
                                         .normal = vec3_scale(axis->normal, -1),
                                         .gap = gap};
    list->whole = true;
}

bool manifold_boxes(touch_list *list, const touch_pair *p)
{
    box_pair pair = {.a = &list->placed[p->first], .b = &list->placed[p->second]};
    pair.apart = vec3_sub(pair.b->centre, pair.a->centre);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            pair.cosine[i][j] = vec3_dot(pair.a->axes[i], pair.b->axes[j]);
            pair.size[i][j] = fabs(pair.cosine[i][j]);
        }
    box_axis axes[MOST_AXES];
    int count = list_axes(&pair, p->reach, axes);
    if (axes[count - 1].separation > p->reach)
        return true;
    const box_axis *best = choose_axis(axes, count, p->slop);
    if (manifold_is_fast(p) && manifold_may_slip(p, separate_aside(axes, count, best->normal)))
        return false;
    if (best->a >= 0 && best->b >= 0)
        meet_edges(list, p, &pair, best);
    else if (best->a >= 0)
        meet_faces(list, p, &(face_meeting){pair.a, pair.b, best->a, best->normal, 1});
    else
        meet_faces(list, p,
                   &(face_meeting){pair.b, pair.a, best->b, vec3_scale(best->normal, -1), 0});
    return true;
}
