/* Sjöström's five boxes of 50 to 150 kg/m² fall into a fluid of 100 kg/m², for engines that own the
 * boxes: the fluid's part of the experiment, and the judgement. Two boxes must float with a half
 * and three quarters below the surface, two must sink; the one as heavy as the fluid must not rise
 * out of it. For C99 and C++. */
#ifndef WEIR_FIVE_BOXES_H
#define WEIR_FIVE_BOXES_H

#include <weir/weir.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIVE_BOXES = 5 };

typedef struct five_boxes_plan {
    double spacing;             /* m, of particles */
    double tank_width;          /* m; it begins at x = 0, its floor is y = 0 */
    double tank_height;         /* m */
    double pool_depth;          /* m */
    double box_width;           /* m */
    double box_height;          /* m */
    double gravity;             /* m/s² */
    double x[FIVE_BOXES];       /* m, where the boxes begin */
    double y;                   /* m, centres */
    double density[FIVE_BOXES]; /* kg/m² */
    double step;                /* s */
    double end;                 /* s */
    double measured_from;       /* s, means are taken from here to the end */
} five_boxes_plan;

typedef struct five_boxes_place {
    double x, y; /* m */
} five_boxes_place;

typedef struct five_boxes {
    five_boxes_plan plan;
    weir_world *world;
    double level_sum;              /* m, of the surface, over the steps that count */
    double height_sum[FIVE_BOXES]; /* m, of the centres, likewise */
    int counted;
} five_boxes;

/* `method` by name, such as "pbf". */
bool five_boxes_begin(five_boxes *run, const char *method, double spacing, weir_error *error);
/* After each step: where the centres of the boxes are in the host's world. */
void five_boxes_watch(five_boxes *run, const five_boxes_place at[FIVE_BOXES]);
/* Prints what became of the boxes; whether all did as Archimedes says, within 5 %. */
bool five_boxes_judge(const five_boxes *run, const char *title);
void five_boxes_end(five_boxes *run);

#ifdef __cplusplus
}
#endif

#endif
