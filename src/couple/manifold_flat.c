/* Convex polygons in the plane. */
#include "couple/manifold.h"

static inline double dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y;
}

static inline vec3 corner_of(const placed_form *p, int k)
{
    return (vec3){p->corners[k].x, p->corners[k].y, 0};
}

static inline vec3 normal_of(const placed_form *p, int k)
{
    return (vec3){p->corners[k].nx, p->corners[k].ny, 0};
}

/* How far b lies before each edge of a. */
static void separate_corners(const placed_form *a, const placed_form *b, double each[CONVEX_MOST])
{
    for (int k = 0; k < a->count; k++) {
        vec3 n = normal_of(a, k);
        double least = dot(n, corner_of(b, 0));
        for (int c = 1; c < b->count; c++) {
            double height = dot(n, corner_of(b, c));
            least = height < least ? height : least;
        }
        each[k] = least - dot(n, corner_of(a, k));
    }
}

/* The same for rectangles, from their middles and sides. */
static void separate_sides(const placed_form *a, const placed_form *b, double each[CONVEX_MOST])
{
    vec3 x = normal_of(a, 1), y = normal_of(a, 2), along = normal_of(b, 1);
    vec3 apart = {b->middle[0] - a->middle[0], b->middle[1] - a->middle[1], 0};
    double c = fabs(dot(x, along)), s = fabs(dot(y, along));
    double way_x = dot(x, apart), way_y = dot(y, apart);
    double both_x = a->half_side[0] + c * b->half_side[0] + s * b->half_side[1];
    double both_y = a->half_side[1] + s * b->half_side[0] + c * b->half_side[1];
    each[0] = -way_y - both_y;
    each[1] = way_x - both_x;
    each[2] = way_y - both_y;
    each[3] = -way_x - both_x;
}

/* The largest separation along normals of a, and whose it is. */
static double separate(const placed_form *a, const placed_form *b, double each[CONVEX_MOST],
                       int *edge)
{
    if (a->rectangle && b->rectangle)
        separate_sides(a, b, each);
    else
        separate_corners(a, b, each);
    double most = -INFINITY;
    for (int k = 0; k < a->count; k++)
        if (each[k] > most) {
            most = each[k];
            *edge = k;
        }
    return most;
}

/* The largest separation along other directions than n. */
static double separate_aside(const placed_form *a, const double each[CONVEX_MOST], vec3 n)
{
    double most = -INFINITY;
    for (int k = 0; k < a->count; k++)
        if (each[k] > most && fabs(dot(normal_of(a, k), n)) < 0.9)
            most = each[k];
    return most;
}

/* An end of the stretch along which two edges face each other. */
typedef struct edge_end {
    double along;
    int corner;   /* of the body that it belongs to */
    bool on_face; /* of the edge whose normal counts; else of the other body */
} edge_end;

typedef struct edge_meeting {
    const placed_form *face, *other;
    int edge;   /* of the face */
    int facing; /* of the other: the edge that looks at it */
    uint8_t side_of_other;
} edge_meeting;

static void add_end(touch_list *list, const touch_pair *p, const edge_meeting *m, edge_end end)
{
    vec3 n = normal_of(m->face, m->edge), from = corner_of(m->face, m->edge);
    vec3 a = corner_of(m->other, m->facing),
         b = corner_of(m->other, (m->facing + 1) % m->other->count);
    vec3 t = {-n.y, n.x, 0};
    double rise, span = dot(t, b) - dot(t, a);
    if (!end.on_face)
        rise = dot(n, vec3_sub(corner_of(m->other, end.corner), from));
    else
        rise = dot(n, vec3_sub(a, from)) +
               (span != 0 ? (end.along - dot(t, a)) / span : 0) * dot(n, vec3_sub(b, a));
    if (rise > p->reach)
        return;
    vec3 corner = end.on_face ? corner_of(m->face, end.corner) : corner_of(m->other, end.corner);
    uint8_t side = end.on_face ? (uint8_t)(1 - m->side_of_other) : m->side_of_other;
    list->items[list->count++] = (touch){.sample = (uint32_t)end.corner,
                                         .side = side,
                                         .plane = true,
                                         /* on the surface of the body without the corner */
                                         .point = vec3_madd(corner, end.on_face ? rise : -rise, n),
                                         .normal = m->side_of_other == 0 ? n : vec3_scale(n, -1),
                                         .gap = rise};
}

/* False when the edges do not face each other at all. */
static bool meet_edges(touch_list *list, const touch_pair *p, const edge_meeting *m)
{
    vec3 n = normal_of(m->face, m->edge), t = {-n.y, n.x, 0};
    int next = (m->edge + 1) % m->face->count, past = (m->facing + 1) % m->other->count;
    /* Edges run counter-clockwise: along t on the face, against it on the other body. */
    edge_end face_low = {dot(t, corner_of(m->face, m->edge)), m->edge, true};
    edge_end face_high = {dot(t, corner_of(m->face, next)), next, true};
    edge_end other_low = {dot(t, corner_of(m->other, past)), past, false};
    edge_end other_high = {dot(t, corner_of(m->other, m->facing)), m->facing, false};
    edge_end low = other_low.along >= face_low.along ? other_low : face_low;
    edge_end high = other_high.along <= face_high.along ? other_high : face_high;
    if (low.along > high.along)
        return false;
    add_end(list, p, m, low);
    add_end(list, p, m, high);
    return true;
}

static int find_facing(const placed_form *p, vec3 n)
{
    int facing = 0;
    double least = INFINITY;
    for (int k = 0; k < p->count; k++)
        if (dot(normal_of(p, k), n) < least) {
            least = dot(normal_of(p, k), n);
            facing = k;
        }
    return facing;
}

bool manifold_flat(touch_list *list, const touch_pair *p)
{
    const placed_form *a = &list->placed[p->first], *b = &list->placed[p->second];
    double of_a[CONVEX_MOST], of_b[CONVEX_MOST];
    int edge_a = 0, edge_b = 0;
    list->whole = true;
    double by_a = separate(a, b, of_a, &edge_a);
    if (by_a > p->reach)
        return true;
    double by_b = separate(b, a, of_b, &edge_b);
    if (by_b > p->reach)
        return true;
    /* The first body's edge while the other is hardly better: the choice must not flicker. */
    bool use_b = by_b > by_a + 0.1 * p->slop;
    edge_meeting m =
        use_b ? (edge_meeting){b, a, edge_b, 0, 0} : (edge_meeting){a, b, edge_a, 0, 1};
    vec3 n = normal_of(m.face, m.edge);
    m.facing = find_facing(m.other, n);
    if (manifold_is_fast(p) && (manifold_may_slip(p, separate_aside(a, of_a, n)) ||
                                manifold_may_slip(p, separate_aside(b, of_b, n))))
        return false;
    meet_edges(list, p, &m);
    return true;
}
