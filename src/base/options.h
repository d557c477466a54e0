/* Option tables: name, type, default, bounds and help of every option, once, beside the code that it
 * configures. Command-line flags, validation, manual page, completion and the provenance in model files all
 * come from them.
 */
#ifndef DL_BASE_OPTIONS_H
#define DL_BASE_OPTIONS_H

#include "base/status.h"

#define DL_OPTION_MAX_COUNT 2147483647.0
#define DL_SELECT_CHOICES "model|abs|positive" /* the values of dltf_select */

/* Checks that a struct filled in by hand respects its table. */
dltf_status dl_options_check(dltf_option_table table, const void *target);

#endif
