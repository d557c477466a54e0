/* The atoms of `dltf top` as JSON: in our own words, and in the layout of Neuronpedia. */
#include "cli/top.h"
#include "report/json.h"

/* ---- Our own ---- */

static json_t *example_json(const top_job *job, dltf_example example) {
    json_t *made = json_object();
    const char *name = top_sample_name(job, example.row);
    json_object_set_new(made, "row", json_integer(example.row));
    if (name)
        json_object_set_new(made, "name", json_text(name));
    json_object_set_new(made, "value", json_number((double)example.value));
    return made;
}

static json_t *examples_json(const top_job *job, const dltf_example *examples, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        json_array_append_new(list, example_json(job, examples[i]));
    return list;
}

static json_t *intervals_json(const top_job *job, int64_t atom, int64_t count) {
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++) {
        dltf_top_interval interval;
        if (dltf_top_interval_get(job->found, atom, i, &interval) != DLTF_OK)
            continue;
        json_t *made = json_object();
        json_object_set_new(made, "min", json_number(interval.min));
        json_object_set_new(made, "max", json_number(interval.max));
        json_object_set_new(made, "uses", json_integer(interval.uses));
        json_object_set_new(made, "samples", examples_json(job, interval.examples, interval.count));
        json_array_append_new(list, made);
    }
    return list;
}

static json_t *correlated_json(const top_job *job, int64_t atom) {
    top_correlated found = top_find_correlated(job, atom);
    json_t *list = json_array();
    for (int64_t i = 0; i < found.count; i++) {
        json_t *made = json_object();
        json_object_set_new(made, "atom", json_integer(found.atoms[i]));
        json_object_set_new(made, "pearson", json_number(found.pearson[i]));
        json_array_append_new(list, made);
    }
    return list;
}

/* Sets lists of the words of an atom and of their weights. */
static void words_json(const top_job *job, int64_t atom, json_t *words, json_t *weights) {
    int64_t columns[TOP_WORDS], count = job->words ? top_columns(job, atom, TOP_WORDS, columns) : 0;
    dltf_model_view model = dltf_model_get(job->model);
    for (int64_t i = 0; i < count; i++) {
        json_array_append_new(words, json_text(job->names.line[columns[i]]));
        json_array_append_new(weights, json_number((double)model.dictionary[atom * model.n + columns[i]]));
    }
}

static json_t *atom_json(const top_job *job, int64_t atom, const dltf_top_atom *found) {
    json_t *made = json_object();
    json_object_set_new(made, "atom", json_integer(atom));
    json_object_set_new(made, "uses", json_integer(found->uses));
    json_object_set_new(made, "mean", json_number(found->mean));
    json_object_set_new(made, "largest", json_number(found->largest));
    if (job->words) {
        json_t *words = json_array(), *weights = json_array();
        words_json(job, atom, words, weights);
        json_object_set_new(made, "words", words);
        json_object_set_new(made, "word_weights", weights);
    }
    json_object_set_new(made, "top", examples_json(job, found->top, found->top_count));
    json_object_set_new(made, "random", examples_json(job, found->random, found->random_count));
    json_object_set_new(made, "intervals", intervals_json(job, atom, found->intervals));
    json_object_set_new(made, "correlated", correlated_json(job, atom));
    return made;
}

json_t *top_atoms_json(const top_job *job) {
    json_t *list = json_array();
    for (int64_t i = 0; i < job->listed_count; i++) {
        dltf_top_atom found;
        if (dltf_top_get(job->found, job->listed[i], &found) == DLTF_OK)
            json_array_append_new(list, atom_json(job, job->listed[i], &found));
    }
    return list;
}

/* ---- Neuronpedia: a sample is a prompt of one token, its name or its row number ---- */

/* bin_contains: the share of all samples. The top samples have bin_min = bin_contains = -1. */
static void add_activations(const top_job *job, json_t *list, const dltf_example *examples, int64_t count,
                            const double bin[3]) {
    for (int64_t i = 0; i < count; i++) {
        char row[24];
        const char *name = top_sample_name(job, examples[i].row);
        json_t *made = json_object(), *tokens = json_array(), *values = json_array();
        snprintf(row, sizeof row, "%lld", (long long)examples[i].row);
        json_array_append_new(tokens, json_text(name ? name : row));
        json_array_append_new(values, json_number((double)examples[i].value));
        json_object_set_new(made, "bin_min", json_number(bin[0]));
        json_object_set_new(made, "bin_max", json_number(bin[1]));
        json_object_set_new(made, "bin_contains", json_number(bin[2]));
        json_object_set_new(made, "tokens", tokens);
        json_object_set_new(made, "values", values);
        json_object_set_new(made, "qualifying_token_index", json_integer(0));
        json_array_append_new(list, made);
    }
}

static json_t *activations_json(const top_job *job, int64_t atom, const dltf_top_atom *found) {
    json_t *list = json_array();
    double all = (double)dltf_top_samples(job->found);
    add_activations(job, list, found->top, found->top_count, (const double[]){-1, found->largest, -1});
    for (int64_t i = found->intervals - 1; i >= 0; i--) {
        dltf_top_interval in;
        if (dltf_top_interval_get(job->found, atom, i, &in) == DLTF_OK)
            add_activations(job, list, in.examples, in.count,
                            (const double[]){in.min, in.max, (double)in.uses / all});
    }
    return list;
}

/* Bars by their middle. */
static void add_histogram(json_t *made, const dltf_top_atom *found) {
    json_t *values = json_array(), *heights = json_array();
    for (int64_t i = 0; i < found->bar_count; i++) {
        json_array_append_new(values, json_number(((double)i + 0.5) * found->bar_width));
        json_array_append_new(heights, json_integer(found->bars[i]));
    }
    json_object_set_new(made, "freq_hist_data_bar_values", values);
    json_object_set_new(made, "freq_hist_data_bar_heights", heights);
}

static void add_correlated(const top_job *job, int64_t atom, json_t *made) {
    top_correlated found = top_find_correlated(job, atom);
    json_t *indices = json_array(), *pearson = json_array();
    for (int64_t i = 0; i < found.count; i++) {
        json_array_append_new(indices, json_integer(found.atoms[i]));
        json_array_append_new(pearson, json_number(found.pearson[i]));
    }
    json_object_set_new(made, "correlated_features_indices", indices);
    json_object_set_new(made, "correlated_features_pearson", pearson);
}

static json_t *feature_json(const top_job *job, int64_t atom, const dltf_top_atom *found) {
    json_t *made = json_object(), *words = json_array(), *weights = json_array();
    int64_t samples = dltf_top_samples(job->found);
    json_object_set_new(made, "feature_index", json_integer(atom));
    json_object_set_new(made, "frac_nonzero", json_number((double)found->uses / (double)samples));
    add_histogram(made, found);
    add_correlated(job, atom, made);
    words_json(job, atom, words, weights);
    json_object_set_new(made, "pos_str", words);
    json_object_set_new(made, "pos_values", weights);
    json_object_set_new(made, "n_prompts_total", json_integer(samples));
    json_object_set_new(made, "n_tokens_in_prompt", json_integer(1));
    json_object_set_new(made, "dataset", json_text(job->args.operands[1]));
    json_object_set_new(made, "activations", activations_json(job, atom, found));
    return made;
}

json_t *top_features_json(const top_job *job) {
    json_t *list = json_array();
    for (int64_t i = 0; i < job->listed_count; i++) {
        dltf_top_atom found;
        if (dltf_top_get(job->found, job->listed[i], &found) == DLTF_OK)
            json_array_append_new(list, feature_json(job, job->listed[i], &found));
    }
    return list;
}
