/* How much memory a new request may take before the machine starts to swap or kill. */
#ifndef WEIR_BASE_SYSTEM_MEMORY_H
#define WEIR_BASE_SYSTEM_MEMORY_H

#include <stdint.h>

/* Bytes that are free now, within the limits of the machine and of the container. UINT64_MAX where
 * the system does not say. */
uint64_t system_memory_available(void);

#endif
