#include "matter/contact_sums.h"

#include "matter/flow.h"
#include "par/parallel.h"

#include <string.h>

/* Particles of a chunk, and how many contacts are held at a time: more come in turns, so that
 * memory does not grow with them. The room beyond is for four solids at every particle of a chunk.
 */
enum { CHUNK = 256, HELD = 32768, ROOM = 4 * CHUNK };

/* Sums that threads write side by side lie in lines of the cache of their own. */
enum { LINE = 8 };

typedef struct sum_job {
    flow *f;
    int width;
    contact_terms find;
    const void *context;
    size_t first, last; /* chunks of this turn */
} sum_job;

bool contact_sums_begin(flow *f, int width)
{
    contact_sums *s = &f->sums;
    s->stride = (f->body_count + LINE - 1) / LINE * LINE;
    size_t count = s->stride * (size_t)width;
    if (!memory_grow(f->mem, (void **)&s->sums, &s->sum_capacity, count, 0, sizeof *s->sums))
        return false;
    if (count > 0)
        memset(s->sums, 0, count * sizeof *s->sums);
    return true;
}

static void count_chunk(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const flow *f = ((const sum_job *)context)->f;
    size_t count = 0;
    for (size_t n = begin; n < end; n++)
        count += f->walls.spans[f->walls.touching[n]].count;
    f->sums.chunks[begin / CHUNK].first = count;
}

/* Lists what the contacts of a chunk give, each component for itself, as they are read. */
static void find_chunk(const sum_job *job, size_t k)
{
    const flow *f = job->f;
    const contact_sums *s = &f->sums;
    contact_chunk *chunk = &s->chunks[k];
    size_t held = chunk->first - s->chunks[job->first].first, room = chunk[1].first - chunk->first;
    uint32_t *bodies = s->bodies + held;
    double *to = s->terms + held * (size_t)job->width, terms[CONTACT_SUMS_MOST];
    size_t end =
        (k + 1) * CHUNK < f->walls.touching_count ? (k + 1) * CHUNK : f->walls.touching_count;
    chunk->given = 0;
    for (size_t n = k * CHUNK; n < end; n++) {
        size_t i = f->walls.touching[n];
        const wall_span *solids = &f->walls.spans[i];
        for (uint32_t w = 0; w < solids->count; w++) {
            if (!job->find(job->context, n, i, w, terms))
                continue;
            bodies[chunk->given] = solids->contacts[w].body;
            for (int t = 0; t < job->width; t++)
                to[(size_t)t * room + chunk->given] = terms[t];
            chunk->given++;
        }
    }
}

static void find_chunks(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sum_job *job = context;
    for (size_t k = begin; k < end; k++)
        find_chunk(job, job->first + k);
}

/* Neighbours mostly touch the same body: its sum stays at hand. */
static void add_terms(double *sums, const uint32_t *bodies, const double *terms, size_t count)
{
    for (size_t k = 0; k < count;) {
        uint32_t b = bodies[k];
        double sum = sums[b];
        for (; k < count && bodies[k] == b; k++)
            sum += terms[k];
        sums[b] = sum;
    }
}

static void add_components(void *context, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sum_job *job = context;
    const contact_sums *s = &job->f->sums;
    for (size_t t = begin; t < end; t++)
        for (size_t k = job->first; k < job->last; k++) {
            const contact_chunk *chunk = &s->chunks[k];
            size_t held = chunk->first - s->chunks[job->first].first;
            size_t room = chunk[1].first - chunk->first;
            add_terms(s->sums + t * s->stride, s->bodies + held,
                      s->terms + held * (size_t)job->width + t * room, chunk->given);
        }
}

static bool hold(flow *f, size_t count, int width)
{
    contact_sums *s = &f->sums;
    return memory_grow(f->mem, (void **)&s->bodies, &s->body_capacity, count, 0,
                       sizeof *s->bodies) &&
           memory_grow(f->mem, (void **)&s->terms, &s->term_capacity, count * (size_t)width, 0,
                       sizeof *s->terms);
}

/* Chunks up to `last` make one turn. */
static bool take_turn(sum_job *job)
{
    flow *f = job->f;
    size_t total = f->sums.chunks[job->last].first - f->sums.chunks[job->first].first;
    int threads = total < ROOM ? 1 : f->threads;
    if (!hold(f, total, job->width))
        return false;
    parallel_for(threads, job->last - job->first, 1, find_chunks, job);
    parallel_for(threads, (size_t)job->width, 1, add_components, job);
    job->first = job->last;
    return true;
}

/* Counts become places. */
static void place_chunks(contact_chunk *chunks, size_t count)
{
    size_t total = 0;
    for (size_t k = 0; k < count; k++) {
        size_t here = chunks[k].first;
        chunks[k].first = total;
        total += here;
    }
    chunks[count].first = total;
}

bool contact_sums_add(flow *f, int width, contact_terms find, const void *context)
{
    sum_job job = {f, width, find, context, 0, 0};
    size_t touching = f->walls.touching_count, chunks = (touching + CHUNK - 1) / CHUNK;
    size_t most = (f->p.count < HELD ? f->p.count : HELD) + ROOM,
           most_chunks = f->p.count / CHUNK + 2;
    /* For the widest sums, so that no step takes more later. */
    if (!hold(f, most, CONTACT_SUMS_MOST) ||
        !memory_grow(f->mem, (void **)&f->sums.chunks, &f->sums.chunk_capacity, most_chunks, 0,
                     sizeof *f->sums.chunks))
        return false;
    if (f->walls.contact_count == 0)
        return true;
    parallel_for(touching < 4 * ROOM ? 1 : f->threads, touching, CHUNK, count_chunk, &job);
    place_chunks(f->sums.chunks, chunks);
    bool ok = true;
    for (size_t k = 0; ok && k < chunks; k++) {
        job.last = k + 1;
        if (k + 1 == chunks || f->sums.chunks[k + 2].first - f->sums.chunks[job.first].first > HELD)
            ok = take_turn(&job);
    }
    return ok;
}

void contact_sums_free(contact_sums *s, memory *m)
{
    memory_give(m, s->sums, s->sum_capacity * sizeof *s->sums);
    memory_give(m, s->chunks, s->chunk_capacity * sizeof *s->chunks);
    memory_give(m, s->bodies, s->body_capacity * sizeof *s->bodies);
    memory_give(m, s->terms, s->term_capacity * sizeof *s->terms);
    *s = (contact_sums){0};
}
