/* dltf cluster: k-means of samples or sparse codes, and how well the clusters agree with labels. */
#include "cli/arguments.h"
#include "cli/checkpoints.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"

#include <stdlib.h>

typedef struct cluster_flags {
    const char *output, *centers, *labels, *save_pca, *load_pca;
    const char *resume;
    double checkpoint_every;
    int64_t pca, landmarks;
} cluster_flags;

typedef struct cluster_job {
    arguments args;
    cluster_flags flags;
    dltf_cluster_options options;
    dltf_array *data;
    dltf_codes *codes; /* instead of data */
    dltf_labels *labels;
    dltf_pca *pca;
    float *reduced; /* data as principal components or landmark coordinates */
    dltf_matrix X;
    int64_t samples;
    dltf_clusters *clusters;
    char *checkpoint;
    checkpoints checkpoints;
    double begin, seconds; /* of the work between input and output */
} cluster_job;

/* clang-format off */
static const dl_option own_options[] = {
    {.name = "output", .letter = 'o', .kind = DL_OPTION_TEXT, .offset = offsetof(cluster_flags, output), .argument = "FILE", .help = "write the cluster of each sample, from 0, as .npy, .csv or .ivecs"},
    {.name = "centers", .kind = DL_OPTION_TEXT, .offset = offsetof(cluster_flags, centers), .argument = "FILE", .help = "write the centers, one per row, as .npy, .csv or .fvecs"},
    {.name = "labels", .kind = DL_OPTION_TEXT, .offset = offsetof(cluster_flags, labels), .argument = "FILE", .help = "true classes, one integer per sample; print accuracy and NMI"},
    {.name = "pca", .kind = DL_OPTION_INTEGER, .offset = offsetof(cluster_flags, pca), .min = 1, .max = 1e6, .argument = "D", .help = "reduce DATA to its first D principal components before clustering"},
    {.name = "save-pca", .kind = DL_OPTION_TEXT, .offset = offsetof(cluster_flags, save_pca), .argument = "FILE", .help = "write these components (.safetensors)"},
    {.name = "load-pca", .kind = DL_OPTION_TEXT, .offset = offsetof(cluster_flags, load_pca), .argument = "FILE", .help = "use components written by --save-pca instead of those of DATA"},
    {.name = "landmarks", .kind = DL_OPTION_INTEGER, .offset = offsetof(cluster_flags, landmarks), .min = 1, .max = 16384, .argument = "M", .help = "cluster by neighbourhood instead of distance: code each sample by its nearest of M landmarks, a few hundred for most data. Clusters need not be round"},
    {.name = "resume", .kind = DL_OPTION_TEXT, .offset = offsetof(cluster_flags, resume), .argument = "CHECKPOINT", .help = "resume an interrupted clustering of the same DATA, with the same --pca or --landmarks; the options of k-means are those of the checkpoint"},
    CHECKPOINTS_OPTION(cluster_flags, checkpoint_every),
};
/* clang-format on */

/* ---- Checks and input ---- */

static int check_flags(cluster_job *job) {
    const cluster_flags *f = &job->flags;
    const char *inputs[] = {job->args.operands[0], f->labels, f->load_pca, f->resume};
    const char *outputs[] = {f->output, f->centers, f->save_pca};
    if (job->options.clusters < 1 && !f->resume)
        return usage_error("-c C is missing: give the number of clusters");
    if (f->pca && f->load_pca)
        return usage_error("--pca and --load-pca exclude each other");
    if (f->landmarks && (f->pca || f->load_pca))
        return usage_error("--landmarks and --pca exclude each other");
    if (f->landmarks && f->centers)
        return usage_error("--landmarks has no centers among the samples: omit --centers");
    if (f->save_pca && !f->pca)
        return usage_error("--save-pca needs --pca D: there are no components to write");
    if (dltf_ranks() > 1 && (f->pca || f->load_pca || f->landmarks || f->resume))
        return usage_error("--%s: runs as one process: start it without mpirun", f->resume      ? "resume"
                                                                                 : f->landmarks ? "landmarks"
                                                                                                : "pca");
    if (f->resume && f->landmarks)
        return usage_error("--resume and --landmarks exclude each other: such a clustering takes seconds");
    int code = checkpoints_check_resume(&job->args, f->resume, dl_cluster_option_table());
    if (code == EXIT_OK)
        code = files_check(4, inputs, 3, outputs);
    if (code == EXIT_OK)
        code = files_check_integers("clusters", f->output);
    if (code == EXIT_OK)
        code = files_check_matrix("centers", f->centers);
    return code;
}

static int load_input(cluster_job *job) {
    const char *path = job->args.operands[0];
    int code = files_load_data_or_codes(path, &job->data, &job->codes);
    if (code != EXIT_OK)
        return code;
    if (job->codes) {
        job->samples = dltf_codes_csr(job->codes).rows;
        if (job->flags.pca || job->flags.load_pca || job->flags.landmarks)
            return usage_error("%s: contains sparse codes; %s need dense data", path,
                               job->flags.landmarks ? "landmarks" : "principal components");
        return EXIT_OK;
    }
    job->X = dltf_array_matrix(job->data);
    job->samples = job->X.rows;
    return EXIT_OK;
}

static int load_labels(cluster_job *job) {
    int64_t count = 0;
    if (!job->flags.labels)
        return EXIT_OK;
    dltf_status status = dltf_labels_load(job->flags.labels, &job->labels);
    if (status != DLTF_OK)
        return library_failure(status);
    dltf_labels_get(job->labels, &count);
    if (count == job->samples)
        return EXIT_OK;
    return failure("%s: %s, but %s has %s", job->flags.labels, counted(count, "label"), job->args.operands[0],
                   counted(job->samples, "sample"));
}

/* ---- Work ---- */

static dltf_status find_components(cluster_job *job) {
    return job->flags.load_pca ? dltf_pca_load(job->flags.load_pca, &job->pca)
                               : dltf_pca_train(job->X, job->flags.pca, job->options.threads, &job->pca);
}

static dltf_status to_components(cluster_job *job) {
    dltf_status status = find_components(job);
    int64_t d = status == DLTF_OK ? dltf_pca_get(job->pca).d : 0;
    if (status != DLTF_OK)
        return status;
    job->reduced = calloc((size_t)job->samples, (size_t)d * sizeof *job->reduced);
    status =
        job->reduced ? dltf_pca_apply(job->pca, job->X, job->options.threads, job->reduced) : DLTF_MEMORY;
    if (status == DLTF_OK && job->flags.save_pca)
        status = dltf_pca_save(job->pca, job->flags.save_pca);
    job->X = dltf_matrix_f32(job->reduced, job->samples, d);
    return status;
}

static dltf_status to_landmarks(cluster_job *job) {
    dltf_landmark_options o = dltf_landmark_options_default();
    dltf_landmarks *landmarks = NULL;
    o.m = job->flags.landmarks;
    o.k = o.k < o.m ? o.k : o.m;
    o.d = 3 * job->options.clusters < o.m ? 3 * job->options.clusters : o.m;
    o.seed = job->options.seed;
    o.threads = job->options.threads;
    job->reduced = calloc((size_t)job->samples, (size_t)o.d * sizeof *job->reduced);
    dltf_status status =
        job->reduced ? dltf_landmarks_train(job->X, &o, progress_step, NULL, &landmarks) : DLTF_MEMORY;
    if (status == DLTF_OK)
        status = dltf_landmarks_apply(landmarks, job->X, o.threads, job->reduced);
    job->X = dltf_matrix_f32(job->reduced, job->samples, o.d);
    dltf_landmarks_free(landmarks);
    progress_erase();
    return status;
}

static int reduce(cluster_job *job) {
    dltf_status status = DLTF_OK;
    job->begin = dl_seconds();
    if (job->flags.landmarks)
        status = to_landmarks(job);
    else if (job->flags.pca || job->flags.load_pca)
        status = to_components(job);
    if (status == DLTF_MEMORY && !job->reduced)
        return failure("not enough memory to reduce %s", counted(job->samples, "sample"));
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = job->args.operands[0]});
    return EXIT_OK;
}

/* Empty codes are legal, but rarely intended. */
static void remark_empty(const cluster_job *job) {
    int64_t empty = 0;
    dltf_csr Z = job->codes ? dltf_codes_csr(job->codes) : (dltf_csr){0};
    for (int64_t i = 0; i < Z.rows; i++)
        empty += Z.indptr[i] == Z.indptr[i + 1];
    if (empty > 0)
        remark("%s: %s without entries, clustered as zero", job->args.operands[0], counted(empty, "row"));
}

static int step(void *context, const dltf_progress *progress) {
    cluster_job *job = context;
    int stop = progress_step(NULL, progress); /* first: a signal that it notices must be seen below */
    checkpoints_step_state(&job->checkpoints, progress);
    return stop;
}

static dltf_status run_kmeans(cluster_job *job) {
    const char *resume = job->flags.resume;
    int64_t threads = job->options.threads;
    if (!job->flags.landmarks)
        interrupt_catch_termination();
    if (resume && job->codes)
        return dltf_clusters_resume_codes(resume, job->codes, threads, step, job, &job->clusters);
    if (resume)
        return dltf_clusters_resume(resume, job->X, threads, step, job, &job->clusters);
    return job->codes ? dltf_clusters_train_codes(job->codes, &job->options, step, job, &job->clusters)
                      : dltf_clusters_train(job->X, &job->options, step, job, &job->clusters);
}

/* Next to the output or, without one, in the current directory. */
static int name_checkpoint(cluster_job *job) {
    const char *output = job->flags.output ? job->flags.output : job->flags.centers;
    job->checkpoint = output ? files_join(output, ".checkpoint")
                             : files_default_name(job->args.operands[0], ".clusters.checkpoint");
    job->checkpoints =
        checkpoints_begin(checkpoints_save_state, NULL, job->flags.landmarks ? NULL : job->checkpoint,
                          job->flags.checkpoint_every);
    return job->checkpoint ? EXIT_OK : EXIT_FAILED;
}

static int interrupted_clustering(const cluster_job *job) {
    const cluster_flags *f = &job->flags;
    char pca[24];
    snprintf(pca, sizeof pca, "%lld", (long long)f->pca);
    return checkpoints_interrupted(&job->checkpoints, "dltf cluster", job->args.operands[0],
                                   (checkpoints_word[]){{"--pca", f->pca ? pca : NULL},
                                                        {"--load-pca", f->load_pca},
                                                        {"--save-pca", f->save_pca},
                                                        {"--labels", f->labels},
                                                        {"--resume", job->checkpoints.last},
                                                        {"-o", f->output},
                                                        {"--centers", f->centers},
                                                        {NULL, NULL}});
}

static int cluster(cluster_job *job) {
    const char *path = job->args.operands[0];
    remark_empty(job);
    dltf_status status = run_kmeans(job);
    job->seconds = dl_seconds() - job->begin;
    progress_erase();
    if (status == DLTF_CANCELLED)
        return interrupted_clustering(job);
    if (status != DLTF_OK)
        return library_failure_in(status, (sources){[DLTF_SUBJECT_DATA] = path, [DLTF_SUBJECT_CODES] = path});
    return EXIT_OK;
}

/* ---- Output ---- */

static dltf_status save_assignment(const char *path, dltf_clusters_view v) {
    int64_t *wide = calloc((size_t)v.samples, sizeof *wide);
    if (!wide)
        return DLTF_MEMORY;
    for (int64_t i = 0; i < v.samples; i++)
        wide[i] = v.assignment[i];
    dltf_status status = dltf_labels_save(wide, v.samples, path);
    free(wide);
    return status;
}

static int save(cluster_job *job) {
    if (dltf_rank() > 0)
        return EXIT_OK;
    dltf_clusters_view v = dltf_clusters_get(job->clusters);
    dltf_status status = DLTF_OK;
    if (job->flags.output)
        status = save_assignment(job->flags.output, v);
    if (status == DLTF_OK && job->flags.centers)
        status = dltf_matrix_save(dltf_matrix_f32(v.centers, v.clusters, v.cols), job->flags.centers);
    if (status != DLTF_OK)
        return library_failure(status);
    interrupt_at_once();
    if (!job->flags.landmarks) /* which have no checkpoints */
        checkpoints_end(&job->checkpoints, job->flags.resume);
    return EXIT_OK;
}

static void report_sizes(facts *f, dltf_clusters_view v) {
    json_t *sizes = json_array();
    int64_t smallest = v.samples, largest = 0;
    for (int64_t j = 0; j < v.clusters; j++) {
        json_array_append_new(sizes, json_integer(v.sizes[j]));
        smallest = v.sizes[j] < smallest ? v.sizes[j] : smallest;
        largest = v.sizes[j] > largest ? v.sizes[j] : largest;
    }
    facts_json(f, "sizes", sizes);
    facts_line(f, "samples per cluster", "%lld to %lld", (long long)smallest, (long long)largest);
}

static dltf_status report_agreement(const cluster_job *job, dltf_clusters_view v, facts *f) {
    dltf_agreement found;
    int64_t count = 0;
    const int64_t *labels = dltf_labels_get(job->labels, &count);
    dltf_status status = dltf_partitions_compare(v.assignment, labels, count, &found);
    if (status != DLTF_OK)
        return status;
    facts_real(f, "accuracy", NULL, found.accuracy);
    facts_real(f, "nmi", NULL, found.nmi);
    facts_text(f, "nmi_normaliser", NULL, "arithmetic");
    facts_line(f, "accuracy", "%.4f (best matching of clusters and labels)", found.accuracy);
    facts_line(f, "NMI", "%.4f (divided by the arithmetic mean of the entropies)", found.nmi);
    return DLTF_OK;
}

static int print_report(cluster_job *job) {
    if (dltf_rank() > 0)
        return EXIT_OK;
    dltf_clusters_view v = dltf_clusters_get(job->clusters);
    facts f = facts_new();
    facts_integer(&f, "samples", "samples", v.samples);
    facts_integer(&f, "columns", "columns", v.cols);
    if (job->pca) {
        dltf_pca_view p = dltf_pca_get(job->pca);
        double kept = 0;
        for (int64_t i = 0; i < p.d; i++)
            kept += p.variances[i];
        double share = p.total_variance > 0 ? kept / p.total_variance : 1;
        facts_real(&f, "variance_kept", NULL, share);
        facts_line(&f, "principal components", "%lld of %lld, %.2f%% of the variance", (long long)p.d,
                   (long long)p.n, 100 * share);
    }
    if (job->flags.landmarks)
        facts_integer(&f, "landmarks", "landmarks", job->flags.landmarks);
    facts_integer(&f, "clusters", "clusters", v.clusters);
    report_sizes(&f, v);
    facts_real(&f, "inertia", "inertia", v.inertia);
    facts_integer(&f, "iterations", NULL, v.iterations);
    facts_json(&f, "converged", json_boolean(v.converged));
    facts_line(&f, "iterations", "%lld%s", (long long)v.iterations,
               v.converged ? "" : ", not converged: increase --iterations");
    dltf_status status = job->labels ? report_agreement(job, v, &f) : DLTF_OK;
    facts_real(&f, "seconds", NULL, job->seconds);
    facts_line(&f, "seconds", "%.2f (%s)", job->seconds,
               job->flags.resume ? "resumed" : counted(job->options.restarts, "restart"));
    if (dltf_ranks() > 1)
        output_ranks(&f);
    if (job->flags.output)
        facts_text(&f, "output", "written", job->flags.output);
    if (job->flags.centers)
        facts_text(&f, "centers", "centers", job->flags.centers);
    output_facts(&f, false);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

static int run(const command *self, int count, char **words) {
    static int (*const steps[])(cluster_job *) = {check_flags, load_input, load_labels, name_checkpoint,
                                                  reduce,      cluster,    save,        print_report};
    cluster_job job = {.data = NULL};
    if (!arguments_parse(self, count, words, &job.flags, &job.options, &job.args))
        return job.args.exit_code;
    int code = EXIT_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_OK; i++)
        code = steps[i](&job);
    dltf_clusters_free(job.clusters);
    dltf_pca_free(job.pca);
    dltf_labels_free(job.labels);
    dltf_codes_free(job.codes);
    dltf_array_free(job.data);
    free(job.reduced);
    free(job.checkpoint);
    return code;
}

const command command_cluster = {
    .name = "cluster",
    .summary = "cluster samples or codes by k-means",
    .operands = "DATA",
    .details =
        "Groups the rows of DATA, or sparse codes written by 'dltf encode', into C clusters. With --labels, "
        "prints the share of samples in the right cluster under the best matching of clusters and labels, "
        "and the normalised mutual information.",
    .input = "DATA",
    .content = DL_CONTENT_MATRIX,
    .reads_data = true,
    .own = DL_OPTION_TABLE(own_options, cluster_flags),
    .library = dl_cluster_option_table,
    .library_title = "k-means",
    .ranks = true,
    .json = "inertia, sizes of the clusters and, with --labels, accuracy and NMI",
    .examples = {"dltf cluster X.npy -c 10 -o clusters.npy --centers centers.npy",
                 "dltf cluster X.codes.npz -c 10 --labels labels.csv --json",
                 "dltf cluster t10k-images-idx3-ubyte.gz -c 10 --labels t10k-labels-idx1-ubyte.gz --pca 50",
                 "dltf cluster X.npy -c 10 --landmarks 400",
                 "dltf cluster X.npy -c 10 --spherical --restarts 50", NULL},
    .run = run,
};
