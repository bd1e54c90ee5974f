/* A box of wood falls into a tank of water. Prints where the box is. */
#include <weir/weir.h>

#include <stdio.h>

static int complain(const weir_error *error)
{
    fprintf(stderr, "first: %s\n", error->text);
    return 1;
}

/* 40 by 20 particles on the floor, one spacing apart. */
static bool pour(weir_world *world, weir_fluid_id water, double spacing, weir_error *error)
{
    weir_vec3 positions[40 * 20] = {{0, 0, 0}}, at_rest = {0, 0, 0};
    for (int k = 0; k < 40 * 20; k++) {
        positions[k].x = (k % 40 + 0.5) * spacing;
        positions[k].y = (k / 40 + 0.5) * spacing;
    }
    return weir_world_add_particles(world, water, positions, 40 * 20, at_rest, error);
}

int main(void)
{
    weir_error error;
    weir_world_def def = weir_world_def_default();
    def.dim = 2;
    def.spacing = 0.025; /* m, between particles; the rest follows from it */
    weir_world *world = weir_world_create(&def, &error);
    if (!world)
        return complain(&error);

    weir_body_def tank = weir_body_def_default(); /* 1 m by 1 m */
    tank.shape.kind = WEIR_SHAPE_BOX;
    tank.shape.half_extents.x = tank.shape.half_extents.y = 0.5;
    tank.shape.complement = true; /* everything outside of the box is wall */
    tank.pose.position.x = tank.pose.position.y = 0.5;
    weir_body_def wood = weir_body_def_default(); /* 20 cm by 20 cm */
    wood.kind = WEIR_BODY_DYNAMIC;
    wood.shape.kind = WEIR_SHAPE_BOX;
    wood.shape.half_extents.x = wood.shape.half_extents.y = 0.1;
    wood.density = 500; /* kg/m³, half as heavy as water */
    wood.pose.position.x = 0.5, wood.pose.position.y = 0.65;

    weir_fluid_def water_def = weir_fluid_def_default();
    weir_fluid_id water = weir_fluid_create(world, &water_def, &error);
    weir_body_id wall = weir_body_create(world, &tank, &error);
    weir_body_id box = weir_body_create(world, &wood, &error);
    if (!water.slot || !wall.slot || !box.slot || !pour(world, water, def.spacing, &error))
        return complain(&error);
    for (int frame = 1; frame <= 30; frame++) {
        weir_body_state state;
        if (weir_world_step(world, 1.0 / 60, &error) & WEIR_STEP_FAILED)
            return complain(&error);
        if (frame % 10 == 0 && weir_body_get_state(world, box, &state))
            printf("%.2f s: %.3f m\n", weir_world_get_time(world), state.pose.position.y);
    }
    weir_world_destroy(world);
}
