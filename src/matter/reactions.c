#include "matter/reactions.h"

#include "par/parallel.h"

/* Particles of a chunk, and how many reactions are held at a time: more come in turns, so that
 * memory does not grow with the contacts. The room beyond is for four solids at every particle of a
 * chunk. */
enum { CHUNK = 256, HELD = 16384, ROOM = 4 * CHUNK };

typedef struct reaction_job {
    reactions *r;
    const flow *f;
    reaction_finder find;
    const void *context;
    size_t first, last; /* chunks of this turn */
} reaction_job;

static void count_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const reaction_job *job = context;
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        count += job->f->walls.spans[i].count;
    job->r->starts[begin / CHUNK] = count;
}

static void find_chunk(const reaction_job *job, size_t chunk)
{
    const flow *f = job->f;
    size_t begin = chunk * CHUNK, end = begin + CHUNK < f->p.count ? begin + CHUNK : f->p.count;
    reaction *to = job->r->items + (job->r->starts[chunk] - job->r->starts[job->first]);
    for (size_t i = begin; i < end; i++) {
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++, to++) {
            to->body = solids->contacts[w].body;
            to->point = flow_nearest(f, flow_position(f, i), &f->bodies[to->body]);
            job->find(job->context, i, w, to);
        }
    }
}

static void find_chunks(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const reaction_job *job = context;
    for (size_t k = begin; k < end; k++)
        find_chunk(job, job->first + k);
}

/* Chunks up to `last` make one turn. */
static bool take_turn(reaction_job *job, flow *f)
{
    reactions *r = job->r;
    size_t total = r->starts[job->last] - r->starts[job->first];
    if (!memory_grow(f->mem, (void **)&r->items, &r->capacity, total, 0, sizeof *r->items))
        return false;
    parallel_for(total < ROOM ? 1 : f->threads, job->last - job->first, 4, find_chunks, job);
    for (size_t k = 0; k < total; k++) {
        const reaction *one = &r->items[k];
        if (one->body != REACTION_NONE)
            body_push(&f->bodies[one->body], one->point, one->pressure, one->viscous);
    }
    job->first = job->last;
    return true;
}

static bool reserve(reactions *r, const flow *f, size_t chunks)
{
    size_t held = (f->p.count < HELD ? f->p.count : HELD) + ROOM;
    return memory_grow(f->mem, (void **)&r->items, &r->capacity, held, 0, sizeof *r->items) &&
           memory_grow(f->mem, (void **)&r->starts, &r->start_capacity, chunks + 1, 0,
                       sizeof *r->starts);
}

bool reactions_sum(reactions *r, flow *f, reaction_finder find, const void *context)
{
    reaction_job job = {r, f, find, context, 0, 0};
    size_t chunks = (f->p.count + CHUNK - 1) / CHUNK, total = 0;
    if (!reserve(r, f, chunks))
        return false;
    if (f->walls.contact_count == 0)
        return true;
    parallel_for(f->threads, f->p.count, CHUNK, count_chunk, &job);
    for (size_t k = 0; k < chunks; k++) {
        size_t here = r->starts[k];
        r->starts[k] = total;
        total += here;
    }
    r->starts[chunks] = total;
    bool ok = true;
    for (size_t k = 0; ok && k < chunks; k++) {
        job.last = k + 1;
        if (k + 1 == chunks || r->starts[k + 2] - r->starts[job.first] > HELD)
            ok = take_turn(&job, f);
    }
    return ok;
}

void reactions_free(reactions *r, memory *m)
{
    memory_give(m, r->items, r->capacity * sizeof *r->items);
    memory_give(m, r->starts, r->start_capacity * sizeof *r->starts);
    *r = (reactions){0};
}
