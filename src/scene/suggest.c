#include "scene/suggest.h"

#include <string.h>
#include <strings.h>

enum { LONGEST = 40 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b, no letter being
 * changed twice (the "optimal string alignment" distance). Both at most LONGEST long. */
static int measure(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    int n = (int)strlen(a), m = (int)strlen(b);
    for (int j = 0; j <= m; j++)
        rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int change = a[i - 1] != b[j - 1];
            row[j] = least(above[j - 1] + change, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

suggestion suggest_begin(const char *written)
{
    /* A third of the letters may be wrong: more, and anything resembles everything. */
    size_t length = strlen(written);
    int allowed = length > LONGEST ? 0 : (int)length / 3;
    return (suggestion){written, NULL, allowed + 1};
}

void suggest_offer(suggestion *s, const char *name)
{
    if (strlen(s->written) > LONGEST || strlen(name) > LONGEST)
        return;
    int distance = strcasecmp(s->written, name) == 0 ? 0 : measure(s->written, name);
    if (distance < s->distance) {
        s->distance = distance;
        s->nearest = name;
    }
}
