/* Complementarity problems by their masses and contacts; lcp_file.h shows the format. */
#include "base/vec.h"
#include "scene/lcp_file_parts.h"

static bool read_vec3(const node *map, const char *key, vec3 *v, weir_error *error)
{
    const node *list = node_find(map, key);
    double values[3];
    if (!list)
        return bind_error_at(map, key, error, "is missing: must be three numbers");
    if (!lcp_file_numbers(list, 3, values, error))
        return false;
    *v = (vec3){values[0], values[1], values[2]};
    return true;
}

static bool read_mass(const node *n, double *inverse, weir_error *error)
{
    double mass = 0;
    if (!lcp_file_number(n, &mass, error))
        return false;
    if (!(mass > 0))
        return bind_error_at(n, NULL, error, "%g is not allowed: must be > 0", mass);
    *inverse = 1 / mass;
    return true;
}

static bool read_body(const node *map, lcp_body *body, weir_error *error)
{
    const node *mass = node_find(map, "mass"), *inertia = node_find(map, "inertia");
    double inverse = 0;
    if (!mass || !inertia)
        return bind_error_at(map, mass ? "inertia" : "mass", error,
                             "is missing: a body has mass and inertia, three numbers");
    if (!read_mass(mass, &inverse, error))
        return false;
    if (inertia->kind != NODE_LIST || inertia->count != 3)
        return bind_error_at(inertia, NULL, error, "must be three numbers, about x, y and z");
    *body = (lcp_body){.inverse_mass = {inverse, inverse, inverse}};
    int k = 0;
    for (const node *n = inertia->first; n; n = n->next, k++)
        if (!read_mass(n, &body->inverse_inertia[4 * k], error))
            return false;
    return true;
}

/* The list `key`, which may be missing: NULL then, and a count of 0. */
static bool find_list(const node *map, const char *key, const node **list, weir_error *error)
{
    *list = node_find(map, key);
    if (*list && (*list)->kind != NODE_LIST)
        return bind_error_at(*list, NULL, error, "must be a list");
    return true;
}

/* An index below `count`, or -1 where the key is missing. */
static bool read_index(const node *map, const char *key, int count, int *index, weir_error *error)
{
    const node *n = node_find(map, key);
    double value = 0;
    *index = -1;
    if (!n)
        return true;
    if (!lcp_file_number(n, &value, error))
        return false;
    if (value != floor(value) || !(value >= 0) || !(value < count))
        return bind_error_at(n, NULL, error, "%g is not allowed: must count from 0 to %d", value,
                             count - 1);
    *index = (int)value;
    return true;
}

static bool put_body(const node *map, const char *arm_key, int body, vec3 direction, int side,
                     lcp_contact *row, weir_error *error)
{
    vec3 arm = {0, 0, 0};
    row->body[side] = body;
    if (body < 0)
        return true;
    if (!read_vec3(map, arm_key, &arm, error))
        return false;
    row->linear[side] = direction;
    row->angular[side] = vec3_cross(arm, direction);
    return true;
}

static bool read_contact(const node *map, const lcp_contacts *p, lcp_contact *row,
                         weir_error *error)
{
    int a, b;
    vec3 normal = {0, 0, 0};
    *row = (lcp_contact){.point = -1, .body = {-1, -1}};
    if (map->kind != NODE_MAP)
        return bind_error_at(map, NULL, error, "must be a mapping: {point, a, b, normal, ...}");
    if (!read_index(map, "point", p->points, &row->point, error) ||
        !read_index(map, "a", p->bodies, &a, error) ||
        !read_index(map, "b", p->bodies, &b, error) || !read_vec3(map, "normal", &normal, error))
        return false;
    if (row->point < 0 && a < 0 && b < 0)
        return bind_error_at(map, NULL, error, "names nothing that moves: give point, a or b");
    if ((row->point >= 0 && a >= 0) || (a >= 0 && a == b))
        return bind_error_at(map, "a", error, "is not allowed here: %s",
                             a == b ? "a and b must differ" : "the point is on that side");
    if (row->point >= 0)
        row->point_direction = normal;
    return put_body(map, "arm_b", b, vec3_scale(normal, -1), 0, row, error) &&
           put_body(map, "arm_a", a, normal, 1, row, error);
}

bool lcp_file_read_contacts(tree *t, const node *map, const node *contacts, const double *q,
                            lcp_file_problem *problem, weir_error *error)
{
    const node *points, *bodies;
    if (!find_list(map, "points", &points, error) || !find_list(map, "bodies", &bodies, error))
        return false;
    size_t point_count = points ? points->count : 0, body_count = bodies ? bodies->count : 0;
    if (contacts->kind != NODE_LIST || contacts->count != (size_t)problem->n)
        return bind_error_at(contacts, NULL, error, "must be a list of %d, as many as q has",
                             problem->n);
    lcp_contact *rows = store_take_array(&t->memory, contacts->count, sizeof *rows);
    double *masses = store_take_array(&t->memory, point_count + 1, sizeof *masses);
    lcp_body *body = store_take_array(&t->memory, body_count + 1, sizeof *body);
    if (!rows || !masses || !body)
        return bind_error_memory(map, error);
    problem->contacts = (lcp_contacts){.n = problem->n,
                                       .points = (int)point_count,
                                       .bodies = (int)body_count,
                                       .rows = rows,
                                       .point_inverse_mass = masses,
                                       .body = body,
                                       .q = q};
    for (const node *n = points ? points->first : NULL; n; n = n->next)
        if (!read_mass(n, masses++, error))
            return false;
    for (const node *n = bodies ? bodies->first : NULL; n; n = n->next)
        if (!read_body(n, body++, error))
            return false;
    for (const node *n = contacts->first; n; n = n->next)
        if (!read_contact(n, &problem->contacts, rows++, error))
            return false;
    return true;
}
