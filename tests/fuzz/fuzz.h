/* What is fuzzed: functions that take any bytes and must neither crash nor leak. fuzz_libfuzzer.c
 * hands them to libFuzzer, fuzz_replay.c runs a corpus and a fixed number of changes to it in any
 * build. */
#ifndef WEIR_TESTS_FUZZ_H
#define WEIR_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
    size_t longest; /* bytes; more is slow and finds no more */
} fuzz_target;

/* NULL behind the last. */
const fuzz_target *fuzz_target_at(int index);
const fuzz_target *fuzz_target_find(const char *name);

void fuzz_scene(const uint8_t *data, size_t size);
void fuzz_checkpoint(const uint8_t *data, size_t size);
void fuzz_mesh(const uint8_t *data, size_t size);
void fuzz_lcp(const uint8_t *data, size_t size);
void fuzz_study(const uint8_t *data, size_t size);
void fuzz_api(const uint8_t *data, size_t size);

/* A file with these bytes, for readers that want a path; the same for every call. */
const char *fuzz_file(const char *ending, const void *data, size_t size);

#endif
