/* Checks and defaults of the training options beyond their table. */
#ifndef DL_LEARNING_TRAIN_OPTIONS_H
#define DL_LEARNING_TRAIN_OPTIONS_H

#include "base/sized.h"
#include "dltf/learn.h"

dl_option_table dl_train_option_table(void);

/* Checks bounds and incompatible options. */
dltf_status dl_train_options_check(const dltf_train_options *options);

/* Whether complete options train a distilled encoder, as the result or as a candidate for it. */
bool dl_trains_distilled(const dltf_train_options *options);

/* Fills in options the caller left open, for N samples of n columns. Writes the encoder and the reason for it
 * to `choice` if the caller left that open. */
void dl_train_options_complete(dltf_train_options *options, int64_t N, int64_t n, char *choice, size_t size);

/* Checks the options like dl_option_check. If `encoder` is auto and the options that were set apply to tied
 * only or to learned only, or do not apply to tied, sets `encoder` to tied, learned or distilled, and
 * `reason` to the name of the option that decided; otherwise sets `reason` to NULL. dltf_learner_new does the
 * same with `given` NULL. */
dltf_status dl_train_options_settle(dltf_train_options *options, const char *const *given,
                                    const char **reason);

/* The number of samples that training of an encoder `learned` sees, those of several epochs counted several
 * times, unless the held-out error settles earlier. m and k must be set. `rows`, `cols`: of the data; about
 * a tenth of the rows less if some are held out. To predict how long training takes. */
int64_t dl_train_samples(const dltf_train_options *options, int64_t rows, int64_t cols);

#endif
