/* Runs a target over a corpus, and over a fixed number of changed copies of it: a short fuzz run
 * that is the same everywhere and needs no fuzzer.
 *   fuzz_replay TARGET CHANGES FOLDER-OR-FILE ... */
#include "fuzz.h"

#include "base/random.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 512 };

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static input inputs[MOST_FILES];
static size_t input_count;

static void read_input(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || input_count == MOST_FILES) {
        fprintf(stderr, "fuzz: %s cannot be read\n", path);
        exit(2);
    }
    uint8_t *data = malloc(1 << 20);
    if (!data)
        exit(2);
    size_t size = fread(data, 1, 1 << 20, file);
    fclose(file);
    inputs[input_count++] = (input){data, size};
}

/* In the order of names, so that every machine sees the same. */
static void read_folder(const char *path)
{
    struct dirent **entries;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        read_input(path);
        return;
    }
    int count = scandir(path, &entries, NULL, alphasort);
    for (int k = 0; k < count; k++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[k]->d_name);
        if (entries[k]->d_name[0] != '.')
            read_input(name);
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
}

static uint64_t next;

static size_t pick(size_t below)
{
    return below ? (size_t)(random_bits(12345, next++) % below) : 0;
}

/* One change: a bit, a byte, a number, a piece that is doubled, dropped or taken from another. */
static size_t change(uint8_t *data, size_t size, size_t longest)
{
    static const uint8_t bytes[] = {0,   1,   0x7f, 0x80, 0xff, ' ', '\n',
                                    '-', '0', '9',  ':',  '.',  '['};
    size_t at = pick(size), length = 1 + pick(16);
    const input *other = &inputs[pick(input_count)];
    if (length > size - at)
        length = size - at;
    switch (pick(6)) {
    case 0:
        data[at] ^= (uint8_t)(1u << pick(8));
        return size;
    case 1:
        data[at] = bytes[pick(sizeof bytes)];
        return size;
    case 2:
        for (size_t k = 0; k < length; k++)
            data[at + k] = (uint8_t)pick(256);
        return size;
    case 3:
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 4:
        if (size + length > longest)
            return size;
        memmove(data + at + length, data + at, size - at);
        return size + length;
    default:
        for (size_t k = 0, from = pick(other->size); k < length && from + k < other->size; k++)
            data[at + k] = other->data[from + k];
        return size;
    }
}

static void run_copy(const fuzz_target *target, const uint8_t *data, size_t size)
{
    /* Of its exact size, so that a sanitizer sees a byte too many. */
    uint8_t *copy = malloc(size + (size == 0));
    if (!copy)
        exit(2);
    memcpy(copy, data, size);
    target->run(copy, size);
    free(copy);
}

int main(int argc, char **argv)
{
    const fuzz_target *target = fuzz_target_find(argc > 1 ? argv[1] : NULL);
    if (!target || argc < 4) {
        fprintf(stderr, "usage: fuzz_replay TARGET CHANGES FOLDER-OR-FILE ...\n");
        return 2;
    }
    for (int k = 3; k < argc; k++)
        read_folder(argv[k]);
    for (size_t k = 0; k < input_count; k++)
        run_copy(target, inputs[k].data, inputs[k].size);
    long changes = atol(argv[2]);
    uint8_t *data = malloc(target->longest + 1);
    for (long k = 0; data && input_count > 0 && k < changes; k++) {
        const input *from = &inputs[pick(input_count)];
        size_t size = from->size < target->longest ? from->size : target->longest;
        memcpy(data, from->data, size);
        for (size_t n = 1 + pick(5); n > 0 && size > 0; n--)
            size = change(data, size, target->longest);
        run_copy(target, data, size);
    }
    free(data);
    printf("%s: %zu inputs, %ld changed copies\n", target->name, input_count, changes);
    for (size_t k = 0; k < input_count; k++)
        free(inputs[k].data);
    return 0;
}
