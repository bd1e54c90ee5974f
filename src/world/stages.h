/* The stages of a substep, in the order of step.c. Each opens its own timer. */
#ifndef WEIR_WORLD_STAGES_H
#define WEIR_WORLD_STAGES_H

#include "world/state.h"

void stage_step_begin(weir_world *w);
void stage_bodies_animate(weir_world *w, double dt);
bool stage_emit(weir_world *w, double dt, uint32_t *flags, weir_error *error);
void stage_predict(weir_world *w, double dt);
/* Before the first substep of a world: what fills have too much beside walls. */
bool stage_settle(weir_world *w, weir_error *error);
bool stage_search(weir_world *w, weir_error *error);
/* Before the search, and after it: particles to where it shall see them, and back. */
void stage_look_ahead(weir_world *w, double dt);
void stage_look_back(weir_world *w, double dt);
bool stage_depth(weir_world *w, weir_error *error);
bool stage_walls(weir_world *w, weir_error *error);
bool stage_forces(weir_world *w, double dt, weir_error *error);
bool stage_probes_begin(weir_world *w, weir_error *error);
void stage_project(weir_world *w, double dt);
bool stage_rows(weir_world *w, double dt, weir_error *error);
bool stage_solve(weir_world *w, double dt, weir_error *error);
void stage_move(weir_world *w, double dt);
bool stage_contacts(weir_world *w, double dt, weir_error *error);
bool stage_bodies_advance(weir_world *w, double dt, weir_error *error);
bool stage_collide(weir_world *w, weir_error *error);
void stage_wrap(weir_world *w);
void stage_probes_end(weir_world *w);
bool stage_check(weir_world *w, uint32_t *flags, weir_error *error);
void stage_step_end(weir_world *w, double dt);
/* Wakes fluid that anything comes near; at the begin of a substep (sleep.c). */
void stage_wake(weir_world *w, double dt);
/* Lets fluid sleep that has been at rest for a while; at the end of a step. */
bool stage_sleep(weir_world *w, double dt, weir_error *error);

#endif
