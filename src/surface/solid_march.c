#include "surface/solid_march.h"

#include "base/error.h"
#include "surface/march.h"

#include <math.h>

bool solid_march(surface_mesh *mesh, surface_outline *outline, const weir_shape_def *def,
                 double step, weir_error *error)
{
    memory m = memory_with_hooks(NULL);
    surface_particles none = {.dim = mesh ? 3 : 2, .spacing = 1};
    shape *solid = shape_create(&m, def, none.dim, error);
    if (!solid)
        return false;
    bounds b = shape_bounds(solid);
    vec3 size = vec3_sub(b.hi, b.lo);
    double largest = fmax(fmax(size.x, size.y), mesh ? size.z : 0);
    bool done = true;
    if (isfinite(largest)) {
        iso_field f;
        iso_field_of_solid(&f, solid, step > 0 ? step : largest / (mesh ? 100 : 400), &none);
        done = mesh ? march_mesh(mesh, &f) : march_outline(outline, &f);
        if (!done)
            fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the mesh of a solid");
    }
    shape_destroy(&m, solid);
    return done;
}
