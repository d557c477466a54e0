/* Parts of a dictionary that are dictionaries: the first atoms of a model. */
#include "data/prefixes.h"

#include "base/integer.h"
#include "base/memory.h"
#include "data/model.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- The note ---- */

dltf_status dl_prefixes_note(const int64_t *sizes, int64_t count, dl_notes *notes) {
    char text[256];
    size_t used = 0;
    *text = '\0';
    for (int64_t q = 0; q < count && used < sizeof text; q++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", q > 0 ? " " : "",
                                 (long long)sizes[q]);
    return dl_notes_set(notes, DL_NOTE_PREFIXES, text);
}

/* Anybody may have edited the note of a file: sizes that do not ascend or exceed m end the list. */
int64_t dltf_model_prefixes(const dltf_model *model, int64_t *sizes, int64_t room) {
    const char *text = dltf_model_note(model, DL_NOTE_PREFIXES);
    int64_t count = 0, last = 0;
    while (text && *text) {
        char *end = NULL;
        long long size = strtoll(text, &end, 10);
        if (end == text || size <= last || size > model->parts.m)
            break;
        if (sizes && count < room)
            sizes[count] = size;
        count++;
        last = size;
        text = end;
    }
    return count;
}

/* ---- The first atoms ---- */

static dltf_status copy_notes(const dl_notes *from, dl_notes *to) {
    dltf_status status = DLTF_OK;
    for (int i = 0; i < from->count; i++)
        DL_TRY(dl_notes_set(to, from->list[i].name, from->list[i].value));
done:
    return status;
}

/* Prefixes that remain, and where the model comes from. */
static dltf_status describe(const dltf_model *from, int64_t atoms, dl_notes *notes) {
    char text[64];
    dltf_status status = DLTF_OK;
    int64_t count = dltf_model_prefixes(from, NULL, 0), kept = 0, *sizes = NULL;
    snprintf(text, sizeof text, "%lld of %lld", (long long)atoms, (long long)from->parts.m);
    DL_TRY(dl_notes_set(notes, "first.atoms", text));
    if (count == 0)
        return DLTF_OK;
    DL_TRY_NEW(sizes, count);
    dltf_model_prefixes(from, sizes, count);
    while (kept < count && sizes[kept] <= atoms)
        kept++;
    DL_TRY(dl_prefixes_note(sizes, kept, notes));
done:
    dl_free(sizes);
    return status;
}

dltf_status dltf_model_first_atoms(const dltf_model *model, int64_t atoms, dltf_model **first) {
    DL_CLEAR(first);
    DL_REQUIRE(model, first);
    dltf_status status = DLTF_OK;
    dltf_model *made = NULL;
    dltf_model_view parts = model->parts;
    if (atoms < 1 || atoms > parts.m)
        return dl_fail_option(DLTF_ARGUMENT, "atoms", "%lld is outside 1 .. m = %lld", (long long)atoms,
                              (long long)parts.m);
    parts.m = atoms;
    parts.k = dl_min(parts.k, atoms);
    DL_TRY(dltf_model_new(&parts, &made));
    DL_TRY(copy_notes(&model->notes, &made->notes));
    if (atoms < model->parts.m)
        DL_TRY(describe(model, atoms, &made->notes));
    *first = made;
    made = NULL;
done:
    dltf_model_free(made);
    return status;
}
