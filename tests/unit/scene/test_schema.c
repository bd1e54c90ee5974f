/* The schema is read back as a tree, since JSON is YAML, and looked into. */
#include "sample.h"
#include "scene/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static tree *write_schema(const record *r)
{
    json j = {0};
    weir_error error = {0};
    if (!schema_write(r, "https://example.org/scene.json", "Sample", &j, &error))
        print_message("%s\n", error.text);
    assert_string_equal(error.text, "");
    tree *t = tree_parse(j.text, j.length, "schema", NULL, &error);
    assert_non_null(t);
    json_free(&j);
    return t;
}

/* Follows a path of keys and indices, with spaces between. */
static const node *at(const node *n, const char *path)
{
    char steps[200], *rest = steps;
    strncpy(steps, path, sizeof steps - 1);
    steps[sizeof steps - 1] = '\0';
    for (char *step; n && (step = strsep(&rest, " "));) {
        if (n->kind == NODE_LIST) {
            const node *item = n->first;
            for (int i = step[0] - '0'; item && i > 0; i--)
                item = item->next;
            n = item;
        } else {
            n = node_find(n, step);
        }
    }
    return n;
}

static void says(const tree *t, const char *path, const char *expected)
{
    const node *n = at(t->root, path);
    if (!n)
        print_message("no %s\n", path);
    assert_non_null(n);
    assert_string_equal(n->text, expected);
}

static void has_no(const tree *t, const char *path)
{
    assert_null(at(t->root, path));
}

static void describes_the_whole(void **state)
{
    (void)state;
    tree *t = write_schema(&sample_scene_record);
    says(t, "$schema", "https://json-schema.org/draft/2020-12/schema");
    says(t, "$id", "https://example.org/scene.json");
    says(t, "title", "Sample");
    says(t, "description", "A scene.");
    says(t, "type", "object");
    says(t, "additionalProperties", "false");
    says(t, "required 0", "fluids");
    assert_int_equal(at(t->root, "properties")->count,
                     sizeof sample_scene_fields / sizeof sample_scene_fields[0]);
    assert_int_equal(at(t->root, "$defs")->count, 4);
    tree_free(t);
}

static void describes_values(void **state)
{
    (void)state;
    tree *t = write_schema(&sample_scene_record);
    says(t, "properties title type", "string");
    says(t, "properties title default", "untitled");
    says(t, "properties dim type", "integer");
    says(t, "properties dim minimum", "2");
    says(t, "properties dim maximum", "3");
    says(t, "properties dim default", "3");
    says(t, "properties spacing type 0", "number");
    says(t, "properties spacing exclusiveMinimum", "0");
    says(t, "properties spacing default", "0.02");
    says(t, "properties spacing description", "Distance of particles. Must be > 0 m.");
    says(t, "properties angle description", "An angle. Unit: rad.");
    has_no(t, "properties dt default");
    says(t, "properties ratio maximum", "1");
    says(t, "properties closed default", "true");
    says(t, "properties periodic items enum 1", "y");
    says(t, "properties gravity minItems", "2");
    says(t, "properties gravity default 1", "-9.81");
    says(t, "properties times items minimum", "0");
    says(t, "properties times maxItems", "4");
    says(t, "properties points items items type 0", "number");
    says(t, "properties points minItems", "3");
    says(t, "properties tags items type", "string");
    says(t, "$defs fluid properties tension default", "0.072");
    says(t, "$defs fluid properties color default 2", "1");
    tree_free(t);
}

static void allows_zero_beside_the_range(void **state)
{
    (void)state;
    tree *t = write_schema(&sample_scene_record);
    says(t, "properties substeps anyOf 0 const", "0");
    says(t, "properties substeps anyOf 1 minimum", "1");
    says(t, "properties substeps anyOf 1 maximum", "100");
    says(t, "properties substeps description",
         "Substeps of a step. Must be from 1 to 100, or 0 (as "
         "many as stability needs).");
    tree_free(t);
}

static void refers_to_records(void **state)
{
    (void)state;
    tree *t = write_schema(&sample_scene_record);
    says(t, "properties fluids additionalProperties $ref", "#/$defs/fluid");
    says(t, "properties fluids minProperties", "1");
    says(t, "properties solids items $ref", "#/$defs/shape");
    says(t, "$defs fluid required 0", "density");
    says(t, "$defs fluid additionalProperties", "false");
    tree_free(t);
}

static void splits_tags_into_variants(void **state)
{
    (void)state;
    tree *t = write_schema(&sample_scene_record);
    assert_int_equal(at(t->root, "$defs shape oneOf")->count, 3);
    says(t, "$defs shape oneOf 0 properties shape enum 0", "box");
    says(t, "$defs shape oneOf 0 required 0", "shape");
    says(t, "$defs shape oneOf 0 required 1", "size");
    has_no(t, "$defs shape oneOf 0 properties radius");
    says(t, "$defs shape oneOf 1 properties radius default", "0.5");
    says(t, "$defs shape oneOf 1 properties center items type 0", "number");
    says(t, "$defs shape oneOf 2 properties items items $ref", "#/$defs/shape");
    tree_free(t);
}

static void writes_shorthands_and_default_variants(void **state)
{
    (void)state;
    tree *t = write_schema(&sample_scene_record);
    says(t, "$defs solver anyOf 0 enum 1", "pbf");
    says(t, "$defs solver anyOf 1 oneOf 0 properties method default", "sph");
    says(t, "$defs solver anyOf 1 oneOf 0 properties stiffness default", "3");
    has_no(t, "$defs solver anyOf 1 oneOf 0 required");
    says(t, "$defs solver anyOf 1 oneOf 1 required 0", "method");
    tree_free(t);
}

static void writes_groups(void **state)
{
    (void)state;
    tree *t = write_schema(&sample_scene_record);
    assert_int_equal(at(t->root, "$defs source allOf 0 oneOf")->count, 2);
    says(t, "$defs source allOf 0 oneOf 1 required 0", "rate");
    has_no(t, "$defs source properties rate default");
    tree_free(t);
}

static void refuses_flawed_tables(void **state)
{
    (void)state;
    const field fields[] = {{"k", FIELD_NUMBER, .size = 3, .meaning = "."}};
    const record r = {"r", 8, TABLES(TABLE(fields)), .meaning = "."};
    json j = {0};
    weir_error error = {0};
    assert_false(schema_write(&r, NULL, "x", &j, &error));
    assert_string_equal(error.text,
                        "the field 'k' of the record 'r' has a member of another size than its "
                        "kind");
    json_free(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_the_whole),
        cmocka_unit_test(describes_values),
        cmocka_unit_test(allows_zero_beside_the_range),
        cmocka_unit_test(refers_to_records),
        cmocka_unit_test(splits_tags_into_variants),
        cmocka_unit_test(writes_shorthands_and_default_variants),
        cmocka_unit_test(writes_groups),
        cmocka_unit_test(refuses_flawed_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
