#include "scene/parameters.h"

#include <math.h>

static bool add_choices(const weir_parameter *p, store *memory, field *f)
{
    size_t count = 0;
    while (p->choices[count])
        count++;
    choice *choices = store_take_array(memory, count, sizeof *choices);
    if (!choices)
        return false;
    for (size_t i = 0; i < count; i++)
        choices[i] = (choice){.name = p->choices[i], .value = (int)i};
    f->kind = FIELD_CHOICE;
    f->choices = choices;
    f->choice_count = count;
    return true;
}

static bool fill(const weir_parameter *p, size_t index, store *memory, field *f)
{
    double *initial = store_take(memory, sizeof *initial);
    if (!initial)
        return false;
    *initial = p->initial;
    *f = (field){
        .key = p->name,
        .kind = FIELD_NUMBER,
        .offset = index * sizeof(double),
        .size = sizeof(double),
        .initial = initial,
        .unit = p->unit,
        .zero_means = p->zero_means,
        .meaning = p->meaning,
    };
    if (p->choices)
        return add_choices(p, memory, f);
    if (isfinite(p->min)) {
        f->range.ends |= RANGE_MIN;
        f->range.min = p->min;
    }
    if (isfinite(p->max)) {
        f->range.ends |= RANGE_MAX;
        f->range.max = p->max;
    }
    return true;
}

bool parameters_to_table(const weir_parameter *parameters, int count, size_t offset, store *memory,
                         field_table *table, weir_error *error)
{
    field *fields = store_take_array(memory, (size_t)count, sizeof *fields);
    for (int i = 0; fields && i < count; i++)
        if (!fill(&parameters[i], (size_t)i, memory, &fields[i]))
            fields = NULL;
    if (!fields)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the method's parameters");
    *table = (field_table){fields, (size_t)count, offset};
    return true;
}
