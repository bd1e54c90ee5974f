#include "couple/touch.h"

#include "couple/manifold.h"

/* ------------------------------------------------------------------ touches */

typedef struct touch_search {
    touch_list *list;
    memory *m;
    const touch_pair *p;
    int side;
} touch_search;

static bool add_touch(const touch_search *s, touch t)
{
    touch_list *list = s->list;
    if (!memory_grow(s->m, (void **)&list->items, &list->capacity, list->count + 1, list->count,
                     sizeof *list->items))
        return false;
    list->items[list->count++] = t;
    return true;
}

static const body *pair_mover(const touch_pair *p, int side)
{
    return &p->f->bodies[side == 0 ? p->first : p->second];
}

static const body *pair_ground(const touch_pair *p, int side)
{
    return &p->f->bodies[side == 0 ? p->second : p->first];
}

/* One ball against the ground's surface. In a hollow edge or corner the nearest wall hides the
 * others: seen from farther out along the normals found, the next one is the nearest. */
static bool touch_sample(const touch_search *s, uint32_t sample, vec3 local, double radius)
{
    const body *ground = pair_ground(s->p, s->side);
    vec3 normals[3], from = local;
    double step = fmax(radius / 2, s->p->reach);
    for (int found = 0; found < 3; found++) {
        vec3 normal;
        double d = shape_distance(ground->shape, from, &normal);
        double gap = d - vec3_dot(vec3_sub(from, local), normal) - radius;
        for (int k = 0; k < found; k++)
            if (vec3_dot(normal, normals[k]) > 0.9)
                return true;
        if (gap > s->p->reach)
            return true;
        vec3 point = pose_point(ground->pose, vec3_madd(local, -(gap + radius), normal));
        vec3 out = quat_rotate(ground->pose.rotation, normal);
        if (!add_touch(s, (touch){.sample = sample,
                                  .side = (uint8_t)s->side,
                                  .order = (uint8_t)found,
                                  .point = point,
                                  .normal = s->side == 0 ? out : vec3_scale(out, -1),
                                  .gap = gap,
                                  .radius = radius}))
            return false;
        normals[found] = normal;
        from = vec3_madd(from, step, normal);
    }
    return true;
}

/* A rotation as three columns: quicker than a quaternion for many points. */
typedef struct frame {
    vec3 x, y, z, origin;
} frame;

static frame relative_frame(pose ground, pose mover)
{
    quat turn = quat_multiply(quat_conjugate(ground.rotation), mover.rotation);
    return (frame){quat_rotate(turn, (vec3){1, 0, 0}), quat_rotate(turn, (vec3){0, 1, 0}),
                   quat_rotate(turn, (vec3){0, 0, 1}), pose_local_point(ground, mover.position)};
}

static vec3 frame_point(const frame *f, vec3 v)
{
    return (vec3){f->origin.x + f->x.x * v.x + f->y.x * v.y + f->z.x * v.z,
                  f->origin.y + f->x.y * v.x + f->y.y * v.y + f->z.y * v.z,
                  f->origin.z + f->x.z * v.x + f->y.z * v.y + f->z.z * v.z};
}

static bool is_within(const bounds *b, vec3 point, double margin)
{
    return point.x >= b->lo.x - margin && point.x <= b->hi.x + margin &&
           point.y >= b->lo.y - margin && point.y <= b->hi.y + margin &&
           point.z >= b->lo.z - margin && point.z <= b->hi.z + margin;
}

static bool search_side(const touch_search *s)
{
    const body *mover = pair_mover(s->p, s->side), *ground = pair_ground(s->p, s->side);
    double reach = s->p->reach;
    if (mover->samples.count == 0)
        return true;
    /* The whole mover at once: its centre is farther away than its radius. */
    vec3 centre = pose_local_point(ground->pose, body_centre(mover));
    if (shape_distance(ground->shape, centre, NULL) > mover->radius + reach)
        return true;
    frame to_ground = relative_frame(ground->pose, mover->pose);
    for (size_t k = 0; k < mover->samples.count; k++) {
        const contact_sample *sample = &mover->samples.points[k];
        vec3 local = frame_point(&to_ground, sample->point);
        if (ground->bounded && !is_within(&ground->bounds, local, reach + sample->radius))
            continue;
        if (!touch_sample(s, (uint32_t)k, local, sample->radius))
            return false;
    }
    return true;
}

/* Which side is a ball that alone tells where it touches the other, or -1. Corners that go a long
 * way about a ball are followed on theirs: its plane at the start would be off by way²/diameter. */
static int find_ball(const touch_pair *p)
{
    const convex *a = p->f->bodies[p->first].form, *b = p->f->bodies[p->second].form;
    if (!a || !b)
        return -1;
    bool slow = p->travel < 0.02 * p->size;
    if (!slow)
        return -1;
    return a->kind == CONVEX_BALL ? 0 : b->kind == CONVEX_BALL ? 1 : -1;
}

bool touches_find(touch_list *list, memory *m, const touch_pair *p)
{
    list->count = 0;
    list->whole = false;
    if (list->capacity < MANIFOLD_MOST && !memory_grow(m, (void **)&list->items, &list->capacity,
                                                       MANIFOLD_MOST, 0, sizeof *list->items))
        return false;
    if (manifold_find(list, p))
        return true;
    list->count = 0;
    list->whole = false;
    /* Samples of each against the other: the corner of either may be what touches. A ball is known
     * by its one sample. */
    int one = find_ball(p);
    for (int side = 0; side < 2; side++)
        if ((one < 0 || side == one) && !search_side(&(touch_search){list, m, p, side}))
            return false;
    return true;
}

/* ----------------------------------------------------------------- thinning */

/* Touches with nearly the same normal bear the same load: few of them say it all. */
typedef struct patch {
    touch_list *list;
    const touch *deepest;
    double size; /* m, of the bodies */
} patch;

/* Touches that bore the load before are kept while others are hardly better: their impulses are
 * known, those of others would have to be found again. */
static double habit(const touch *t, double size)
{
    return t->known ? 0.05 * size : 0;
}

static bool is_of_patch(const patch *p, const touch *t)
{
    return !t->taken && vec3_dot(t->normal, p->deepest->normal) > 0.9;
}

/* The touch of the patch that is farthest from a point, in any direction or along one (not 0). One
 * that hangs in the air is no support, however far out it is. NULL when there is none. */
static touch *find_farthest(const patch *p, vec3 from, vec3 along)
{
    touch *best = NULL;
    double far = 0;
    for (size_t k = 0; k < p->list->count; k++) {
        touch *t = &p->list->items[k];
        if (!is_of_patch(p, t))
            continue;
        vec3 way = vec3_sub(t->point, from);
        double value = vec3_dot(along, along) > 0 ? vec3_dot(way, along) : vec3_length(way);
        if (value <= 1e-3 * p->size)
            continue;
        value += habit(t, p->size) - 4 * (t->gap - p->deepest->gap);
        if (value > far * (1 + 1e-9) + 1e-12) {
            far = value;
            best = t;
        }
    }
    return best;
}

/* Besides the deepest: the touch farthest from it, and those farthest out on both sides of the line
 * between (in 2D: on the other side). Returns how many there are in all. */
static size_t span_patch(const patch *p, int dim, touch *taken[PATCH_TOUCHES])
{
    size_t count = 1;
    vec3 from = taken[0]->point;
    touch *far = find_farthest(p, from, (vec3){0, 0, 0});
    if (!far)
        return count;
    far->taken = true;
    taken[count++] = far;
    vec3 line = vec3_unit(vec3_sub(far->point, from), (vec3){1, 0, 0});
    vec3 across = vec3_unit(vec3_cross(taken[0]->normal, line), (vec3){0, 0, 1});
    const vec3 ways[2] = {dim == 2 ? vec3_scale(line, -1) : across, vec3_scale(across, -1)};
    for (int k = 0; k < dim - 1; k++) {
        touch *t = find_farthest(p, from, ways[k]);
        if (!t)
            continue;
        t->taken = true;
        taken[count++] = t;
    }
    return count;
}

static touch *find_deepest(touch_list *list, const touch_pair *p)
{
    touch *deepest = NULL;
    double least = INFINITY;
    for (size_t k = 0; k < list->count; k++) {
        touch *t = &list->items[k];
        double depth = t->gap - 0.02 * habit(t, p->size);
        if (!t->taken && depth < least - 1e-3 * p->slop) {
            least = depth;
            deepest = t;
        }
    }
    return deepest;
}

size_t touches_take_patch(touch_list *list, const touch_pair *p, touch *taken[PATCH_TOUCHES])
{
    taken[0] = find_deepest(list, p);
    if (!taken[0])
        return 0;
    patch at = {list, taken[0], p->size};
    taken[0]->taken = true;
    size_t count = span_patch(&at, p->f->dim, taken);
    for (size_t k = 0; k < list->count; k++)
        if (is_of_patch(&at, &list->items[k]))
            list->items[k].taken = true;
    return count;
}

/* -------------------------------------------------------------- looking ahead */

bool touch_look_ahead(const touch_pair *p, touch *t)
{
    enum { MOST_LOOKS = 40 };
    const body *mover = pair_mover(p, t->side), *ground = pair_ground(p, t->side);
    vec3 way = vec3_scale(
        vec3_sub(body_velocity_at(mover, t->point), body_velocity_at(ground, t->point)), p->dt);
    double length = vec3_length(way), least = t->radius / 2, gone = 0, gap = t->gap;
    if (length <= p->slop || gap <= -least)
        return true;
    vec3 out = t->side == 0 ? t->normal : vec3_scale(t->normal, -1);
    vec3 start = pose_local_point(ground->pose, vec3_madd(t->point, t->gap + t->radius, out));
    vec3 along = vec3_scale(quat_unrotate(ground->pose.rotation, way), 1 / length), normal;
    for (int k = 0; k < MOST_LOOKS && gone < length && gap > -least; k++) {
        gone = fmin(gone + fmax(gap, least), length);
        vec3 at = vec3_madd(start, gone, along);
        double distance = shape_distance(ground->shape, at, &normal);
        gap = distance - t->radius;
        /* Distance of the start from the plane that touches the surface next to `at`. */
        t->gap = gap - vec3_dot(vec3_sub(at, start), normal);
        t->point = pose_point(ground->pose, vec3_madd(start, -(t->gap + t->radius), normal));
        t->normal = quat_rotate(ground->pose.rotation, normal);
    }
    if (t->side == 1)
        t->normal = vec3_scale(t->normal, -1);
    return gap <= p->slop;
}
