/* Parses the command line of any subcommand by its option tables: --name value, --name=value, -m 128, -m128,
 * -q and --no-flag; -- ends the options. The library validates values and words the errors. */
#include "cli/arguments.h"

#include "cli/files.h"
#include "cli/help.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 4, LONGEST_NAME = 64 };

/* A table and the struct that its options fill. */
typedef struct group {
    dl_option_table table;
    void *target;
} group;

typedef struct parser {
    const command *self;
    group groups[GROUPS]; /* own options first: they shadow library options of the same name */
    int count, next;      /* number of words; the next to read */
    char **words;
    arguments *args;
} parser;

typedef struct found {
    const group *group;
    const dl_option *option;
} found;

/* ---- Suggestions ---- */

static size_t min_size(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Levenshtein distance, with one row of the table. Candidates longer than any option name never match. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[LONGEST_NAME + 1], n = strlen(b);
    if (n > LONGEST_NAME)
        return LONGEST_NAME;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t replace = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = min_size(replace, min_size(row[j], diagonal) + 1);
        }
    }
    return row[n];
}

const char *arguments_suggestion(const char *word, const char *const *candidates) {
    const char *best = NULL;
    size_t limit = strlen(word) / 3 + 1;
    for (int i = 0; candidates[i]; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        /* A prefix of a name always matches it. */
        if (strlen(word) >= 3 && strncmp(word, candidates[i], strlen(word)) == 0)
            distance = 0;
        if (distance <= limit && distance < strlen(word)) {
            best = candidates[i];
            if (distance == 0)
                break;
            limit = distance - 1;
        }
    }
    return best;
}

typedef struct name_list {
    const char *names[ARGUMENTS_MAX + 1];
    int count;
} name_list;

static void collect_name(void *context, const char *title, dl_option_table table, const dl_option *option) {
    (void)title, (void)table;
    name_list *list = context;
    if (list->count < ARGUMENTS_MAX)
        list->names[list->count++] = option->name;
}

int arguments_unknown_command(const command *group, const char *word) {
    name_list list = {.names = {"help", "--help", "--version"}, .count = group ? 0 : 3};
    const command *const *commands = group ? group->subcommands : command_list;
    for (int i = 0; commands[i] && list.count < ARGUMENTS_MAX; i++)
        list.names[list.count++] = command_word(commands[i]);
    list.names[list.count] = NULL;
    const char *close = arguments_suggestion(word, list.names);
    const char *kind = word[0] == '-' ? "option" : "command";
    if (close)
        return usage_error("unknown %s '%s'; did you mean '%s'?", kind, word, close);
    return usage_error("unknown %s '%s'; 'dltf %s%s--help' lists the commands", kind, word,
                       group ? group->name : "", group ? " " : "");
}

static int unknown_option(const parser *p, const char *word, const char *name) {
    name_list list = {0};
    command_visit_options(p->self, collect_name, &list);
    const char *close = arguments_suggestion(name, list.names);
    if (close)
        return usage_error("unknown option %s; did you mean --%s?", word, close);
    return usage_error("unknown option %s; 'dltf %s --help' lists all options", word, p->self->name);
}

/* ---- Options ---- */

static found find_option(const parser *p, const char *name, char letter) {
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < p->groups[g].table.count; i++) {
            const dl_option *option = &p->groups[g].table.options[i];
            if (name ? strcmp(option->name, name) == 0 : option->letter == letter)
                return (found){&p->groups[g], option};
        }
    return (found){NULL, NULL};
}

static int set(const parser *p, found f, const char *text) {
    dltf_status status = dl_option_set(f.group->table, f.group->target, f.option->name, text);
    if (status != DLTF_OK)
        return library_failure(status);
    if (p->args->given_count < ARGUMENTS_MAX)
        p->args->given[p->args->given_count++] = f.option->name;
    return EXIT_OK;
}

/* Whether a word can be a value: it does not look like an option, or is a negative number. */
static bool is_value(const char *word) {
    if (word[0] != '-' || word[1] == '\0')
        return true;
    char *end = NULL;
    strtod(word, &end);
    return end != word && *end == '\0';
}

/* Takes the value of an option from the next word. */
static int set_from_next(parser *p, found f, const char *word) {
    const char *argument = f.option->argument ? f.option->argument : "VALUE";
    if (p->next >= p->count)
        return usage_error("%s needs a value: %s %s", word, word, argument);
    if (!is_value(p->words[p->next]))
        return usage_error("%s needs a value but found %s; for a value that starts with a dash, use --%s=%s",
                           word, p->words[p->next], f.option->name, argument);
    return set(p, f, p->words[p->next++]);
}

static int read_long(parser *p, const char *word) {
    char name[LONGEST_NAME];
    size_t length = strcspn(word + 2, "=");
    const char *value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
    if (length >= sizeof name)
        return usage_error("unknown option %s", word);
    memcpy(name, word + 2, length);
    name[length] = '\0';
    found f = find_option(p, name, 0);
    const char *text = "true";
    if (!f.option && strncmp(name, "no-", 3) == 0) {
        f = find_option(p, name + 3, 0);
        text = "false";
        if (f.option && (!option_is_flag(f.option) || value))
            f.option = NULL;
    }
    if (!f.option)
        return unknown_option(p, word, name);
    if (option_is_flag(f.option))
        return set(p, f, value ? value : text);
    return value ? set(p, f, value) : set_from_next(p, f, word);
}

/* An option letter with its value, or several flags in one word: -m 128, -m128, -q. */
static int read_short(parser *p, const char *word) {
    for (const char *letter = word + 1; *letter; letter++) {
        char name[] = {'-', *letter, '\0'};
        found f = find_option(p, NULL, *letter);
        if (!f.option)
            return unknown_option(p, word, word + 1);
        if (!option_is_flag(f.option))
            return letter[1] ? set(p, f, letter + 1) : set_from_next(p, f, name);
        int code = set(p, f, "true");
        if (code != EXIT_OK)
            return code;
    }
    return EXIT_OK;
}

/* ---- Operands ---- */

/* The index-th name in a list such as "MODEL DATA", without the dots of "DATA..."; NULL past the end. */
static const char *operand_name(const char *operands, int index, int *length) {
    const char *name = operands ? operands : "";
    for (; index > 0 && *name; index--) {
        name += strcspn(name, " ");
        name += *name == ' ';
    }
    *length = (int)strcspn(name, " .");
    return *name ? name : NULL;
}

/* Whether the operand, then the only one, may be repeated. */
static bool takes_list(const command *self) {
    return self->operands && strstr(self->operands, "...");
}

static int add_operand(parser *p, char *word) {
    int length = 0, index = takes_list(p->self) ? 0 : p->args->operand_count;
    const char *name = operand_name(p->self->operands, index, &length);
    if (!name && !p->self->operands)
        return usage_error("unexpected argument '%s'; usage: dltf %s [options]", word, p->self->name);
    if (!name)
        return usage_error("unexpected argument '%s'; usage: dltf %s %s", word, p->self->name,
                           p->self->operands);
    if (!*word)
        return usage_error("%.*s is empty", length, name);
    if (takes_list(p->self))
        p->args->list[p->args->operand_count++] = word; /* over a word that was already read */
    else
        p->args->operands[p->args->operand_count++] = word;
    return EXIT_OK;
}

static int check_operands(const parser *p) {
    int length = 0;
    const char *missing = operand_name(p->self->operands, p->args->operand_count, &length);
    if (missing && *missing != '[')
        return usage_error("%.*s is missing; usage: dltf %s %s", length, missing, p->self->name,
                           p->self->operands);
    return EXIT_OK;
}

/* ---- Parsing ---- */

static int read_words(parser *p) {
    bool options_ended = false;
    while (p->next < p->count) {
        char *word = p->words[p->next++];
        int code = EXIT_OK;
        if (!options_ended && strcmp(word, "--") == 0)
            options_ended = true;
        else if (options_ended || word[0] != '-' || word[1] == '\0')
            code = add_operand(p, word);
        else if (word[1] == '-')
            code = read_long(p, word);
        else
            code = read_short(p, word);
        if (code != EXIT_OK)
            return code;
    }
    return check_operands(p);
}

bool arguments_ask_for_help(int count, char **words) {
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0)
            return true;
    return false;
}

bool arguments_parse(const command *self, int count, char **words, void *own, void *library,
                     arguments *args) {
    *args = (arguments){.list = words, .exit_code = EXIT_OK};
    if (arguments_ask_for_help(count, words)) {
        help_print_command(self, stdout);
        return false;
    }
    parser p = {.self = self, .count = count, .words = words, .args = args};
    p.groups[0] = (group){self->own, own};
    p.groups[1] = (group){self->library ? self->library() : (dl_option_table){.count = 0}, library};
    p.groups[2] = (group){command_common_options(self), &args->common};
    p.groups[3] = (group){command_reading_options(self), &args->reading};
    for (int g = 0; g < GROUPS; g++)
        if (p.groups[g].table.count > 0)
            dl_option_defaults(p.groups[g].table, p.groups[g].target);
    args->exit_code = read_words(&p);
    files_configure(&args->reading);
    output_configure(args->common.quiet, args->common.json);
    return args->exit_code == EXIT_OK;
}

int arguments_check(const arguments *args, dl_option_table table, const void *target) {
    dltf_status status = dl_option_check(table, target, args->given);
    return status == DLTF_OK ? EXIT_OK : library_failure(status);
}

bool arguments_given(const arguments *args, const char *name) {
    for (int i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i], name) == 0)
            return true;
    return false;
}
