/* A stranger's program with the kit: runs a scene for a few steps, writes what it has and goes back
 * to where it was. */
#include <weir/kit.h>

#include <stdio.h>

static int complain(const weir_error *error)
{
    fprintf(stderr, "kit: %s\n", error->text);
    return 1;
}

int main(int argc, char **argv)
{
    weir_error error;
    const char *changes[] = {"time.step=1/120 s"};
    if (argc != 2)
        return 2;
    weir_scene *scene = weir_scene_load(argv[1], changes, 1, &error);
    weir_world *world = scene ? weir_scene_create_world(scene, 1, &error) : NULL;
    weir_world *again = scene ? weir_scene_create_world(scene, 1, &error) : NULL;
    if (!world || !again)
        return complain(&error);
    for (int k = 0; k < 3; k++)
        if (weir_world_step(world, weir_scene_get_step(scene), &error) & WEIR_STEP_FAILED)
            return complain(&error);
    if (!weir_world_write_particles(world, "particles.vtp", &error) ||
        !weir_world_write_surface(world, "surface.vtp", &error) ||
        !weir_world_save(world, "state.weir", &error) ||
        !weir_world_load(again, "state.weir", &error))
        return complain(&error);
    if (weir_world_write_particles(world, "particles.doc", &error))
        return 3;
    bool same = weir_world_hash(world) == weir_world_hash(again);
    printf("%.4f s of %.4f s, %s\n", weir_world_get_time(again), weir_scene_get_end(scene),
           same ? "the same" : "different");
    weir_world_destroy(world);
    weir_world_destroy(again);
    weir_scene_destroy(scene);
    return same ? 0 : 4;
}
