/* Which options apply to which variants of a table, and which variants remain given the options that were
 * set. */
#include "base/options.h"

#include <stdio.h>
#include <string.h>

enum { SCOPE_SIZE = 128 };

/* ---- Sets of variants ---- */

static unsigned all_variants(dl_option_table table) {
    const char *name = NULL;
    size_t length = 0;
    int count = 0;
    while (table.variants && dl_name_at(table.variants, count, &name, &length))
        count++;
    return (1u << count) - 1;
}

static unsigned variants_of(dl_option_table table, const dl_option *option) {
    const char *name = NULL;
    size_t length = 0;
    unsigned set = 0;
    if (!option->applies)
        return all_variants(table);
    for (int i = 0; dl_name_at(option->applies, i, &name, &length); i++)
        set |= 1u << dl_name_index(table.variants, name, length);
    return set;
}

static bool is_single(unsigned set) {
    return set != 0 && (set & (set - 1)) == 0;
}

/* ---- Descriptions ---- */

/* The option whose choice selects a variant. */
static const dl_option *option_choosing(dl_option_table table, const char *variant, size_t length) {
    for (int i = 0; i < table.count; i++)
        if (table.options[i].kind == DL_OPTION_CHOICE &&
            dl_name_index(table.options[i].choices, variant, length) >= 0)
            return &table.options[i];
    return NULL;
}

/* "encoder tight, dual or distilled", "encoder tied or method ksvd"; returns like snprintf. */
static int describe(dl_option_table table, unsigned set, char *text, size_t size) {
    const dl_option *previous = NULL;
    const char *name = NULL;
    size_t length = 0;
    int used = 0;
    for (int i = 0; set && dl_name_at(table.variants, i, &name, &length); i++) {
        if (!(set & 1u << i))
            continue;
        set &= ~(1u << i);
        const dl_option *option = option_choosing(table, name, length);
        const char *separator = used == 0 ? "" : set ? ", " : " or ";
        bool at_end = (size_t)used >= size;
        used += snprintf(at_end ? NULL : text + used, at_end ? 0 : size - (size_t)used, "%s%s%s%.*s",
                         separator, option != previous ? option->name : "", option != previous ? " " : "",
                         (int)length, name);
        previous = option;
    }
    return used;
}

int dl_option_scope(dl_option_table table, const dl_option *option, char *text, size_t size) {
    if (!option || (!text && size > 0))
        return -1;
    unsigned set = variants_of(table, option), others = all_variants(table) & ~set;
    if (!others)
        return snprintf(text, size, "%s", "");
    if (!is_single(others))
        return describe(table, set, text, size);
    char other[SCOPE_SIZE];
    describe(table, others, other, sizeof other);
    return snprintf(text, size, "all but %s", other);
}

/* ---- Checks ---- */

static dltf_status contradiction(dl_option_table table, const dl_option *option, const dl_option *other) {
    char scope[SCOPE_SIZE], other_scope[SCOPE_SIZE];
    dl_option_scope(table, option, scope, sizeof scope);
    dl_option_scope(table, other, other_scope, sizeof other_scope);
    return dl_fail_option(DLTF_ARGUMENT, option->name, "applies to %s, but %s to %s: leave one of them out",
                          scope, other->name, other_scope);
}

static dltf_status not_applicable(dl_option_table table, const dl_option *option, unsigned possible) {
    char scope[SCOPE_SIZE], selected[SCOPE_SIZE];
    dl_option_scope(table, option, scope, sizeof scope);
    /* Name the selected variant if it is the only possible one, unless "all but method ksvd" names it. */
    bool is_named = is_single(possible) && !is_single(all_variants(table) & ~variants_of(table, option));
    describe(table, possible, selected, sizeof selected);
    return dl_fail_option(DLTF_ARGUMENT, option->name, "applies to %s%s%s", scope,
                          is_named ? ", not to " : "", is_named ? selected : "");
}

static bool is_set(const dl_option *option, const void *target, const char *const *given) {
    if (!given)
        return !dl_option_is_default(option, target);
    for (; *given; given++)
        if (strcmp(*given, option->name) == 0)
            return true;
    return false;
}

dltf_status dl_variants_left(dl_option_table table, const void *target, const char *const *given,
                             unsigned *left, const dl_option **reason) {
    unsigned possible = table.possible ? table.possible(target) : 0;
    *left = possible;
    *reason = NULL;
    for (int i = 0; i < table.count; i++) {
        const dl_option *option = &table.options[i];
        if (!option->applies || !is_set(option, target, given))
            continue;
        unsigned set = variants_of(table, option);
        if (!(*left & set))
            return possible & set ? contradiction(table, option, *reason)
                                  : not_applicable(table, option, possible);
        if (*left & ~set)
            *reason = option;
        *left &= set;
    }
    return DLTF_OK;
}

dltf_status dl_option_check(dl_option_table table, const void *target, const char *const *given) {
    DL_REQUIRE(target);
    const dl_option *reason = NULL;
    unsigned left = 0;
    for (int i = 0; i < table.count; i++) {
        dltf_status status = dl_option_check_value(&table.options[i], target);
        if (status != DLTF_OK)
            return status;
    }
    return dl_variants_left(table, target, given, &left, &reason);
}
