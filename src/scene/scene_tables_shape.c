/* What a scene file may say of shapes and where they are. */
#include "scene/scene_tables.h"

static const field rotation_fields[] = {
    {"angle", FIELD_NUMBER, AT(scene_turn, angle), INITIAL(scene_turn, angle, 0), .unit = "rad",
     .meaning = "Angle, anticlockwise; write 30 deg for degrees."},
    {"axis", FIELD_VECTOR, AT(scene_turn, axis), INITIAL(scene_turn, axis, 0, 0, 1),
     .meaning = "Axis of the rotation, of any length but 0; 3D only. In 2D it is z."},
};
const record scene_rotation_record = {"rotation",
                                      sizeof(scene_turn),
                                      TABLES(TABLE(rotation_fields)),
                                      .shorthand = "angle",
                                      .node_at = OFFSET_OF(scene_turn, node),
                                      .meaning = "A rotation: an angle about z, or about an axis."};

static const field half_space_fields[] = {
    {"normal", FIELD_VECTOR, AT(struct scene_half_space, normal),
     INITIAL(struct scene_half_space, normal, 0, 1, 0),
     .meaning = "Points out of the half-space; any length but 0."},
    {"point", FIELD_VECTOR, AT(struct scene_half_space, point), .unit = "m",
     .meaning = "A point of its surface."},
};
static const record half_space_record = {"half_space", sizeof(struct scene_half_space),
                                         TABLES(TABLE(half_space_fields)),
                                         .meaning = "Everything on one side of a plane."};

static bool check_box(const void *item, const node *n, weir_error *error)
{
    const scene_box *box = item;
    bool has_from = node_find(n, "from"), has_to = node_find(n, "to");
    bool has_size = node_find(n, "size"), has_center = node_find(n, "center");
    if ((has_from || has_to) == (has_size || has_center))
        return bind_error_at(n, NULL, error, "needs either 'from' and 'to', or 'size' ('center')");
    if (has_from != has_to)
        return bind_error_at(n, has_from ? "to" : "from", error,
                             "is missing: a box has both 'from' and 'to'");
    if (has_center && !has_size)
        return bind_error_at(n, "size", error, "is missing: a box with a 'center' needs it");
    if (has_from && !(box->from.x < box->to.x && box->from.y < box->to.y))
        return bind_error_at(n, "to", error, "must be larger than 'from' along every axis");
    return true;
}

static const field box_fields[] = {
    {"from", FIELD_VECTOR, AT(scene_box, from), .unit = "m", .meaning = "Its lower corner."},
    {"to", FIELD_VECTOR, AT(scene_box, to), .unit = "m", .meaning = "Its upper corner."},
    {"size", FIELD_VECTOR, AT(scene_box, size), .unit = "m", .range = ABOVE(0),
     .meaning = "Length of its edges, in place of from and to."},
    {"center", FIELD_VECTOR, AT(scene_box, center), .unit = "m",
     .meaning = "Its centre, with size."},
};
static const record box_record = {"box",
                                  sizeof(scene_box),
                                  TABLES(TABLE(box_fields)),
                                  .node_at = OFFSET_OF(scene_box, node),
                                  .check = check_box,
                                  .meaning = "A box with edges along the axes."};

static const field sphere_fields[] = {
    {"radius", FIELD_NUMBER, AT(struct scene_sphere, radius), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "Its radius."},
    {"center", FIELD_VECTOR, AT(struct scene_sphere, center), .unit = "m",
     .meaning = "Its centre."},
};
static const record sphere_record = {"sphere", sizeof(struct scene_sphere),
                                     TABLES(TABLE(sphere_fields)), .meaning = "A ball."};

static const field rod_fields[] = {
    {"radius", FIELD_NUMBER, AT(scene_rod, radius), .unit = "m", .range = ABOVE(0),
     .required = true, .meaning = "Its radius; in 2D half its width."},
    {"from", FIELD_VECTOR, AT(scene_rod, from), .unit = "m", .required = true,
     .meaning = "One end of its axis."},
    {"to", FIELD_VECTOR, AT(scene_rod, to), .unit = "m", .required = true,
     .meaning = "The other end of its axis."},
};
static const record rod_record = {"rod", sizeof(scene_rod), TABLES(TABLE(rod_fields)),
                                  .meaning = "A straight axis with a radius."};

static const field polygon_fields[] = {
    {"points", FIELD_VECTORS, AT_LIST(struct scene_polygon, points, count), .unit = "m",
     .min_count = 3, .required = true, .meaning = "Its corners in order, either way round."},
};
static const record polygon_record = {"polygon", sizeof(struct scene_polygon),
                                      TABLES(TABLE(polygon_fields)), .shorthand = "points",
                                      .meaning = "A polygon without crossings; 2D only."};

static const field mesh_fields[] = {
    {"file", FIELD_FILE, AT(scene_mesh, file), .required = true,
     .meaning = "An OBJ, PLY or STL file, relative to the scene file."},
    {"scale", FIELD_NUMBER, AT(scene_mesh, scale), INITIAL(scene_mesh, scale, 1), .range = ABOVE(0),
     .meaning = "Metres per unit of the file: 0.001 for millimetres."},
    {"repair", FIELD_BOOL, AT(scene_mesh, repair), INITIAL(scene_mesh, repair, false),
     .meaning = "Whether holes are filled; a mesh with holes is refused otherwise."},
};
static const record mesh_record = {"mesh", sizeof(scene_mesh), TABLES(TABLE(mesh_fields)),
                                   .shorthand = "file",
                                   .meaning = "The volume within a triangle mesh; 3D only."};

#define OF_KIND(kind) .group = 1, .tag = kind
static const field shape_fields[] = {
    {"box", FIELD_STRUCT, AT(scene_shape, of.box), .record = &box_record, OF_KIND(SCENE_BOX),
     .meaning = "A box with edges along the axes; a rectangle in 2D."},
    {"sphere", FIELD_STRUCT, AT(scene_shape, of.sphere), .record = &sphere_record,
     OF_KIND(SCENE_SPHERE), .meaning = "A ball; a disc in 2D."},
    {"circle", FIELD_STRUCT, AT(scene_shape, of.sphere), .record = &sphere_record,
     OF_KIND(SCENE_SPHERE), .meaning = "The same as sphere, for 2D."},
    {"capsule", FIELD_STRUCT, AT(scene_shape, of.rod), .record = &rod_record,
     OF_KIND(SCENE_CAPSULE), .meaning = "A cylinder with round ends."},
    {"cylinder", FIELD_STRUCT, AT(scene_shape, of.rod), .record = &rod_record,
     OF_KIND(SCENE_CYLINDER), .meaning = "A cylinder; in 2D a rectangle about its axis."},
    {"half_space", FIELD_STRUCT, AT(scene_shape, of.half_space), .record = &half_space_record,
     OF_KIND(SCENE_HALF_SPACE), .meaning = "Everything on one side of a plane, such as a floor."},
    {"polygon", FIELD_STRUCT, AT(scene_shape, of.polygon), .record = &polygon_record,
     OF_KIND(SCENE_POLYGON), .meaning = "A polygon by its corners; 2D only."},
    {"mesh", FIELD_STRUCT, AT(scene_shape, of.mesh), .record = &mesh_record, OF_KIND(SCENE_MESH),
     .meaning = "The volume within a triangle mesh; 3D only."},
    {"union", FIELD_LIST, AT_LIST(scene_shape, of.parts.items, of.parts.count),
     .record = &scene_shape_record, .min_count = 1, .max_count = 1000, OF_KIND(SCENE_UNION),
     .meaning = "Several shapes as one."},
    {"position", FIELD_VECTOR, AT(scene_shape, position), .unit = "m",
     .meaning = "Moves the shape."},
    {"rotation", FIELD_STRUCT, AT(scene_shape, rotation), .record = &scene_rotation_record,
     .meaning = "Turns the shape about the origin, before it is moved."},
    {"rounding", FIELD_NUMBER, AT(scene_shape, rounding), INITIAL(scene_shape, rounding, 0),
     .unit = "m", .range = AT_LEAST(0),
     .meaning = "Grows the shape by this; corners become round."},
    {"inside", FIELD_BOOL, AT(scene_shape, inside), INITIAL(scene_shape, inside, false),
     .meaning = "Takes everything but the shape: a tank is a box with the fluid inside."},
};
const record scene_shape_record = {
    "shape",
    sizeof(scene_shape),
    TABLES(TABLE(shape_fields)),
    GROUPS({.required = true, .tag_at = OFFSET_OF(scene_shape, kind)}),
    .node_at = OFFSET_OF(scene_shape, node),
    .meaning = "A shape: one kind, and where it is."};
