/* Which rows of an experiment to run. Methods are chosen by a list of names, settings by a list of key=value
 * with the values as a CSV has them; values of one key are alternatives. Lists are separated by commas; NULL
 * or an empty one chooses all. */
#ifndef EXPERIMENTS_SELECTION_H
#define EXPERIMENTS_SELECTION_H

#include "experiments/experiment.h"

bool selection_has_method(const experiment_request *request, const char *method);
bool selection_has_setting(const experiment *self, const experiment_request *request, int setting);

/* The first item of a list that the experiment does not have, copied, or the whole list of settings if they
 * contradict each other; false if there is nothing wrong. */
bool selection_unknown_method(const experiment *self, const experiment_request *request, char *item,
                              size_t size);
bool selection_unknown_setting(const experiment *self, const experiment_request *request, char *item,
                               size_t size);

#endif
