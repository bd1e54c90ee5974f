/* Ids by value. An id is an index into a pool with the generation of the slot,
 * so that a stale id is recognised after its slot was reused. A zeroed id is null. */
#ifndef WEIR_ID_H
#define WEIR_ID_H

#include <stdint.h>

/* Ids of one kind of thing are a type of their own. */
#define WEIR_DECLARE_ID(name)                                                                      \
    typedef struct name {                                                                          \
        uint32_t slot; /* slot + 1; 0 = null */                                                    \
        uint32_t generation;                                                                       \
    } name

WEIR_DECLARE_ID(weir_fluid_id);
WEIR_DECLARE_ID(weir_body_id);
WEIR_DECLARE_ID(weir_joint_id);
WEIR_DECLARE_ID(weir_emitter_id);
WEIR_DECLARE_ID(weir_sink_id);
WEIR_DECLARE_ID(weir_probe_id);

#endif
