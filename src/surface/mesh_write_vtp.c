/* VTK XML PolyData with appended raw data (Kitware's "VTK XML Formats"): the XML part names each
 * array and its offset behind the underscore; there each array is a UInt64 with its size in bytes,
 * and then the bytes. */
#include "out/file.h"
#include "surface/mesh_write.h"

typedef struct array {
    const char *name, *type;
    int components;
    size_t bytes;
    const void *data;
    void (*fill)(file_writer *w, const void *source); /* NULL: the data are written as they are */
    const void *source;
} array;

typedef struct vtp {
    file_writer file;
    uint64_t offset; /* of the next array */
} vtp;

static void print_array(vtp *v, const array *a)
{
    file_print(&v->file,
               "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
               "format=\"appended\" offset=\"%llu\"/>\n",
               a->type, a->name, a->components, (unsigned long long)v->offset);
    v->offset += sizeof(uint64_t) + a->bytes;
}

static void print_start(vtp *v, size_t points, size_t lines, size_t polygons)
{
    file_print(&v->file,
               "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
               "byte_order=\"%s\" header_type=\"UInt64\">\n  <PolyData>\n"
               "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\" "
               "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
               file_is_little_endian() ? "LittleEndian" : "BigEndian", points, lines, polygons);
}

static void print_group(vtp *v, const char *name, const array *arrays, size_t count)
{
    file_print(&v->file, "      <%s>\n", name);
    for (size_t i = 0; i < count; i++)
        print_array(v, &arrays[i]);
    file_print(&v->file, "      </%s>\n", name);
}

static bool write_data(vtp *v, const array *arrays, size_t count, weir_error *error)
{
    file_print(&v->file, "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _");
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = arrays[i].bytes;
        file_write(&v->file, &bytes, sizeof bytes);
        if (arrays[i].fill)
            arrays[i].fill(&v->file, arrays[i].source);
        else
            file_write(&v->file, arrays[i].data, arrays[i].bytes);
    }
    file_print(&v->file, "\n  </AppendedData>\n</VTKFile>\n");
    return file_commit(&v->file, error);
}

/* The ends of triangles: 3, 6, 9, … */
static void fill_triangle_ends(file_writer *w, const void *source)
{
    size_t count = *(const size_t *)source;
    for (size_t i = 0; i < count && !w->failed; i++) {
        int64_t end = 3 * (int64_t)(i + 1);
        file_write(w, &end, sizeof end);
    }
}

static void fill_flat_points(file_writer *w, const void *source)
{
    const surface_outline *o = source;
    for (size_t i = 0; i < o->point_count && !w->failed; i++) {
        float point[3] = {o->points[2 * i], o->points[2 * i + 1], 0};
        file_write(w, point, sizeof point);
    }
}

static void fill_flat_velocities(file_writer *w, const void *source)
{
    const surface_outline *o = source;
    for (size_t i = 0; i < o->point_count && !w->failed; i++) {
        float velocity[3] = {o->velocities[2 * i], o->velocities[2 * i + 1], 0};
        file_write(w, velocity, sizeof velocity);
    }
}

/* Each polyline returns to its first point. */
static void fill_loops(file_writer *w, const void *source)
{
    const surface_outline *o = source;
    for (size_t l = 0; l < o->loop_count && !w->failed; l++) {
        size_t count = o->loop_start[l + 1] - o->loop_start[l];
        for (size_t i = 0; i <= count; i++) {
            uint32_t point = o->loop_start[l] + (uint32_t)(i % count);
            file_write(w, &point, sizeof point);
        }
    }
}

static void fill_loop_ends(file_writer *w, const void *source)
{
    const surface_outline *o = source;
    for (size_t l = 0; l < o->loop_count && !w->failed; l++) {
        int64_t end = o->loop_start[l + 1] + (int64_t)l + 1;
        file_write(w, &end, sizeof end);
    }
}

bool surface_mesh_write_vtp(const char *path, const surface_mesh *m, weir_error *error)
{
    size_t vectors = 3 * sizeof(float) * m->vertex_count, count = 3;
    array arrays[6] = {{"Points", "Float32", 3, vectors, m->positions, NULL, NULL},
                       {"connectivity", "UInt32", 1, 3 * sizeof(uint32_t) * m->triangle_count,
                        m->triangles, NULL, NULL},
                       {"offsets", "Int64", 1, sizeof(int64_t) * m->triangle_count, NULL,
                        fill_triangle_ends, &m->triangle_count}};
    if (m->normals)
        arrays[count++] = (array){"Normals", "Float32", 3, vectors, m->normals, NULL, NULL};
    if (m->velocities)
        arrays[count++] = (array){"velocity", "Float32", 3, vectors, m->velocities, NULL, NULL};
    if (m->fluids)
        arrays[count++] = (array){"fluid", "UInt8", 1, m->vertex_count, m->fluids, NULL, NULL};
    vtp v = {0};
    file_begin(&v.file, path);
    print_start(&v, m->vertex_count, 0, m->triangle_count);
    print_group(&v, "Points", arrays, 1);
    print_group(&v, "Polys", arrays + 1, 2);
    print_group(&v, "PointData", arrays + 3, count - 3);
    return write_data(&v, arrays, count, error);
}

bool surface_outline_write_vtp(const char *path, const surface_outline *o, weir_error *error)
{
    size_t vectors = 3 * sizeof(float) * o->point_count, count = 5;
    size_t loops = o->outline_count + o->loop_count;
    array arrays[7] = {
        {"Points", "Float32", 3, vectors, NULL, fill_flat_points, o},
        {"connectivity", "UInt32", 1, sizeof(uint32_t) * loops, NULL, fill_loops, o},
        {"offsets", "Int64", 1, sizeof(int64_t) * o->loop_count, NULL, fill_loop_ends, o},
        {"connectivity", "UInt32", 1, 3 * sizeof(uint32_t) * o->triangle_count, o->triangles, NULL,
         NULL},
        {"offsets", "Int64", 1, sizeof(int64_t) * o->triangle_count, NULL, fill_triangle_ends,
         &o->triangle_count}};
    if (o->velocities)
        arrays[count++] = (array){"velocity", "Float32", 3, vectors, NULL, fill_flat_velocities, o};
    if (o->fluids)
        arrays[count++] = (array){"fluid", "UInt8", 1, o->point_count, o->fluids, NULL, NULL};
    vtp v = {0};
    file_begin(&v.file, path);
    print_start(&v, o->point_count, o->loop_count, o->triangle_count);
    print_group(&v, "Points", arrays, 1);
    print_group(&v, "Lines", arrays + 1, 2);
    print_group(&v, "Polys", arrays + 3, 2);
    print_group(&v, "PointData", arrays + 5, count - 5);
    return write_data(&v, arrays, count, error);
}
