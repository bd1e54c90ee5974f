/* The cases that a study stands for: one for each combination of the values of its axes. */
#include "base/hash.h"
#include "out/file.h"
#include "scene/field.h"
#include "study/study_load.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 400 };

static bool no_memory(const study *s, weir_error *error)
{
    return fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", s->path);
}

bool study_add_methods(study *s, weir_error *error)
{
    study_data *d = &s->data;
    if (d->method_count == 0)
        return true;
    study_axis *axes = store_take_array(&s->kept, d->axis_count + 1, sizeof *axes);
    study_variant *values = store_take_array(&s->kept, d->method_count, sizeof *values);
    if (!axes || !values)
        return no_memory(s, error);
    for (size_t k = 0; k < d->method_count; k++)
        values[k] = (study_variant){
            .name = d->methods[k], .method = d->methods[k], .value = NAN, .quick = true};
    axes[0] = (study_axis){
        .node = d->node, .name = "method", .values = values, .value_count = d->method_count};
    if (d->axis_count > 0)
        memcpy(axes + 1, d->axes, d->axis_count * sizeof *axes);
    d->axes = axes;
    d->axis_count++;
    return true;
}

/* Takes out what a quick study does not have. */
static bool drop_slow(study *s, weir_error *error)
{
    for (size_t k = 0; s->quick && k < s->data.axis_count; k++) {
        study_axis *a = &s->data.axes[k];
        size_t kept = 0;
        for (size_t v = 0; v < a->value_count; v++)
            if (a->values[v].quick)
                a->values[kept++] = a->values[v];
        if (kept == 0)
            return bind_error_at(a->node, "values", error, "none of them is quick");
        a->value_count = kept;
    }
    return true;
}

/* "sph, 2 cm" and "sph_2-cm". */
static bool name_case(study *s, study_case *c)
{
    char text[NAME_BYTES] = "";
    writing w = {text, sizeof text, 0};
    for (size_t k = 0; k < s->data.axis_count; k++)
        writing_add(&w, "%s%s", k ? ", " : "", study_variant_of(s, c, k)->name);
    if (s->data.axis_count == 0)
        writing_add(&w, "%s", s->name);
    char *name = store_text(&s->kept, text, strlen(text));
    char *folder = store_text(&s->kept, text, strlen(text));
    if (!name || !folder)
        return false;
    char *to = folder;
    for (const char *from = text; *from; from++)
        if (isalnum((unsigned char)*from) || *from == '.' || *from == '-')
            *to++ = *from;
        else if (*from == ',')
            *to++ = '_';
        else if (*from == ' ' && from > text && from[-1] != ',')
            *to++ = '-';
        else if (*from == '/')
            *to++ = '-';
    *to = '\0';
    c->name = name;
    c->folder = folder;
    return true;
}

static void add_set(study_case *c, const char *const *set, size_t count)
{
    for (size_t k = 0; k < count; k++)
        c->set[c->set_count++] = set[k];
}

static bool set_case(study *s, study_case *c, weir_error *error)
{
    const study_data *d = &s->data;
    size_t most = d->set_count + d->quick_set_count + STUDY_MAX_AXES;
    for (size_t k = 0; k < d->axis_count; k++)
        most += study_variant_of(s, c, k)->set_count;
    for (size_t k = 0; k < d->adjust_count; k++)
        most += d->adjust[k].set_count;
    c->set = store_take_array(&s->kept, most, sizeof *c->set);
    if (!c->set || !name_case(s, c))
        return no_memory(s, error);
    c->scene = d->scene;
    add_set(c, d->set, d->set_count);
    add_set(c, d->quick_set, s->quick ? d->quick_set_count : 0);
    for (size_t k = 0; k < d->axis_count; k++) {
        const study_variant *v = study_variant_of(s, c, k);
        c->method = v->method ? v->method : c->method;
        c->scene = v->scene ? v->scene : c->scene;
        if (d->axes[k].key) {
            size_t size = strlen(d->axes[k].key) + strlen(v->name) + 2;
            char *text = store_take(&s->kept, size);
            if (!text)
                return no_memory(s, error);
            snprintf(text, size, "%s=%s", d->axes[k].key, v->name);
            c->set[c->set_count++] = text;
        }
        add_set(c, v->set, v->set_count);
    }
    for (size_t k = 0; k < d->adjust_count; k++)
        if (study_matches(s, c, &d->adjust[k].where))
            add_set(c, d->adjust[k].set, d->adjust[k].set_count);
    for (size_t k = 0; k < d->unable_count && !c->unable; k++)
        if (study_matches(s, c, &d->unable[k].where))
            c->unable = d->unable[k].reason;
    return c->scene ||
           bind_error_at(d->node, "scene", error, "is missing: the case '%s' has none", c->name);
}

static bool needs_frames(const study *s, const study_case *c)
{
    for (size_t k = 0; k < s->data.curve_count; k++)
        if (s->data.curves[k].kind >= STUDY_BODY)
            return true;
    for (size_t k = 0; k < s->data.picture_count; k++)
        if (study_matches(s, c, &s->data.pictures[k].where))
            return true;
    return false;
}

bool study_list_cases(study *s, weir_error *error)
{
    if (!drop_slow(s, error))
        return false;
    size_t count = 1;
    for (size_t k = 0; k < s->data.axis_count; k++)
        count *= s->data.axes[k].value_count;
    if (count > STUDY_MAX_CASES)
        return fail(error, WEIR_INVALID, "%s: %zu cases are too many: at most %d", s->path, count,
                    STUDY_MAX_CASES);
    s->cases = store_take_array(&s->kept, count, sizeof *s->cases);
    if (!s->cases)
        return no_memory(s, error);
    s->case_count = count;
    for (size_t k = 0; k < count; k++) {
        size_t rest = k;
        for (size_t a = s->data.axis_count; a-- > 0;) {
            s->cases[k].index[a] = rest % s->data.axes[a].value_count;
            rest /= s->data.axes[a].value_count;
        }
        if (!set_case(s, &s->cases[k], error))
            return false;
        s->cases[k].needs_frames = needs_frames(s, &s->cases[k]);
        for (size_t before = 0; before < k; before++)
            if (strcmp(s->cases[before].folder, s->cases[k].folder) == 0)
                return fail(error, WEIR_INVALID, "%s: two cases are named '%s': names must differ",
                            s->path, s->cases[k].name);
    }
    return true;
}

bool study_fingerprint(const study_case *c, uint64_t program, uint64_t *value, weir_error *error)
{
    size_t size = 0;
    void *bytes = file_read(c->scene, &size, error);
    if (!bytes)
        return false;
    hash_state state = hash_begin(program);
    hash_add(&state, bytes, size);
    for (size_t k = 0; k < c->set_count; k++)
        hash_add(&state, c->set[k], strlen(c->set[k]) + 1);
    if (c->method)
        hash_add(&state, c->method, strlen(c->method) + 1);
    hash_add(&state, &c->needs_frames, sizeof c->needs_frames);
    free(bytes);
    *value = hash_end(&state);
    return true;
}
