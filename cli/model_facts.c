/* Sizes, encoder, preprocessing and provenance of a model as facts. */
#include "cli/model_facts.h"

#include <stdio.h>

void model_facts(facts *f, const char *path, dltf_model_view view) {
    facts_text(f, "model", "model", path);
    facts_integer(f, "m", "atoms (m)", view.m);
    facts_integer(f, "n", "entries of an atom (n)", view.n);
    if (view.threshold)
        facts_integer(f, "k", NULL, view.k);
    else
        facts_integer(f, "k", "entries of a code (k)", view.k);
    const char *select = view.select == DLTF_SELECT_POSITIVE ? "positive" : "abs";
    facts_text(f, "select", NULL, select);
    facts_line(f, "selection", "%s",
               view.threshold                        ? "all scores above their thresholds"
               : view.select == DLTF_SELECT_POSITIVE ? "the largest positive scores"
                                                     : "the largest magnitudes");
    facts_json(f, "threshold", json_boolean(view.threshold != NULL));
    facts_json(f, "scale", json_boolean(view.scale != NULL));
    if (view.scale)
        facts_line(f, "decoding", "values are multiplied by the scale of their atom");
    facts_text(f, "encoder", NULL, view.encoder ? "untied" : "tied");
    facts_line(f, "encoder", "%s%s",
               view.encoder ? "untied, a matrix of its own" : "tied, the dictionary itself",
               view.bias ? ", with a bias" : "");
    facts_json(f, "bias", json_boolean(view.bias != NULL));
    facts_json(f, "center", json_boolean(view.mean || view.offset));
    facts_json(f, "standardise", json_boolean(view.deviation != NULL));
    facts_json(f, "remove_mean", json_boolean(view.remove_mean));
    facts_json(f, "unit_norm", json_boolean(view.unit_norm));
    facts_json(f, "layer_norm", json_boolean(view.layer_norm));
    facts_real(f, "factor", NULL, view.factor);
    char times[64];
    const char *steps[7];
    int count = 0;
    if (view.mean)
        steps[count++] = "mean of the training samples subtracted";
    if (view.deviation)
        steps[count++] = "columns divided by their deviations";
    if (view.remove_mean)
        steps[count++] = "own mean of every sample subtracted";
    if (view.unit_norm)
        steps[count++] = "samples scaled to norm 1";
    if (view.layer_norm)
        steps[count++] =
            "own mean of every sample subtracted and samples divided by their standard deviation";
    snprintf(times, sizeof times, "samples multiplied by %g", view.factor);
    if (view.factor != 1)
        steps[count++] = times;
    if (view.offset)
        steps[count++] = "mean of these samples subtracted";
    char text[400] = "none";
    for (int i = 0, used = 0; i < count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", i > 0 ? ", then " : "", steps[i]);
    facts_line(f, "preprocessing", "%s", text);
}

void model_notes(facts *f, const dltf_model *model) {
    json_t *notes = json_object();
    const char *name = NULL;
    for (int i = 0; (name = dltf_model_note_name(model, i)) != NULL; i++) {
        const char *text = dltf_model_note(model, name);
        json_object_set_new(notes, name, json_string(text));
        facts_line(f, i == 0 ? "notes" : "", "%s = %s", name, text);
    }
    facts_json(f, "notes", notes);
}
