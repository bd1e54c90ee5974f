/* The parameters of a fluid method as fields, so that scene files take what a method publishes. */
#ifndef WEIR_SCENE_PARAMETERS_H
#define WEIR_SCENE_PARAMETERS_H

#include "scene/bind.h"
#include "weir/weir.h"

/* Makes a table of the parameters, for doubles that follow each other from `offset` on, as
 * weir_world_def.parameters. The table lives in `memory`. */
bool parameters_to_table(const weir_parameter *parameters, int count, size_t offset, store *memory,
                         field_table *table, weir_error *error);

#endif
