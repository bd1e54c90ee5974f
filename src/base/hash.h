/* A 64-bit hash of bytes: checksums of files and fingerprints of states.
 * XXH64, written from its published description (Y. Collet, "xxHash fast digest algorithm",
 * specification version 0.1.1, sections "XXH64 Algorithm Description" 1 to 7), so that any other
 * implementation, such as the program xxhsum, gives the same values. Words are read as little
 * endian on every machine, and the result does not depend on how the bytes were cut into pieces.
 * It guards against accidents, not against an opponent. */
#ifndef WEIR_BASE_HASH_H
#define WEIR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_PRIME_1 UINT64_C(0x9E3779B185EBCA87)
#define HASH_PRIME_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define HASH_PRIME_3 UINT64_C(0x165667B19E3779F9)
#define HASH_PRIME_4 UINT64_C(0x85EBCA77C2B2AE63)
#define HASH_PRIME_5 UINT64_C(0x27D4EB2F165667C5)

enum { HASH_STRIPE = 32 };

typedef struct hash_state {
    uint64_t lane[4];
    uint64_t seed;
    uint64_t length;                   /* bytes taken so far */
    unsigned char stripe[HASH_STRIPE]; /* the first length % 32 bytes wait for a full stripe */
} hash_state;

static inline uint64_t hash_rotate(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static inline uint64_t hash_load_64(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t hash_load_32(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static inline uint64_t hash_round(uint64_t lane, uint64_t word)
{
    return hash_rotate(lane + word * HASH_PRIME_2, 31) * HASH_PRIME_1;
}

static inline hash_state hash_begin(uint64_t seed)
{
    return (hash_state){.lane = {seed + HASH_PRIME_1 + HASH_PRIME_2, seed + HASH_PRIME_2, seed,
                                 seed - HASH_PRIME_1},
                        .seed = seed};
}

static inline void hash_add_stripe(hash_state *state, const unsigned char *stripe)
{
    for (int i = 0; i < 4; i++)
        state->lane[i] = hash_round(state->lane[i], hash_load_64(stripe + 8 * i));
}

static inline void hash_add(hash_state *state, const void *data, size_t count)
{
    const unsigned char *bytes = data;
    size_t waiting = (size_t)(state->length % HASH_STRIPE);
    state->length += count;
    if (waiting > 0) {
        size_t room = HASH_STRIPE - waiting;
        size_t taken = count < room ? count : room;
        if (taken > 0)
            memcpy(state->stripe + waiting, bytes, taken);
        if (taken < room)
            return;
        hash_add_stripe(state, state->stripe);
        bytes += taken;
        count -= taken;
    }
    for (; count >= HASH_STRIPE; count -= HASH_STRIPE, bytes += HASH_STRIPE)
        hash_add_stripe(state, bytes);
    if (count > 0)
        memcpy(state->stripe, bytes, count);
}

/* The four lanes as one value; short inputs never reach them. */
static inline uint64_t hash_join(const hash_state *state)
{
    const uint64_t *lane = state->lane;
    uint64_t value = hash_rotate(lane[0], 1) + hash_rotate(lane[1], 7) + hash_rotate(lane[2], 12) +
                     hash_rotate(lane[3], 18);
    for (int i = 0; i < 4; i++)
        value = (value ^ hash_round(0, lane[i])) * HASH_PRIME_1 + HASH_PRIME_4;
    return value;
}

/* The hash of everything added so far; more may be added afterwards. */
static inline uint64_t hash_end(const hash_state *state)
{
    uint64_t value = state->length >= HASH_STRIPE ? hash_join(state) : state->seed + HASH_PRIME_5;
    value += state->length;

    const unsigned char *bytes = state->stripe;
    size_t left = (size_t)(state->length % HASH_STRIPE);
    for (; left >= 8; left -= 8, bytes += 8)
        value = hash_rotate(value ^ hash_round(0, hash_load_64(bytes)), 27) * HASH_PRIME_1 +
                HASH_PRIME_4;
    if (left >= 4) {
        value = hash_rotate(value ^ (hash_load_32(bytes) * HASH_PRIME_1), 23) * HASH_PRIME_2 +
                HASH_PRIME_3;
        left -= 4;
        bytes += 4;
    }
    for (; left > 0; left--, bytes++)
        value = hash_rotate(value ^ (*bytes * HASH_PRIME_5), 11) * HASH_PRIME_1;

    value = (value ^ (value >> 33)) * HASH_PRIME_2;
    value = (value ^ (value >> 29)) * HASH_PRIME_3;
    return value ^ (value >> 32);
}

static inline uint64_t hash_bytes(uint64_t seed, const void *data, size_t count)
{
    hash_state state = hash_begin(seed);
    hash_add(&state, data, count);
    return hash_end(&state);
}

#endif
