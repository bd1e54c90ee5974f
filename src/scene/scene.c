/* Scene files to structs: reading, overrides, binding, and the checks that need the whole. */
#include "scene/scene.h"

#include "mesh/mesh_distance.h"
#include "scene/scene_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "a/b/dam-break.yaml" -> "dam-break" */
static char *make_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    char *dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot > name)
        *dot = '\0';
    return name;
}

/* "fluid.water.viscosity=1" means fluids: a section may be written in the singular. */
static char *spell_out(const char *assignment)
{
    static const char *const sections[] = {"fluid",   "fill", "solid",
                                           "emitter", "sink", "probe"};
    size_t length = strlen(assignment) + 2;
    char *text = malloc(length);
    if (!text)
        return NULL;
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++) {
        size_t used = strlen(sections[k]);
        if (strncmp(assignment, sections[k], used) == 0 && assignment[used] == '.') {
            snprintf(text, length, "%ss%s", sections[k], assignment + used);
            return text;
        }
    }
    memcpy(text, assignment, length - 1);
    return text;
}

/* Whether the file has the method of "method=NAME" already, so that its parameters can stay. */
static bool has_method(const tree *t, const char *assignment)
{
    const node *method = node_find(t->root, "method");
    const node *name = method && method->kind == NODE_MAP ? node_find(method, "name") : method;
    const char *wanted = strchr(assignment, '=');
    return name && name->kind == NODE_SCALAR && wanted && strcmp(name->text, wanted + 1) == 0;
}

static bool apply(scene *s, const scene_override *overrides, size_t count, weir_error *error)
{
    for (size_t k = 0; k < count; k++) {
        if (strcmp(overrides[k].option, "--method") == 0 &&
            has_method(s->tree, overrides[k].assignment))
            continue;
        char *text = spell_out(overrides[k].assignment);
        bool ok = text ? tree_set(s->tree, overrides[k].option, text, error)
                       : fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for %s",
                              overrides[k].option);
        free(text);
        if (!ok)
            return false;
    }
    return true;
}

/* Vectors have as many numbers as there are dimensions, so dim must be known before them. What is
 * wrong with it, the binder says. */
static int find_dim(const tree *t)
{
    const node *dim = node_find(t->root, "dim");
    return dim && dim->kind == NODE_SCALAR && strcmp(dim->text, "2") == 0 ? 2 : 3;
}

static bool bind_scene(scene *s, weir_error *error)
{
    const record *root = scene_record(&s->kept, error);
    char *folder = strdup(s->path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[1] = '\0';
    bind_options options = {.folder = slash ? folder : NULL, .dim = find_dim(s->tree)};
    bool ok = root && folder && record_bind(root, s->tree->root, &s->data, &s->kept, &options, error);
    if (!folder)
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the scene");
    free(folder);
    return ok;
}

scene *scene_load(const char *path, const scene_override *overrides, size_t count,
                  weir_error *error)
{
    scene *s = calloc(1, sizeof *s);
    if (s) {
        s->name = make_name(path);
        s->path = strdup(path);
    }
    if (!s || !s->name || !s->path) {
        fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the scene");
        scene_free(s);
        return NULL;
    }
    s->tree = tree_load(path, NULL, error);
    if (!s->tree || !apply(s, overrides, count, error) || !bind_scene(s, error) ||
        !scene_check(s, error)) {
        scene_free(s);
        return NULL;
    }
    return s;
}

void scene_free(scene *s)
{
    if (!s)
        return;
    for (size_t k = 0; k < s->mesh_count; k++) {
        mesh_distance_free(s->meshes[k]);
        free(s->meshes[k]);
    }
    free(s->meshes);
    tree_free(s->tree);
    store_free(&s->kept);
    free(s->name);
    free(s->path);
    free(s);
}
