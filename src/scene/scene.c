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
    static const char *const sections[][2] = {
        {"fluid", "fluids"}, {"fill", "fills"},       {"solid", "solids"}, {"body", "bodies"},
        {"joint", "joints"}, {"emitter", "emitters"}, {"sink", "sinks"},   {"probe", "probes"},
    };
    size_t length = strlen(assignment) + 3;
    char *text = malloc(length);
    if (!text)
        return NULL;
    for (size_t k = 0; k < sizeof sections / sizeof sections[0]; k++) {
        size_t used = strlen(sections[k][0]);
        if (strncmp(assignment, sections[k][0], used) == 0 && assignment[used] == '.') {
            snprintf(text, length, "%s%s", sections[k][1], assignment + used);
            return text;
        }
    }
    memcpy(text, assignment, strlen(assignment) + 1);
    return text;
}

/* The name that the file gives for the method; NULL without one. */
static const char *written_method(const tree *t)
{
    const node *method = node_find(t->root, "method");
    const node *name = method && method->kind == NODE_MAP ? node_find(method, "name") : method;
    return name && name->kind == NODE_SCALAR ? name->text : NULL;
}

/* Writes `path: name` as a mapping, `path: {key: name}`, so that keys can be set below it. */
static bool set_mapping(tree *t, const char *option, const char *at, const char *key,
                        const char *name, weir_error *error)
{
    char text[400];
    if (snprintf(text, sizeof text, "%s={%s: %s}", at, key, name) >= (int)sizeof text)
        return fail(error, WEIR_INVALID, "%s: '%.40s...' is too long", option, name);
    return tree_set(t, option, text, error);
}

/* "method.courant=1" where the file has "method: sph", "fluids.a.density=1" where it has
 * "a: water": the shorthand becomes a mapping first. */
static bool expand(tree *t, const char *option, const char *assignment, weir_error *error)
{
    const node *method = node_find(t->root, "method");
    if (strncmp(assignment, "method.", 7) == 0 && method && method->kind == NODE_SCALAR)
        return set_mapping(t, option, "method", "name", method->text, error);
    const node *fluids = node_find(t->root, "fluids");
    for (const node *f = fluids ? fluids->first : NULL; f; f = f->next) {
        char at[200];
        int length = snprintf(at, sizeof at, "fluids.%s", f->key ? f->key : "");
        if (f->kind == NODE_SCALAR && length < (int)sizeof at &&
            strncmp(assignment, at, (size_t)length) == 0 && assignment[length] == '.')
            return set_mapping(t, option, at, "preset", f->text, error);
    }
    return true;
}

static bool apply_one(tree *t, const scene_override *one, weir_error *error)
{
    const char *value = strchr(one->assignment, '=');
    const char *method = written_method(t);
    /* Parameters of the same method stay. */
    if (strcmp(one->option, "--method") == 0 && value)
        return (method && strcmp(method, value + 1) == 0) ||
               set_mapping(t, one->option, "method", "name", value + 1, error);
    char *text = spell_out(one->assignment);
    if (!text)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for %s", one->option);
    bool ok = expand(t, one->option, text, error) && tree_set(t, one->option, text, error);
    free(text);
    return ok;
}

static bool apply(scene *s, const scene_override *overrides, size_t count, weir_error *error)
{
    for (size_t k = 0; k < count; k++)
        if (!apply_one(s->tree, &overrides[k], error))
            return false;
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
    bool ok =
        root && folder && record_bind(root, s->tree->root, &s->data, &s->kept, &options, error);
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
