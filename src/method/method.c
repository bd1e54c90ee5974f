#include "method/method.h"

#include "method/constraint.h"
#include "method/pbf.h"
#include "method/sph.h"
#include "method/viscoelastic.h"

#include <string.h>

static const method *const all[WEIR_METHOD_COUNT] = {
    [WEIR_METHOD_SPH] = &method_sph,
    [WEIR_METHOD_CONSTRAINT] = &method_constraint,
    [WEIR_METHOD_PBF] = &method_pbf,
    [WEIR_METHOD_VISCOELASTIC] = &method_viscoelastic,
};

const method *method_get(weir_method id)
{
    return (unsigned)id < WEIR_METHOD_COUNT ? all[id] : NULL;
}

const weir_method_info *weir_method_get_info(weir_method id)
{
    const method *m = method_get(id);
    return m ? &m->info : NULL;
}

bool weir_method_find(const char *name, weir_method *id)
{
    for (int k = 0; k < WEIR_METHOD_COUNT; k++)
        if (strcmp(all[k]->info.name, name) == 0) {
            *id = (weir_method)k;
            return true;
        }
    return false;
}
