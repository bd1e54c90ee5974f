#include "method/constraint_walls.h"

#include "kernel/kernel.h"
#include "method/constraint.h"
#include "par/parallel.h"

#include <math.h>

double constraint_wall_distance(const flow *f)
{
    bool contact = f->parameters[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_CONTACT;
    return contact ? 0.5 * f->h : 0;
}

/* m W(d) of the paper, as a share of the rest density. */
static void make_field(const flow *f, wall_contact *contact)
{
    double volume = f->kappa * f->volume, d = fmax(contact->distance, 0);
    double slope = volume * kernel_derivative(f->kernel, f->dim, d, f->h);
    contact->volume = (float)(volume * kernel_value(f->kernel, f->dim, d, f->h));
    for (int a = 0; a < 3; a++)
        contact->gradient[a] = (float)slope * contact->normal[a];
}

static void make_empty(wall_contact *contact)
{
    contact->volume = 0;
    for (int a = 0; a < 3; a++)
        contact->gradient[a] = 0;
}

static void replace_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    flow *f = context;
    bool field = f->parameters[CONSTRAINT_WALLS] == CONSTRAINT_WALLS_FIELD;
    for (size_t i = begin; i < end; i++) {
        wall_span *solids = &f->walls.spans[i];
        solids->volume = 0;
        for (uint32_t w = 0; w < solids->count; w++) {
            if (field)
                make_field(f, &solids->contacts[w]);
            else
                make_empty(&solids->contacts[w]);
            solids->volume += solids->contacts[w].volume;
        }
    }
}

void constraint_walls_replace(flow *f)
{
    if (f->parameters[CONSTRAINT_WALLS] != CONSTRAINT_WALLS_VOLUME)
        parallel_for(f->threads, f->p.count, PARTICLE_GRAIN, replace_chunk, f);
}
