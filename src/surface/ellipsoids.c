/* The kernels as solid ellipsoids, for splats (Macklin and Müller 2013 §7). */
#include "base/error.h"
#include "surface/iso_level.h"
#include "surface/kernels.h"

#include <math.h>
#include <stdlib.h>

bool surface_ellipsoids_build(surface_ellipsoid *out, const surface_particles *p,
                              const surface_settings *settings, weir_error *error)
{
    surface_settings s = *settings;
    s.kind = SURFACE_ANISOTROPIC;
    iso_level found;
    if (!kernels_check(p, &s, error) || !iso_level_find(&found, p->dim, &s, error))
        return false;
    s.level = found.level;
    kernel_shape *shapes = malloc((p->count + 1) * sizeof *shapes);
    if (!shapes)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out for the splats of %zu particles",
                    p->count);
    bool built = kernels_build(shapes, p, &s, error);
    if (built)
        kernels_shrink_lonely(shapes, p->count, p->dim, &s);
    /* The support of a particle alone ends beyond its surface, which is where (1 − q²)³ = level. */
    double lonely = sqrt(1 - cbrt(s.level));
    for (size_t i = 0; built && i < p->count; i++) {
        const kernel_shape *k = &shapes[i];
        double blend = kernels_blend(k->fullness);
        double factor = p->spacing * (blend * found.splat + (1 - blend) * lonely);
        out[i].centre[0] = (float)(p->x[i] + p->spacing * k->shift[0]);
        out[i].centre[1] = (float)(p->y[i] + p->spacing * k->shift[1]);
        out[i].centre[2] = p->dim == 3 ? (float)(p->z[i] + p->spacing * k->shift[2]) : 0;
        for (int n = 0; n < 6; n++)
            out[i].axes[n] = (float)(factor * k->axes[n]);
    }
    free(shapes);
    return built;
}
