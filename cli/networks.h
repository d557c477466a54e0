/* Networks of the command line: files, labels and samples. */
#ifndef CLI_NETWORKS_H
#define CLI_NETWORKS_H

#include "program/program.h"
#include "report/facts.h"

/* Loads a network, with a specific error for a data file. Returns an exit code. */
int networks_load(const char *path, dl_network **network);
/* The same for a network with classes. */
int networks_load_classifier(const char *path, dl_network **network);

/* One label for each of `samples` samples of `data`. Returns an exit code. */
int networks_load_labels(const char *path, const char *data, int64_t samples, dltf_labels **labels);

/* A files_saver. */
dltf_status networks_save(const void *network, const char *path);
/* files_reserve for a network of this size. */
int networks_reserve(const dl_network *network, const char *path, dl_reservation **space);

/* "784-1000-10" */
void networks_report_sizes(facts *f, const dl_network *network);

int64_t networks_outputs(const dl_network *network);

#endif
