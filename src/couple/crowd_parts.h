/* Between a crowd's contacts and the lanes that solve them. */
#ifndef WEIR_COUPLE_CROWD_PARTS_H
#define WEIR_COUPLE_CROWD_PARTS_H

#include "couple/crowd.h"

/* Floats of all bodies and of one more that nothing moves, in whole lanes. */
static inline size_t crowd_work_count(int dim, size_t bodies)
{
    size_t count = (bodies + 1) * (dim == 2 ? CROWD_FLAT_STRIDE : CROWD_SPACE_STRIDE);
    return (count + CROWD_LANES - 1) / CROWD_LANES * CROWD_LANES;
}

/* The spin that an angular impulse gives. */
static inline vec3 crowd_turn(const crowd_body *b, vec3 angular)
{
    const double(*m)[3] = b->inverse_inertia;
    return (vec3){m[0][0] * angular.x + m[0][1] * angular.y + m[0][2] * angular.z,
                  m[1][0] * angular.x + m[1][1] * angular.y + m[1][2] * angular.z,
                  m[2][0] * angular.x + m[2][1] * angular.y + m[2][2] * angular.z};
}

/* Copies what is read of the bodies and deals the pairs out to batches, whose rows are 0 where
 * nobody fills them. False without memory. */
bool crowd_deal(crowd *c, flow *f, const contact_list *list);
/* The same with rows for velocities, the multipliers that they start from, and right sides for
 * displacements. */
bool crowd_pack(crowd *c, flow *f, contact_list *list, double dt);
/* Takes the multipliers back, and sums what they mean in doubles. */
void crowd_unpack(crowd *c, const flow *f, contact_list *list);
/* Sums the displacements that the multipliers mean. */
void crowd_sum_mending(crowd *c, const flow *f, const contact_list *list);

#endif
