/* The parameters of viscoelastic fluids, and materials: sets of their values by name. */
#include "method/viscoelastic.h"

static const char *const material_names[] = {"custom", "water", "honey", "paint", "mud",
                                             "clay",   "gel",   "jelly", "paper", NULL};
static const char *const kernel_names[] = {"paper", "hybrid", "squared", NULL};
static const char *const start_names[] = {"auto", "present", "range", NULL};
static const char *const growth_names[] = {"auto", "off", "on", NULL};
static const char *const order_names[] = {"parallel", "sequential", NULL};
static const char *const wall_names[] = {"volume", "collision", NULL};

const weir_parameter visco_parameters[VISCO_PARAMETER_COUNT] = {
    [VISCO_MATERIAL] = {"material", "1", 0, 0, 8, material_names, NULL,
                        "A substance by name: gives values to what is left at 0."},
    [VISCO_SOUND_SPEED] = {"sound_speed", "m/s", 0, 0, 1e5, NULL,
                           "ten times the speed that the fluid can reach by falling",
                           "Speed of sound: density varies by about (speed / sound speed)^2."},
    [VISCO_SURFACE_TENSION] = {"surface_tension", "N/m", 0, 0, 1e6, NULL, "each fluid's own",
                               "Pull of the surface, by the cohesion that brings it about."},
    [VISCO_COHESION] = {"cohesion", "1", 0, 0, 1, NULL, "what the surface tension needs",
                        "Share of negative pressure that is kept: 1 as in the paper."},
    [VISCO_STIFFNESS] = {"stiffness", "1/s2", 0, 0, 1e12, NULL, "from the speed of sound",
                         "The paper's k over its time unit squared: 0.004 is 3.6/s2."},
    [VISCO_NEAR_RATIO] = {"near_ratio", "1", 2.5, 0, 1000, NULL, NULL,
                          "The paper's k_near over k: keeps particles apart."},
    [VISCO_REST_DENSITY] = {"rest_density", "1", 0, 0, 1000, NULL,
                            "what leaves particles at rest at their spacing",
                            "The paper's rest density, a weighted count of neighbours."},
    [VISCO_VISCOSITY] = {"viscosity", "Pa s", 0, 0, 1e6, NULL,
                         "the material's; custom: each fluid's own",
                         "Viscosity of shear, in place of the fluids' own."},
    [VISCO_QUADRATIC] = {"quadratic_viscosity", "1", 0.5, 0, 100, NULL, NULL,
                         "The paper's beta times h: stops particles that run into each other."},
    [VISCO_SHEAR_MODULUS] = {"shear_modulus", "Pa", 0, 0, 1e9, NULL,
                             "the material's; custom: no springs, and those there were go",
                             "Stiffness of shape, by springs between particles."},
    [VISCO_SPRING_STIFFNESS] = {"spring_stiffness", "1/s2", 0, 0, 1e9, NULL,
                                "from the shear modulus",
                                "The paper's k_spring over its time unit squared: 0.3 is 270/s2."},
    [VISCO_SPRING_START] = {"spring_start", "1", 0, 0, 2, start_names, NULL,
                            "Springs that are switched on rest at present distances, or have the "
                            "range h as the paper's; auto: the material's, else present."},
    [VISCO_SPRING_GROWTH] = {"spring_growth", "1", 0, 0, 2, growth_names, NULL,
                             "Whether pairs that meet later get a spring of length h; auto: where "
                             "springs give way to compression."},
    [VISCO_STRETCH_RATE] = {"stretch_rate", "1/s", 0, 0, 1e6, NULL, "the material's; custom: never",
                            "How fast stretched springs give way; the paper's 0.3 is 9/s."},
    [VISCO_COMPRESS_RATE] = {"compress_rate", "1/s", 0, 0, 1e6, NULL,
                             "the material's; custom: never",
                             "How fast compressed springs give way."},
    [VISCO_STRETCH_YIELD] = {"stretch_yield", "1", 0, 0, 10, NULL, "the material's; custom: 0",
                             "Stretch, over the rest length, that stays elastic."},
    [VISCO_COMPRESS_YIELD] = {"compress_yield", "1", 0, 0, 0.99, NULL, "the material's; custom: 0",
                              "Compression, over the rest length, that stays elastic."},
    [VISCO_KERNELS] = {"kernels", "1", 0, 0, 2, kernel_names, NULL,
                       "The paper's kernels, or Sjostrom's with squared distances."},
    [VISCO_ORDER] = {"order", "1", 0, 0, 1, order_names, NULL,
                     "All pairs at once, or one particle after the other as in the paper (slow)."},
    [VISCO_WALLS] = {"walls", "1", 0, 0, 1, wall_names, NULL,
                     "Solids count in the density, or only collide as in the paper."},
    [VISCO_COLLISION_RADIUS] = {"collision_radius", "spacings", 0, 0, 2, NULL,
                                "the surface; with walls that only collide half a spacing from it",
                                "How close to a solid particles collide with it."},
    [VISCO_COURANT] = {"courant", "1", 1, 0.01, 4, NULL, NULL,
                       "Stable time step, as a multiple of the limit that Weir derives."},
};

typedef struct material {
    double viscosity; /* Pa s */
    double shear_modulus, stretch_rate, compress_rate, stretch_yield, compress_yield;
    double stiffness, spring_stiffness, cohesion;
    int start, growth;
} material;

/* Orders of magnitude for a handful of the substance: a block of 10 cm of gel (density 1000 kg/m³)
 * sinks by ρ g L²/(2·3 G), 8 % for 1 kPa. The paper's numbers: §7.3, times 30² or 30 per second. */
static const material materials[] = {
    {0},                  /* custom */
    {.viscosity = 0.001}, /* water */
    {.viscosity = 10},    /* honey */
    {.viscosity = 2,
     .shear_modulus = 100,
     .stretch_rate = 20,
     .compress_rate = 20,
     .stretch_yield = 0,
     .compress_yield = 0.02}, /* paint: flows, then stands */
    {.viscosity = 5,
     .shear_modulus = 1000,
     .stretch_rate = 10,
     .compress_rate = 10,
     .stretch_yield = 0.02,
     .compress_yield = 0.02}, /* mud */
    {.viscosity = 20,
     .shear_modulus = 5000,
     .stretch_rate = 30,
     .compress_rate = 30,
     .stretch_yield = 0.05,
     .compress_yield = 0.05}, /* clay */
    {.viscosity = 1,
     .shear_modulus = 1000,
     .stretch_rate = 5,
     .compress_rate = 0,
     .stretch_yield = 0.4},                  /* gel: tears, does not flow */
    {.viscosity = 1, .shear_modulus = 3000}, /* jelly: purely elastic */
    {.stiffness = 3.6,
     .cohesion = 1,
     .spring_stiffness = 270,
     .stretch_rate = 9,
     .compress_rate = 9,
     .stretch_yield = 0.1,
     .compress_yield = 0.1,
     .start = VISCO_START_RANGE,
     .growth = VISCO_GROWTH_ON}, /* paper */
};

static void fill(double *parameter, double value)
{
    if (*parameter == 0)
        *parameter = value;
}

void visco_apply_material(double p[WEIR_MAX_PARAMETERS])
{
    const material *m = &materials[(int)p[VISCO_MATERIAL]];
    bool springs_given = p[VISCO_SHEAR_MODULUS] > 0 || p[VISCO_SPRING_STIFFNESS] > 0;
    fill(&p[VISCO_VISCOSITY], m->viscosity);
    if (!springs_given) {
        p[VISCO_SHEAR_MODULUS] = m->shear_modulus;
        p[VISCO_SPRING_STIFFNESS] = m->spring_stiffness;
    }
    fill(&p[VISCO_STRETCH_RATE], m->stretch_rate);
    fill(&p[VISCO_COMPRESS_RATE], m->compress_rate);
    fill(&p[VISCO_STRETCH_YIELD], m->stretch_yield);
    fill(&p[VISCO_COMPRESS_YIELD], m->compress_yield);
    if (p[VISCO_SOUND_SPEED] == 0)
        fill(&p[VISCO_STIFFNESS], m->stiffness);
    if (p[VISCO_SURFACE_TENSION] == 0)
        fill(&p[VISCO_COHESION], m->cohesion);
    if (p[VISCO_SPRING_START] == VISCO_START_AUTO)
        p[VISCO_SPRING_START] =
            m->start != VISCO_START_AUTO ? m->start : (double)VISCO_START_PRESENT;
    if (p[VISCO_SPRING_GROWTH] == VISCO_GROWTH_AUTO)
        p[VISCO_SPRING_GROWTH] = m->growth != VISCO_GROWTH_AUTO ? m->growth
                                 : p[VISCO_COMPRESS_RATE] > 0   ? (double)VISCO_GROWTH_ON
                                                                : (double)VISCO_GROWTH_OFF;
}
