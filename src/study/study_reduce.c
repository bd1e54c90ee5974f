/* Curves to numbers. */
#include "study/study_run.h"

#include <math.h>

/* The part of a curve between two x; NAN bounds nothing. */
static study_points cut(const study_points *p, double from, double to)
{
    size_t begin = 0, end = p->count;
    while (begin < end && p->x[begin] < from - 1e-9)
        begin++;
    while (end > begin && p->x[end - 1] > to + 1e-9)
        end--;
    return (study_points){.x = p->x + begin, .y = p->y + begin, .count = end - begin};
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += values[k];
    return sum / (double)count;
}

static double extreme(const study_points *p, double sign)
{
    double found = -INFINITY;
    for (size_t k = 0; k < p->count; k++)
        found = fmax(found, sign * p->y[k]);
    return sign * found;
}

static double slope(const study_points *p)
{
    double mx = mean_of(p->x, p->count), my = mean_of(p->y, p->count), xx = 0, xy = 0;
    for (size_t k = 0; k < p->count; k++) {
        xx += (p->x[k] - mx) * (p->x[k] - mx);
        xy += (p->x[k] - mx) * (p->y[k] - my);
    }
    return xy / xx;
}

/* Twice the leading coefficient of the parabola of least squares. The second polynomial that is
 * orthogonal on the points takes it without solving a system. */
static double curvature(const study_points *p)
{
    double mx = mean_of(p->x, p->count), xx = 0, xxx = 0;
    for (size_t k = 0; k < p->count; k++) {
        double t = p->x[k] - mx;
        xx += t * t;
        xxx += t * t * t;
    }
    double skew = xxx / xx, offset = xx / (double)p->count, above = 0, below = 0;
    for (size_t k = 0; k < p->count; k++) {
        double t = p->x[k] - mx, q = t * t - skew * t - offset;
        above += q * p->y[k];
        below += q * q;
    }
    return 2 * above / below;
}

/* Where y passes a level between the points k and k + 1. */
static double crossing_at(const study_points *p, size_t k, double level)
{
    double share = (level - p->y[k]) / (p->y[k + 1] - p->y[k]);
    return p->x[k] + share * (p->x[k + 1] - p->x[k]);
}

static double crossing(const study_points *p, double level)
{
    for (size_t k = 0; k + 1 < p->count; k++)
        if ((p->y[k] < level) != (p->y[k + 1] < level))
            return crossing_at(p, k, level);
    return NAN;
}

/* Rises through the mean. After each, y must fall a tenth of its range below the mean before the
 * next one counts, so that noise does not. */
typedef struct waves {
    double first, last; /* x of the rises */
    double first_peak, last_peak;
    size_t rises;
} waves;

static waves find_waves(const study_points *p)
{
    double mean = mean_of(p->y, p->count), range = extreme(p, 1) - extreme(p, -1), peak = 0;
    bool armed = false;
    waves w = {.first = NAN, .last = NAN, .first_peak = NAN, .last_peak = NAN};
    for (size_t k = 0; k + 1 < p->count; k++) {
        armed = armed || p->y[k] < mean - range / 10;
        peak = fmax(peak, p->y[k] - mean);
        if (!armed || p->y[k + 1] < mean)
            continue;
        double x = crossing_at(p, k, mean);
        /* A peak counts between two rises. */
        if (w.rises == 0)
            w.first = x;
        else if (w.rises == 1)
            w.first_peak = peak;
        if (w.rises > 0)
            w.last_peak = peak;
        w.last = x;
        w.rises++;
        peak = 0;
        armed = false;
    }
    return w;
}

static double period(const study_points *p)
{
    waves w = find_waves(p);
    return w.rises < 2 ? NAN : (w.last - w.first) / (double)(w.rises - 1);
}

static double decay(const study_points *p)
{
    waves w = find_waves(p);
    return w.rises < 3 ? NAN : 1 - pow(w.last_peak / w.first_peak, 1 / (double)(w.rises - 2));
}

/* The difference to a reference at its points, as far as the curve reaches. */
static double error_against(const study_points *p, const study_reference *r, double from, double to,
                            bool largest)
{
    double sum = 0, most = 0;
    size_t count = 0;
    for (size_t k = 0; k < r->point_count; k++) {
        double x = r->points[k].x, y = study_points_at(p, x);
        if (x < from || x > to || isnan(y))
            continue;
        double difference = y - r->points[k].y;
        sum += difference * difference;
        most = fmax(most, fabs(difference));
        count++;
    }
    if (count == 0)
        return NAN;
    return largest ? most : sqrt(sum / (double)count);
}

static double reduce(const study_measure *m, const study_points *p, const study_reference *r)
{
    switch (m->reduction) {
    case STUDY_LAST:
        return p->y[p->count - 1];
    case STUDY_FIRST:
        return p->y[0];
    case STUDY_MEAN:
        return mean_of(p->y, p->count);
    case STUDY_MIN:
        return extreme(p, -1);
    case STUDY_MAX:
        return extreme(p, 1);
    case STUDY_RANGE:
        return extreme(p, 1) - extreme(p, -1);
    case STUDY_CHANGE:
        return p->y[p->count - 1] - p->y[0];
    case STUDY_AT:
        return study_points_at(p, m->at);
    case STUDY_SLOPE:
        return slope(p);
    case STUDY_CURVATURE:
        return curvature(p);
    case STUDY_CROSSING:
        return crossing(p, m->level);
    case STUDY_PERIOD:
        return period(p);
    case STUDY_DECAY:
        return decay(p);
    default:
        return r ? error_against(p, r, m->from, m->to, m->reduction == STUDY_MAX_ERROR) : NAN;
    }
}

double study_reduce(const study_measure *m, const study_points *p, const study_reference *reference)
{
    /* Errors keep the points outside: the curve is needed up to the reference's ends. */
    bool is_error = m->reduction == STUDY_RMS_ERROR || m->reduction == STUDY_MAX_ERROR;
    study_points part = is_error ? *p : cut(p, m->from, m->to);
    if (part.count == 0)
        return NAN;
    double value = (reduce(m, &part, reference) + m->offset) * m->scale;
    return m->size ? fabs(value) : value;
}
