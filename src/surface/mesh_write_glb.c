/* One mesh as a glTF 2.0 binary file. */
#include "base/vec.h"
#include "surface/glb.h"
#include "surface/mesh_write.h"

bool surface_mesh_write_glb(const char *path, const surface_mesh *mesh, weir_error *error)
{
    glb g;
    glb_begin(&g, path, 1, 0);
    if (mesh->triangle_count > 0) {
        int water = glb_add_material(&g, (glb_material){.water = true});
        int fluid = glb_add_mesh(&g, "fluid", mesh, water);
        glb_add_node(&g, "fluid", fluid, pose_identity(), false);
    }
    return glb_commit(&g, error);
}
