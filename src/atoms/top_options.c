/* The options of dltf_top_find. */
#include "atoms/top_options.h"

static const dl_option options[] = {DL_TOP_ROWS(dltf_top_options, )};

dl_option_table dl_top_option_table(void) {
    return (dl_option_table)DL_SIZED_TABLE(options, dltf_top_options);
}

void dltf_top_options_init(dltf_top_options *options, size_t size) {
    dl_options_init(dl_top_option_table(), options, size);
}
