/* Options by name, from the list of --try. */
#include "experiments/table6_options.h"

#include <stdio.h>
#include <string.h>

/* Leaves an option that does not apply to the method as it is. */
static dltf_status set_pretraining(dl_pretrain_options *options, const char *name, const char *value) {
    dl_option_table table = dl_pretrain_option_table();
    dl_pretrain_options changed = *options;
    dltf_status status = dl_option_set(table, &changed, name, value);
    if (status == DLTF_OK && dl_option_check(table, &changed, (const char *[]){name, NULL}) == DLTF_OK)
        *options = changed;
    return status;
}

static dltf_status set_option(table6_options *o, const char *name, const char *value) {
    static const char prefix[] = "pretrain-";
    size_t length = sizeof prefix - 1;
    if (strncmp(name, prefix, length) == 0)
        return set_pretraining(&o->pretraining, name + length, value);
    if (dl_option_find(dl_network_option_table(), name))
        return dl_option_set(dl_network_option_table(), &o->training, name, value);
    return set_pretraining(&o->pretraining, name, value);
}

dltf_status table6_try(table6_options *o, const char *trial) {
    dltf_status status = DLTF_OK;
    char item[64];
    while (trial && *trial && status == DLTF_OK) {
        int length = (int)strcspn(trial, ",");
        snprintf(item, sizeof item, "%.*s", length, trial);
        char *sign = strchr(item, '=');
        if (sign)
            *sign = '\0';
        status = set_option(o, item, sign ? sign + 1 : "");
        trial += length;
        trial += *trial == ',';
    }
    return status;
}
