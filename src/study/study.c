/* Study files to structs, and look-ups in them. */
#include "study/study.h"

#include "scene/quantity.h"
#include "study/study_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *make_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    char *dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot > name)
        *dot = '\0';
    return name;
}

static bool load(study *s, weir_error *error)
{
    char *folder = strdup(s->path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[1] = '\0';
    s->tree = tree_load(s->path, NULL, error);
    bind_options options = {.folder = slash ? folder : NULL, .dim = 0};
    bool ok = s->tree &&
              record_bind(study_record(), s->tree->root, &s->data, &s->kept, &options, error) &&
              study_add_methods(s, error) && study_check_names(s, error) &&
              study_list_cases(s, error);
    free(folder);
    return ok;
}

study *study_load(const char *path, bool quick, weir_error *error)
{
    study *s = calloc(1, sizeof *s);
    if (s) {
        s->path = strdup(path);
        s->name = make_name(path);
        s->quick = quick;
    }
    if (!s || !s->path || !s->name) {
        fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", path);
        study_free(s);
        return NULL;
    }
    if (!load(s, error)) {
        study_free(s);
        return NULL;
    }
    return s;
}

void study_free(study *s)
{
    if (!s)
        return;
    store_free(&s->kept);
    tree_free(s->tree);
    free(s->path);
    free(s->name);
    free(s);
}

int study_find_axis(const study *s, const char *name)
{
    for (size_t k = 0; k < s->data.axis_count; k++)
        if (strcmp(s->data.axes[k].name, name) == 0)
            return (int)k;
    return -1;
}

const study_variant *study_variant_of(const study *s, const study_case *c, size_t axis)
{
    return &s->data.axes[axis].values[c->index[axis]];
}

double study_value(const study *s, size_t axis, size_t index)
{
    const study_axis *a = &s->data.axes[axis];
    double value = a->values[index].value;
    if (isnan(value) && quantity_parse(a->values[index].name, a->unit, &value) != QUANTITY_OK)
        return NAN;
    return value;
}

bool study_matches(const study *s, const study_case *c, const study_where *where)
{
    for (size_t n = 0; n < where->count; n++) {
        bool found = false;
        for (size_t k = 0; k < s->data.axis_count && !found; k++)
            found = strcmp(study_variant_of(s, c, k)->name, where->names[n]) == 0;
        if (!found)
            return false;
    }
    return true;
}

bool study_has(const study *s, const study_where *where)
{
    for (size_t k = 0; k < s->case_count; k++)
        if (study_matches(s, &s->cases[k], where))
            return true;
    return false;
}

#define FIND(list, count)                                                                          \
    for (size_t k = 0; name && k < (count); k++)                                                   \
        if (strcmp((list)[k].name, name) == 0)                                                     \
            return &(list)[k];                                                                     \
    return NULL

const study_curve *study_find_curve(const study *s, const char *name)
{
    FIND(s->data.curves, s->data.curve_count);
}

const study_reference *study_find_reference(const study *s, const char *name)
{
    FIND(s->data.references, s->data.reference_count);
}

const study_measure *study_find_measure(const study *s, const char *name)
{
    FIND(s->data.measures, s->data.measure_count);
}
