/* The steps of study_load after a file was read, in their order. */
#ifndef WEIR_STUDY_STUDY_LOAD_H
#define WEIR_STUDY_STUDY_LOAD_H

#include "study/study.h"

/* The methods become the first axis. */
bool study_add_methods(study *s, weir_error *error);
/* Whether what the file refers to by name exists: before a quick study loses values of its axes. */
bool study_check_names(const study *s, weir_error *error);
/* Takes out what a quick study does not have, then makes a case of each combination. */
bool study_list_cases(study *s, weir_error *error);

#endif
