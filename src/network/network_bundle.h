/* A network as a bundle of tensors and back (docs/formats.md). */
#ifndef DL_NETWORK_BUNDLE_H
#define DL_NETWORK_BUNDLE_H

#include "data/bundle.h"
#include "network/networks.h"

/* Fills an empty bundle. */
dltf_status dl_network_to_bundle(const dl_network *network, dl_bundle *bundle);

/* Checks everything that docs/formats.md requires. */
dltf_status dl_network_from_bundle(const dl_bundle *bundle, dl_network **network);

/* The same as part of a bundle of another kind; `used`: how many of its tensors belong to the network. */
dltf_status dl_network_pack(const dl_network *network, dl_bundle *bundle);
dltf_status dl_network_unpack(const dl_bundle *bundle, dl_network **network, int64_t *used);

#endif
