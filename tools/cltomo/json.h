/* Writes JSON (RFC 8259), indented by two spaces. The caller keeps begin and end in step. */
#ifndef CLTOMO_TOOL_JSON_H
#define CLTOMO_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    unsigned depth;
    bool has_items; /* of the innermost object or array so far */
} json;

json json_begin(FILE *out);

/* Each adds one member; key is NULL for an element of an array and for the outermost value. */
void json_object_begin(json *j, const char *key);
void json_object_end(json *j);
void json_array_begin(json *j, const char *key);
void json_array_end(json *j);
void json_text(json *j, const char *key, const char *value); /* bytes that are no UTF-8: U+FFFD */
void json_integer(json *j, const char *key, uint64_t value);
void json_real(
    json *j, const char *key, double value); /* the same number when read back; not finite: null */
void json_bool(json *j, const char *key, bool value);

#endif
