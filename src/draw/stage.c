#include "draw/stage.h"

/* Light of a clear day: a warm sun with a soft shadow, and an ambient part that goes from bounced
 * light below to sky light above. */
const char draw_light_text[] =
    "uniform vec3 sun, up, eye;\n"
    "uniform mat4 world_to_light;\n"
    "uniform sampler2DShadow shadow_map, water_map;\n"
    "uniform float has_shadow, has_water, shadow_texel, scene_size, dark;\n"
    "const vec3 sun_colour = vec3(1.62, 1.50, 1.32);\n"
    "vec3 sky(vec3 d)\n"
    "{\n"
    "    float h = dot(d, up);\n"
    "    vec3 horizon = mix(vec3(0.74, 0.80, 0.86), vec3(0.060, 0.068, 0.080), dark);\n"
    "    vec3 zenith = mix(vec3(0.30, 0.47, 0.70), vec3(0.012, 0.016, 0.024), dark);\n"
    "    vec3 below = mix(vec3(0.50, 0.50, 0.49), vec3(0.030, 0.032, 0.036), dark);\n"
    "    vec3 c = mix(horizon, zenith, smoothstep(0.0, 0.75, sqrt(max(h, 0.0))));\n"
    "    return h < 0.0 ? mix(horizon, below, smoothstep(0.0, 0.5, -h)) : c;\n"
    "}\n"
    "float shadow(vec3 world, vec3 normal)\n"
    "{\n"
    "    if (has_shadow < 0.5) return 1.0;\n"
    "    vec3 at = world + normal * scene_size * 0.002;\n"
    "    vec4 p = world_to_light * vec4(at, 1.0);\n"
    "    vec3 q = p.xyz * 0.5 + 0.5;\n"
    "    if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;\n"
    "    float lit = 0.0, dry = 0.0;\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        vec2 o = vec2(float(i & 1) * 2.0 - 1.0, float(i >> 1) * 2.0 - 1.0);\n"
    "        lit += texture(shadow_map, vec3(q.xy + o * shadow_texel, q.z - 0.0008));\n"
    "        if (has_water > 0.5)\n"
    "            dry += texture(water_map, vec3(q.xy + 2.0 * o * shadow_texel, q.z - 0.004));\n"
    "    }\n"
    "    return lit * 0.25 * (has_water > 0.5 ? 0.55 + 0.45 * dry * 0.25 : 1.0);\n"
    "}\n"
    "vec3 lit(vec3 albedo, vec3 n, float visible)\n"
    "{\n"
    "    vec3 ambient = mix(vec3(0.30, 0.29, 0.28), vec3(0.52, 0.57, 0.64), dot(n, up) * 0.5 + "
    "0.5);\n"
    "    float facing = max(dot(n, sun), 0.0);\n"
    "    return albedo * (ambient + sun_colour * 0.42 * facing * visible);\n"
    "}\n";

void draw_stage_set_light(const draw_stage *stage, GLuint program)
{
    gl_set_vec3(program, "sun", stage->sun);
    gl_set_vec3(program, "up", stage->up);
    gl_set_vec3(program, "eye", stage->view.eye);
    gl_set_mat4(program, "world_to_light", stage->light.world_to_clip);
    gl_set_float(program, "has_shadow", stage->shadow ? 1 : 0);
    gl_set_float(program, "shadow_texel", 1.0f / 1024);
    gl_set_float(program, "scene_size", (float)stage->size);
    gl_set_float(program, "dark", stage->scene->dark ? 1 : 0);
    gl_set_float(program, "has_water", stage->water_shadow ? 1 : 0);
    gl_set_texture(program, "shadow_map", 6, stage->shadow);
    gl_set_texture(program, "water_map", 7, stage->water_shadow);
}

void draw_linear_colour(float out[3], const float srgb[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = draw_colour_to_linear(srgb[k]);
}

void draw_fluid_colour(const draw_fluid *fluid, int index, float rgb[3])
{
    if (fluid->colours && index < fluid->colour_count)
        for (int k = 0; k < 3; k++)
            rgb[k] = fluid->colours[index][k];
    else
        draw_colour_of_fluid(index, rgb);
}
