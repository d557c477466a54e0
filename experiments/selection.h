/* Selects the rows of an experiment. Methods are given as a list of names, settings as a list of key=value
 * with values as in the CSV; values of the same key are alternatives; data sets as a list of names, of which
 * the beginning is enough. Lists are comma-separated; NULL or an empty list selects all. */
#ifndef EXPERIMENTS_SELECTION_H
#define EXPERIMENTS_SELECTION_H

#include "experiments/experiment.h"

bool selection_has_method(const experiment_request *request, const char *method);
bool selection_has_setting(const experiment *self, const experiment_request *request, int setting);

/* Copies the first item of a list that the experiment does not have, or the whole list of settings if no row
 * satisfies all of them. False if the list is valid. Data sets are checked before settings. */
bool selection_unknown_method(const experiment *self, const experiment_request *request, char *item,
                              size_t size);
bool selection_unknown_dataset(const experiment *self, const experiment_request *request, char *item,
                               size_t size);
bool selection_unknown_setting(const experiment *self, const experiment_request *request, char *item,
                               size_t size);

/* "mnist, fashion-mnist"; empty if the experiment has no data sets. */
void selection_datasets(const experiment *self, char *list, size_t size);

#endif
