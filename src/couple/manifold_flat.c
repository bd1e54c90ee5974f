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

/* The edge with the largest separation; the first one of equals. */
static inline int find_largest(const double each[CONVEX_MOST], int count)
{
    int edge = 0;
    double most = each[0];
    for (int k = 1; k < count; k++) {
        edge = each[k] > most ? k : edge;
        most = each[k] > most ? each[k] : most;
    }
    return edge;
}

/* How far b lies before each edge of a. Returns the edge with the largest separation. */
static int separate_corners(const placed_form *a, const placed_form *b, double each[CONVEX_MOST])
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
    return find_largest(each, a->count);
}

/* Where the edge of one body, the face, looks at an edge of the other. */
typedef struct edge_meeting {
    const placed_form *face, *other;
    int edge;   /* of the face */
    int facing; /* of the other: the edge that looks at it */
    uint8_t side_of_other;
} edge_meeting;

/* An end of the stretch along which two edges face each other. */
typedef struct edge_end {
    vec3 at;
    double rise;  /* of the other edge above the face */
    int corner;   /* of the body that it belongs to */
    bool on_face; /* of the edge whose normal counts; else of the other body */
} edge_end;

static inline void add_end(touch_list *list, const touch_pair *p, const edge_meeting *m, vec3 n,
                           edge_end end)
{
    if (end.rise > p->reach)
        return;
    uint8_t side = end.on_face ? (uint8_t)(1 - m->side_of_other) : m->side_of_other;
    list->items[list->count++] =
        (touch){.sample = (uint32_t)end.corner,
                .side = side,
                .plane = true,
                /* on the surface of the body without the corner */
                .point = vec3_madd(end.at, end.on_face ? end.rise : -end.rise, n),
                .normal = m->side_of_other == 0 ? n : vec3_scale(n, -1),
                .gap = end.rise};
}

static inline int next_of(const placed_form *p, int k)
{
    return k + 1 < p->count ? k + 1 : 0;
}

/* Nothing where the edges do not face each other at all. */
static void meet_edges(touch_list *list, const touch_pair *p, const edge_meeting *m)
{
    vec3 n = normal_of(m->face, m->edge), t = {-n.y, n.x, 0};
    /* Edges run counter-clockwise: along t on the face, against it on the other body. */
    int next = next_of(m->face, m->edge), past = next_of(m->other, m->facing);
    vec3 from = corner_of(m->face, m->edge), to = corner_of(m->face, next);
    vec3 a = corner_of(m->other, m->facing), b = corner_of(m->other, past);
    double face_low = dot(t, from), face_high = dot(t, to);
    double along_a = dot(t, a), along_b = dot(t, b), span = along_b - along_a;
    bool low_on_face = along_b<face_low, high_on_face = along_a> face_high;
    double low = low_on_face ? face_low : along_b, high = high_on_face ? face_high : along_a;
    if (low > high)
        return;
    double rise_a = dot(n, vec3_sub(a, from)), slope = dot(n, vec3_sub(b, a));
    if (low_on_face)
        add_end(list, p, m, n,
                (edge_end){.at = from,
                           .rise = rise_a + (span != 0 ? (low - along_a) / span : 0) * slope,
                           .corner = m->edge,
                           .on_face = true});
    else
        add_end(list, p, m, n,
                (edge_end){.at = b, .rise = dot(n, vec3_sub(b, from)), .corner = past});
    if (high_on_face)
        add_end(list, p, m, n,
                (edge_end){.at = to,
                           .rise = rise_a + (span != 0 ? (high - along_a) / span : 0) * slope,
                           .corner = next,
                           .on_face = true});
    else
        add_end(list, p, m, n, (edge_end){.at = a, .rise = rise_a, .corner = m->facing});
}

static int find_facing(const placed_form *p, vec3 n)
{
    int facing = 0;
    double least = INFINITY;
    for (int k = 0; k < p->count; k++) {
        double toward = dot(normal_of(p, k), n);
        facing = toward < least ? k : facing;
        least = toward < least ? toward : least;
    }
    return facing;
}

/* ------------------------------------------------------------------ rectangles */

/* The greater of two numbers along x and y: which edge it belongs to, the first one of equals. */
static inline int choose_edge(double along_x, double along_y, int edge_x, int edge_y)
{
    bool x = along_x > along_y || (along_x == along_y && edge_x < edge_y);
    return x ? edge_x : edge_y;
}

/* How two rectangles lie to each other. */
typedef struct side_view {
    vec3 apart;          /* from the middle of the first to that of the second */
    double cosine, sine; /* of the angle between their sides, without a sign */
} side_view;

static inline side_view view_sides(const placed_form *a, const placed_form *b)
{
    vec3 x = normal_of(a, 1), y = normal_of(a, 2), along = normal_of(b, 1);
    return (side_view){.apart = {b->middle[0] - a->middle[0], b->middle[1] - a->middle[1], 0},
                       .cosine = fabs(dot(x, along)),
                       .sine = fabs(dot(y, along))};
}

/* How far b lies before each edge of a, where `way` is 1, or the other way round for a view of b
 * and a, where it is -1. Returns the edge with the largest separation. */
static inline int separate_sides(const placed_form *a, const placed_form *b, const side_view *v,
                                 double way, double each[CONVEX_MOST])
{
    double x = way * dot(normal_of(a, 1), v->apart), y = way * dot(normal_of(a, 2), v->apart);
    double both_x = a->half_side[0] + v->cosine * b->half_side[0] + v->sine * b->half_side[1];
    double both_y = a->half_side[1] + v->sine * b->half_side[0] + v->cosine * b->half_side[1];
    each[0] = -y - both_y;
    each[1] = x - both_x;
    each[2] = y - both_y;
    each[3] = -x - both_x;
    return choose_edge(fabs(x) - both_x, fabs(y) - both_y, x < 0 ? 3 : 1, y > 0 ? 2 : 0);
}

static inline int find_facing_side(const placed_form *p, vec3 n)
{
    double x = dot(normal_of(p, 1), n), y = dot(normal_of(p, 2), n);
    return choose_edge(fabs(x), fabs(y), x > 0 ? 3 : 1, y < 0 ? 2 : 0);
}

/* ------------------------------------------------------------------------- all */

/* The largest separation along other directions than n. */
static double separate_aside(const placed_form *a, const double each[CONVEX_MOST], vec3 n)
{
    double most = -INFINITY;
    for (int k = 0; k < a->count; k++)
        if (each[k] > most && fabs(dot(normal_of(a, k), n)) < 0.9)
            most = each[k];
    return most;
}

bool manifold_flat(touch_list *list, const touch_pair *p)
{
    const placed_form *a = &list->placed[p->first], *b = &list->placed[p->second];
    bool sides = a->rectangle && b->rectangle;
    side_view view = sides ? view_sides(a, b) : (side_view){0};
    double of_a[CONVEX_MOST], of_b[CONVEX_MOST];
    list->whole = true;
    int edge_a = sides ? separate_sides(a, b, &view, 1, of_a) : separate_corners(a, b, of_a);
    if (of_a[edge_a] > p->reach)
        return true;
    int edge_b = sides ? separate_sides(b, a, &view, -1, of_b) : separate_corners(b, a, of_b);
    if (of_b[edge_b] > p->reach)
        return true;
    /* The first body's edge while the other is hardly better: the choice must not flicker. */
    bool use_b = of_b[edge_b] > of_a[edge_a] + 0.1 * p->slop;
    edge_meeting m =
        use_b ? (edge_meeting){b, a, edge_b, 0, 0} : (edge_meeting){a, b, edge_a, 0, 1};
    vec3 n = normal_of(m.face, m.edge);
    m.facing = m.other->rectangle ? find_facing_side(m.other, n) : find_facing(m.other, n);
    if (manifold_is_fast(p) && (manifold_may_slip(p, separate_aside(a, of_a, n)) ||
                                manifold_may_slip(p, separate_aside(b, of_b, n))))
        return false;
    meet_edges(list, p, &m);
    return true;
}
