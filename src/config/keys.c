#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/draft.h"

/* Problems with keys that are reported, of each severity. */
#define MAX_KEY_PROBLEMS 40

void cltomo_draft_key_problem(cltomo_draft *draft, uint32_t key, const char *path,
    cltomo_severity severity, const char *format, ...)
{
    char name[160];
    char full[320];
    char message[512];
    va_list arguments;
    unsigned *count = &draft->report->n_key_problems[severity == CLTOMO_SEVERITY_WARNING];
    if ((*count)++ >= MAX_KEY_PROBLEMS) {
        return;
    }
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    uint32_t resolved = cltomo_yaml_resolve(draft->tree, key);
    if (draft->tree->node[resolved].kind == CLTOMO_NODE_SCALAR) {
        cltomo_copy_text(name, sizeof name, cltomo_yaml_text(draft->tree, resolved));
    } else {
        cltomo_draft_written(draft, resolved, name, sizeof name);
    }
    (void)snprintf(full, sizeof full, "%s%s%s", path, path[0] != '\0' ? "." : "", name);
    cltomo_problem problem = {.severity = severity,
        .line = draft->tree->node[key].line,
        .column = draft->tree->node[key].column,
        .key = full,
        .value = "",
        .allowed = ""};
    cltomo_report_add(draft->report, &problem, "%s%s", length < 0 ? "" : message,
        *count == MAX_KEY_PROBLEMS ? " (further ones of this kind are not listed)" : "");
}

/* An earlier key of the mapping with the same text; 0 if there is none. */
static uint32_t find_earlier(const cltomo_yaml_tree *tree, uint32_t mapping, uint32_t key)
{
    const char *text = cltomo_yaml_text(tree, cltomo_yaml_resolve(tree, key));
    for (uint32_t other = tree->node[mapping].first; other != key;) {
        uint32_t resolved = cltomo_yaml_resolve(tree, other);
        if (tree->node[resolved].kind == CLTOMO_NODE_SCALAR &&
            strcmp(cltomo_yaml_text(tree, resolved), text) == 0) {
            return other;
        }
        other = tree->node[tree->node[other].next].next;
    }
    return 0;
}

static bool check_key(cltomo_draft *draft, uint32_t mapping, const char *path, uint32_t key)
{
    const cltomo_yaml_tree *tree = draft->tree;
    const cltomo_node *resolved = &tree->node[cltomo_yaml_resolve(tree, key)];
    if (resolved->kind != CLTOMO_NODE_SCALAR) {
        cltomo_draft_key_problem(
            draft, key, path, CLTOMO_SEVERITY_ERROR, "a key must be a single word");
        return false;
    }
    if (resolved->plain && strcmp(tree->text + resolved->text, "<<") == 0) {
        cltomo_draft_key_problem(draft, key, path, CLTOMO_SEVERITY_ERROR,
            "merge keys are not supported, write the keys out");
        return false;
    }
    uint32_t earlier = find_earlier(tree, mapping, key);
    if (earlier != 0) {
        cltomo_draft_key_problem(draft, key, path, CLTOMO_SEVERITY_ERROR,
            "the key is given twice, first on line %u", (unsigned)tree->node[earlier].line);
        return false;
    }
    return true;
}

void cltomo_draft_visit(
    cltomo_draft *draft, uint32_t mapping, const char *path, cltomo_key_visitor visit, void *user)
{
    const cltomo_yaml_tree *tree = draft->tree;
    if (tree->node[mapping].n_child / 2 > CLTOMO_YAML_MAX_KEYS) {
        cltomo_problem problem = {.severity = CLTOMO_SEVERITY_ERROR,
            .line = tree->node[mapping].line,
            .column = tree->node[mapping].column,
            .key = path,
            .value = "",
            .allowed = ""};
        cltomo_report_add(
            draft->report, &problem, "a mapping has more than %d keys", CLTOMO_YAML_MAX_KEYS);
        return;
    }
    for (uint32_t key = tree->node[mapping].first; key != 0;) {
        uint32_t value = tree->node[key].next;
        if (check_key(draft, mapping, path, key)) {
            visit(draft, user, key, cltomo_yaml_resolve(tree, value));
        }
        key = tree->node[value].next;
    }
}
