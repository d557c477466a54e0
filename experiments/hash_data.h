/* The data of Table 5: GIST descriptors of CIFAR-10, divided at random into queries and a database, and which
 * samples of the database are relevant to which queries. Without CIFAR-10, generated samples. */
#ifndef EXPERIMENTS_HASH_DATA_H
#define EXPERIMENTS_HASH_DATA_H

#include "experiments/experiment.h"

/* Relevant are the 1,000 nearest samples; those within the mean distance to the 50th nearest; those of the
 * same class. */
enum { HASH_NN1000, HASH_RAD50, HASH_CLASS, HASH_PROTOCOLS };

extern const char *const hash_protocols[HASH_PROTOCOLS];

/* Valid until the next call of hash_data_split. */
typedef struct hash_split {
    dltf_matrix database, queries;
    const dltf_relevance *relevance[HASH_PROTOCOLS];
} hash_split;

/* The split of the cell's seed. Data and relevance are kept until the program ends. */
dltf_status hash_data_split(const experiment_cell *cell, hash_split *split);

void hash_data_protocol(bool quick, json_t *object);
const char *hash_data_notice(const experiment_request *request);

#endif
