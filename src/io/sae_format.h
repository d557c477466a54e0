/* The formats of sparse autoencoders: a folder with settings and weights. */
#ifndef DL_IO_SAE_FORMAT_H
#define DL_IO_SAE_FORMAT_H

#include "io/formats/sae.h"

#define DL_SAE_CFG "cfg.json"
#define DL_SAE_FACTOR "activation_scaler.json"

typedef struct dl_sae_format {
    const char *name;
    const char *weights; /* the file that only this format has */
    bool zipped;         /* weights are an .npz, otherwise safetensors */
    bool by_atom;        /* see dl_sae_read */
    dltf_status (*parse)(const uint8_t *bytes, int64_t size,
                         dl_sae_settings *settings); /* NULL: no cfg.json */
    dltf_status (*format)(const dl_sae_settings *settings, dl_text *text);
    bool normalises; /* has settings for samples */
    bool selects;    /* has codes of k entries */
    bool thresholds; /* has thresholds */
} dl_sae_format;

/* NULL past the end. */
const dl_sae_format *dl_sae_format_at(int index);
/* By name; fails with the names that there are. */
dltf_status dl_sae_format_find(const char *name, const dl_sae_format **format);

/* "FOLDER/NAME", to be freed with dl_free; NULL if out of memory. */
char *dl_sae_path(const char *folder, const char *name);

#endif
