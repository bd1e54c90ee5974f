/* Which triangles marching cubes puts into a cell, for each of the 256 ways in which its corners
 * can lie inside or outside. */
#ifndef WEIR_SURFACE_CUBES_H
#define WEIR_SURFACE_CUBES_H

#include <stdbool.h>
#include <stdint.h>

/* Corner c lies at (c & 1, c >> 1 & 1, c >> 2 & 1). Edge 4·axis + k runs along `axis`; k counts
 * the four by the other two coordinates, the lower axis first. */
enum { CUBE_EDGES = 12, CUBE_MAX_TRIANGLES = 5 };

typedef struct cube_case {
    uint8_t count; /* of triangles */
    uint8_t edges[CUBE_MAX_TRIANGLES][3];
} cube_case;

typedef struct cube_table {
    cube_case cases[256];    /* bit c: corner c is inside */
    uint8_t low[CUBE_EDGES]; /* the corner at the lower end of each edge */
} cube_table;

/* The corner at the lower end of an edge. */
int cube_edge_corner(int edge);

/* False only if the rules contradict each other, which a test excludes. */
bool cube_table_build(cube_table *table);

#endif
