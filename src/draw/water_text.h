/* The shaders of water. */
#ifndef WEIR_DRAW_WATER_TEXT_H
#define WEIR_DRAW_WATER_TEXT_H

extern const char water_mesh_vertex[], water_mesh_front[], water_mesh_depth[];
extern const char water_splat_vertex[], water_splat_front[], water_splat_depth[];
extern const char water_screen_vertex[], water_smooth[], water_normal[], water_shade[];

#endif
