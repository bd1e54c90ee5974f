/* Impulses at contacts: what A gets, B loses, to the last bit of single precision. */
#ifndef WEIR_COUPLE_CONTACT_PUSH_H
#define WEIR_COUPLE_CONTACT_PUSH_H

#include "couple/meeting.h"

/* Gives A of a contact an impulse and B the opposite. Particles move along, as they have moved with
 * their velocity before. `friction` tells which force of the fluid it is, in reports. */
void contact_push(flow *f, const meeting *m, vec3 impulse, bool friction, double dt);

/* Velocity of A against B at the contact, now. */
vec3 contact_velocity(const flow *f, const meeting *m);

/* By how much a unit impulse along a direction changes that velocity along it. */
double contact_give(const flow *f, const meeting *m, vec3 direction);

/* Friction and stickiness, one contact after the other, once the collisions are resolved: what
 * slides is braked, and particles near a sticky body are pulled (Clavet et al. 2005, eqs. 11, 12).
 */
void contacts_grip(flow *f, const meeting_list *list, double radius, double dt);

#endif
