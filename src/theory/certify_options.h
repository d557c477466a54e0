/* The options of dltf/certify.h. */
#ifndef DL_THEORY_CERTIFY_OPTIONS_H
#define DL_THEORY_CERTIFY_OPTIONS_H

#include "base/sized.h"

dl_option_table dl_certify_option_table(void);

#endif
