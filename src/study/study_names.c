/* The names by which parts of a study file refer to each other. */
#include "study/study_load.h"

#include <math.h>
#include <string.h>

/* Refuses a name that nothing has; `what` is the kind of thing that was meant. */
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

bool study_check_names(const study *s, weir_error *error)
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
