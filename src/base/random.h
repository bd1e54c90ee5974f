/* Random numbers by counter: the n-th number of a stream is a function of its seed and n, so that
 * results do not depend on who asks first, and a restart needs no hidden state.
 * The mixing function and the increment are those of SplitMix64: Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014, fig. 13 and 16 (mix64variant13). */
#ifndef WEIR_BASE_RANDOM_H
#define WEIR_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 64 random bits. The seed is mixed first, so that neighbouring seeds give unrelated streams. */
static inline uint64_t random_bits(uint64_t seed, uint64_t counter)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 divided by the golden ratio */
    return random_mix(random_mix(seed + golden) + (counter + 1) * golden);
}

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double random_unit(uint64_t seed, uint64_t counter)
{
    return (double)(random_bits(seed, counter) >> 11) * 0x1p-53;
}

#endif
