/* Option tables: name, type, default, bounds and help of every option, once, next to the code that it
 * configures. Command-line flags, validation, manual page, completion and the provenance in model files are
 * all generated from them. */
#ifndef DL_BASE_OPTIONS_H
#define DL_BASE_OPTIONS_H

#include "base/status.h"

#define DL_OPTION_MAX_COUNT 2147483647.0
#define DL_SELECT_CHOICES "model|abs|positive" /* the values of dltf_select */

/* Checks the value against its row. */
dltf_status dl_option_check_value(const dltf_option *option, const void *target);

/* The value is the default, or 0 where the library chooses. */
bool dl_option_is_default(const dltf_option *option, const void *target);

/* The index-th name in a list separated by '|'; false if there is none. */
bool dl_name_at(const char *names, int index, const char **name, size_t *length);
/* The index of a name in such a list; -1 if not found. */
int dl_name_index(const char *names, const char *name, size_t length);

/* The variants that remain if every option that was set (`given` as in dltf_option_check) must apply, and the
 * last option that ruled one out, or NULL. Fails if none remains. Does not check values. */
dltf_status dl_variants_left(dltf_option_table table, const void *target, const char *const *given,
                             unsigned *left, const dltf_option **reason);

#endif
