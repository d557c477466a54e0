/* Checks that a struct filled in by hand respects its table. */
#ifndef DL_OPTIONS_H
#define DL_OPTIONS_H

#include "base/status.h"

dltf_status dl_options_check(dltf_option_table table, const void *target);

#endif
