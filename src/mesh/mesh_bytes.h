/* Numbers in binary files, in either byte order. */
#ifndef WEIR_MESH_MESH_BYTES_H
#define WEIR_MESH_MESH_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* `size` bytes (1, 2, 4 or 8) as an unsigned number. */
static inline uint64_t bytes_unsigned(const char *at, int size, bool big_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        int place = big_endian ? size - 1 - i : i;
        value |= (uint64_t)(unsigned char)at[i] << (8 * place);
    }
    return value;
}

static inline uint32_t bytes_uint32(const char *at, bool big_endian)
{
    return (uint32_t)bytes_unsigned(at, 4, big_endian);
}

static inline double bytes_float(const char *at, bool big_endian)
{
    uint32_t bits = bytes_uint32(at, big_endian);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline double bytes_double(const char *at, bool big_endian)
{
    uint64_t bits = bytes_unsigned(at, 8, big_endian);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
