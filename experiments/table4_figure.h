/* The figure of Table 4: images side by side, and a page with them and the rows. */
#ifndef EXPERIMENTS_TABLE4_FIGURE_H
#define EXPERIMENTS_TABLE4_FIGURE_H

#include "experiments/experiment.h"

/* Runs one method of the table on one image. `k` = 0: the method's default. */
dltf_status table4_denoise(const experiment_cell *cell, const char *method, double sigma, int64_t k,
                           const dltf_image *noisy, dltf_image **clean, dltf_denoise_info *info);

/* Writes table4.png and table4.html into the folder, which must exist; `notice` may be NULL. */
dltf_status table4_figure(const experiment_request *request, const char *image, double sigma,
                          const json_t *rows, const char *notice, const char *folder);

#endif
