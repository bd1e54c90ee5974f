/* "Did you mean ...?": the nearest of some names by edit distance. */
#ifndef WEIR_SCENE_SUGGEST_H
#define WEIR_SCENE_SUGGEST_H

typedef struct suggestion {
    const char *written;
    const char *nearest; /* NULL while nothing is near enough */
    int distance;
} suggestion;

suggestion suggest_begin(const char *written);
void suggest_offer(suggestion *s, const char *name);

#endif
