/* What the tables of study files share. */
#ifndef WEIR_STUDY_STUDY_TABLES_H
#define WEIR_STUDY_STUDY_TABLES_H

#include "study/study.h"

#include <math.h>

/* A number that may be left out: NAN then. */
#define OPTIONAL(type, member) AT(type, member), INITIAL(type, member, NAN)

extern const record study_curve_record, study_reference_record;

#endif
