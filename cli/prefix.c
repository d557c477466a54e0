/* The first atoms of a model, and their errors. */
#include "cli/prefix.h"

#include "cli/files.h"
#include "cli/progress.h"
#include "report/json.h"

/* ---- --atoms ---- */

int prefix_load_model(const char *path, int64_t atoms, dltf_model **model) {
    int code = files_load_model(path, model);
    if (code != EXIT_OK || atoms == 0)
        return code;
    dltf_model *first = NULL;
    dltf_status status = dltf_model_first_atoms(*model, atoms, &first);
    dltf_model_free(*model);
    *model = first;
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

void prefix_report(facts *f, const dltf_model *model) {
    const char *share = dltf_model_note(model, "first.atoms"); /* "P of M" */
    prefix_list list = prefix_list_of(model);
    bool own = list.count > 0 && list.atoms[list.count - 1] == dltf_model_get(model).m;
    bool nested = dltf_model_prefixes(model, NULL, 0) > 0 || dltf_model_note(model, "nested.prefixes");
    if (!share)
        return;
    facts_text(f, "first_atoms", NULL, share);
    facts_json(f, "nested", json_boolean(own));
    facts_line(f, "atoms", "the first %s%s", share,
               own      ? ", a dictionary of their own (nested)"
               : nested ? ", not a prefix of the nested dictionary: dltf inspect lists those"
                        : "; not nested, so expect larger errors than with as many atoms trained alone");
}

/* ---- All prefixes ---- */

prefix_list prefix_list_of(const dltf_model *model) {
    prefix_list list = {.count = dltf_model_prefixes(model, NULL, 0)};
    if (list.count > PREFIX_MOST)
        list.count = PREFIX_MOST;
    dltf_model_prefixes(model, list.atoms, list.count);
    return list;
}

static dltf_status measure(const dltf_model *model, int64_t atoms, dltf_matrix X,
                           dltf_reconstruction *found) {
    dltf_model *first = NULL;
    dltf_codes *codes = NULL;
    dltf_encode_options encoding = dltf_encode_options_default();
    dltf_status status = dltf_model_first_atoms(model, atoms, &first);
    if (status == DLTF_OK)
        status = dltf_encode(first, X, &encoding, progress_step, NULL, &codes);
    if (status == DLTF_OK)
        status = dltf_reconstruction_measure(first, X, codes, 0, found);
    dltf_codes_free(codes);
    dltf_model_free(first);
    return status;
}

dltf_status prefix_list_measure(prefix_list *list, const dltf_model *model, dltf_matrix X) {
    dltf_status status = DLTF_OK;
    for (int64_t q = 0; q < list->count && status == DLTF_OK; q++)
        status = measure(model, list->atoms[q], X, &list->errors[q]);
    list->measured = status == DLTF_OK;
    return status;
}

void prefix_list_report(facts *f, const prefix_list *list) {
    if (list->count == 0)
        return;
    json_t *rows = json_array();
    for (int64_t q = 0; q < list->count; q++) {
        const dltf_reconstruction *error = &list->errors[q];
        json_t *row = json_pack("{s:I}", "atoms", (json_int_t)list->atoms[q]);
        const char *label = q == 0 ? "nested dictionary" : "";
        if (list->measured) {
            json_object_set_new(row, "raw_error", json_number(error->relative_error));
            json_object_set_new(row, "explained_variance", json_number(error->explained_variance));
            facts_line(f, label, "first %lld atoms: relative error %.4g, explained variance %.4g",
                       (long long)list->atoms[q], error->relative_error, error->explained_variance);
        } else
            facts_line(f, label, "first %lld atoms", (long long)list->atoms[q]);
        json_array_append_new(rows, row);
    }
    facts_json(f, "prefixes", rows);
}
