/* Study files to structs, and the cases that they stand for. */
#include "study/study.h"

#include "base/hash.h"
#include "out/file.h"
#include "scene/field.h"
#include "scene/quantity.h"
#include "scene/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 400 };

/* --------------------------------------------------------------------- look-ups */

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

#define FIND(what, list, count)                                                                    \
    for (size_t k = 0; name && k < (count); k++)                                                   \
        if (strcmp((list)[k].name, name) == 0)                                                     \
            return &(list)[k];                                                                     \
    return NULL

const study_curve *study_find_curve(const study *s, const char *name)
{
    FIND(curve, s->data.curves, s->data.curve_count);
}

const study_reference *study_find_reference(const study *s, const char *name)
{
    FIND(reference, s->data.references, s->data.reference_count);
}

const study_measure *study_find_measure(const study *s, const char *name)
{
    FIND(measure, s->data.measures, s->data.measure_count);
}

/* ----------------------------------------------------------------------- checks */

/* Refuses a name that nothing has; `offer` names what there is. */
static bool refuse(const node *n, const char *key, const char *name, const char *what,
                   weir_error *error)
{
    return bind_error_at(n, key, error, "'%s' is not allowed: there is no %s of this name", name,
                         what);
}

static bool is_variant(const study_data *d, const char *name)
{
    for (size_t k = 0; k < d->axis_count; k++)
        for (size_t v = 0; v < d->axes[k].value_count; v++)
            if (strcmp(d->axes[k].values[v].name, name) == 0)
                return true;
    return false;
}

static bool check_where(const study *s, const node *n, const char *key, const study_where *where,
                        weir_error *error)
{
    for (size_t k = 0; k < where->count; k++)
        if (!is_variant(&s->data, where->names[k]))
            return refuse(n, key, where->names[k], "method or value of an axis", error);
    return true;
}

static bool check_measure(const study *s, const study_measure *m, weir_error *error)
{
    if (m->curve && !study_find_curve(s, m->curve))
        return refuse(m->node, "curve", m->curve, "curve", error);
    if (m->reference && !study_find_reference(s, m->reference))
        return refuse(m->node, "reference", m->reference, "reference", error);
    if (m->order && study_find_axis(s, m->order) < 0)
        return refuse(m->node, "order", m->order, "axis", error);
    if (!check_where(s, m->node, "where", &m->where, error))
        return false;
    for (size_t k = 0; k < m->expect_count; k++)
        if (!check_where(s, m->expect[k].node, "where", &m->expect[k].where, error))
            return false;
    return true;
}

static bool check_plot(const study *s, const study_plot *p, weir_error *error)
{
    if (p->curve && !study_find_curve(s, p->curve))
        return refuse(p->node, "curve", p->curve, "curve", error);
    if (p->measure && !study_find_measure(s, p->measure))
        return refuse(p->node, "measure", p->measure, "measure", error);
    if (p->against && study_find_axis(s, p->against) < 0)
        return refuse(p->node, "against", p->against, "axis", error);
    for (size_t k = 0; k < p->reference_count; k++)
        if (!study_find_reference(s, p->references[k]))
            return refuse(p->node, "references", p->references[k], "reference", error);
    return check_where(s, p->node, "where", &p->where, error);
}

static bool check_finding(const study *s, const study_finding *f, weir_error *error)
{
    if (!study_find_measure(s, f->measure))
        return refuse(f->node, "measure", f->measure, "measure", error);
    if (isnan(f->at_most) && isnan(f->at_least))
        return bind_error_at(f->node, NULL, error, "needs one of the keys: at_most, at_least");
    return check_where(s, f->node, "of", &f->of, error) &&
           check_where(s, f->node, "over", &f->over, error);
}

static bool check(const study *s, weir_error *error)
{
    const study_data *d = &s->data;
    bool ok = true;
    for (size_t k = 0; ok && k < d->measure_count; k++)
        ok = check_measure(s, &d->measures[k], error);
    for (size_t k = 0; ok && k < d->plot_count; k++)
        ok = check_plot(s, &d->plots[k], error);
    for (size_t k = 0; ok && k < d->finding_count; k++)
        ok = check_finding(s, &d->findings[k], error);
    for (size_t k = 0; ok && k < d->adjust_count; k++)
        ok = check_where(s, d->adjust[k].node, "where", &d->adjust[k].where, error);
    for (size_t k = 0; ok && k < d->unable_count; k++)
        ok = check_where(s, d->unable[k].node, "where", &d->unable[k].where, error);
    for (size_t k = 0; ok && k < d->picture_count; k++)
        ok = check_where(s, d->pictures[k].node, "where", &d->pictures[k].where, error);
    return ok;
}

/* ------------------------------------------------------------------------- axes */

/* The methods become the first axis. */
static bool add_methods(study *s, weir_error *error)
{
    study_data *d = &s->data;
    if (d->method_count == 0)
        return true;
    study_axis *axes = store_take_array(&s->kept, d->axis_count + 1, sizeof *axes);
    study_variant *values = store_take_array(&s->kept, d->method_count, sizeof *values);
    if (!axes || !values)
        return fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", s->path);
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

/* ------------------------------------------------------------------------ cases */

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

static bool add_set(study_case *c, const char *const *set, size_t count)
{
    for (size_t k = 0; k < count; k++)
        c->set[c->set_count++] = set[k];
    return true;
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
        return fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", s->path);
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
                return fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", s->path);
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

static bool list_cases(study *s, weir_error *error)
{
    size_t count = 1;
    for (size_t k = 0; k < s->data.axis_count; k++)
        count *= s->data.axes[k].value_count;
    if (count > STUDY_MAX_CASES)
        return fail(error, WEIR_INVALID, "%s: %zu cases are too many: at most %d", s->path, count,
                    STUDY_MAX_CASES);
    s->cases = store_take_array(&s->kept, count, sizeof *s->cases);
    if (!s->cases)
        return fail(error, WEIR_OUT_OF_MEMORY, "%s: memory ran out", s->path);
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

/* -------------------------------------------------------------------------- all */

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
              add_methods(s, error) && check(s, error) && drop_slow(s, error) &&
              list_cases(s, error);
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
