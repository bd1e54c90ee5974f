/* Checkpoints: any bytes as a file, and states of worlds in which any bytes were changed but all
 * checksums are right, which accidents do not make but other programs can. The first byte chooses:
 * odd, the rest is a file; even, it says the world, and the rest is a list of changes of ten bytes
 * each: a place of two bytes, and what is written there. */
#include "fuzz.h"

#include "base/hash.h"
#include "out/checkpoint.h"
#include "support/mixed_world.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORLDS = 2 * WEIR_METHOD_COUNT, CHANGE = 10, HEADER = 64 };

static const uint64_t FINGERPRINT = 7;

static weir_world *make_world(int index)
{
    weir_error error;
    mixed_options options =
        mixed_options_default(2 + index % 2, (weir_method)(index / 2 % WEIR_METHOD_COUNT));
    options.spacing = 0.125;
    return mixed_world_create(&options, &error);
}

/* The file of a world after two steps. */
typedef struct saved {
    uint8_t *bytes;
    size_t size;
} saved;

static const saved *save_world(int index)
{
    static saved all[WORLDS];
    weir_error error;
    saved *s = &all[index];
    if (s->bytes)
        return s;
    weir_world *world = make_world(index);
    checkpoint_run run = {0};
    for (int k = 0; world && k < 2; k++)
        weir_world_step(world, 0.002, &error);
    const char *path = fuzz_file(".weir", "", 0);
    if (!world || !checkpoint_write(path, world, FINGERPRINT, "fuzz", &run, &error)) {
        fprintf(stderr, "fuzz: %s\n", error.text);
        exit(2);
    }
    weir_world_destroy(world);
    FILE *file = fopen(path, "rb");
    s->bytes = malloc(1 << 22);
    s->size = file && s->bytes ? fread(s->bytes, 1, 1 << 22, file) : 0;
    if (file)
        fclose(file);
    return s;
}

static uint64_t read_number(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Makes the checksums of whatever table the bytes have fit, as far as it lies in them. */
static void mend_checksums(uint8_t *bytes, size_t size)
{
    uint64_t length = size, table, count, sum;
    if (size < HEADER)
        return;
    memcpy(bytes + 16, &length, sizeof length);
    table = read_number(bytes + 24);
    count = read_number(bytes + 32);
    if (table > size || count > (size - table) / sizeof(container_section))
        return;
    for (uint64_t k = 0; k < count; k++) {
        container_section section;
        uint8_t *at = bytes + table + k * sizeof section;
        memcpy(&section, at, sizeof section);
        if (section.offset > size || section.count > (size - section.offset) / 8)
            continue;
        uint64_t filled = (section.count * section.element + 63) / 64 * 64;
        if (filled <= size - section.offset)
            section.checksum = hash_bytes(0, bytes + section.offset, (size_t)filled);
        memcpy(at, &section, sizeof section);
    }
    sum = hash_bytes(0, bytes + table, (size_t)(count * sizeof(container_section)));
    memcpy(bytes + 40, &sum, sizeof sum);
    sum = hash_bytes(0, bytes, 56);
    memcpy(bytes + 56, &sum, sizeof sum);
}

/* A world as it was made. Making one takes longer than all else here, so that they are kept, and
 * begin each time from the same state. */
static weir_world *fresh_world(int index)
{
    static weir_world *worlds[WORLDS];
    static weir_snapshot *starts[WORLDS];
    weir_error error;
    if (!worlds[index]) {
        worlds[index] = make_world(index);
        starts[index] = worlds[index] ? weir_world_take_snapshot(worlds[index], &error) : NULL;
    }
    if (!starts[index] || !weir_world_restore_snapshot(worlds[index], starts[index], &error)) {
        fprintf(stderr, "fuzz: a world cannot be made or restored\n");
        abort();
    }
    return worlds[index];
}

static void read_back(int index, const void *bytes, size_t size)
{
    weir_error error;
    checkpoint_run run;
    weir_world *world = fresh_world(index);
    if (checkpoint_read(fuzz_file(".weir", bytes, size), world, FINGERPRINT, &run, &error)) {
        weir_step_limit limit = weir_world_get_step_limit(world, &error);
        if (limit.seconds > 0)
            weir_world_step(world, limit.seconds < 0.002 ? limit.seconds : 0.002, &error);
        weir_world_get_statistics(world);
        weir_world_hash(world);
    }
}

void fuzz_checkpoint(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    int index = data[0] / 2 % WORLDS;
    if (data[0] % 2 == 1) {
        read_back(index, data + 1, size - 1);
        return;
    }
    const saved *s = save_world(index);
    uint8_t *bytes = malloc(s->size);
    if (!bytes)
        return;
    memcpy(bytes, s->bytes, s->size);
    for (size_t at = 1; at + CHANGE <= size; at += CHANGE) {
        size_t place = (size_t)(data[at] | data[at + 1] << 8) * s->size / 65536;
        place = place / 4 * 4;
        if (place + 8 <= s->size)
            memcpy(bytes + place, data + at + 2, 8);
    }
    mend_checksums(bytes, s->size);
    read_back(index, bytes, s->size);
    free(bytes);
}
