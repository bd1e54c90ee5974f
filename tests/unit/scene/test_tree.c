/* Text to nodes: what YAML and JSON give, and what is refused, where and why. */
#include "scene/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static tree *parse(const char *text)
{
    weir_error error = {0};
    tree *t = tree_parse(text, strlen(text), "a.yaml", NULL, &error);
    if (!t)
        print_message("%s\n", error.text);
    assert_non_null(t);
    return t;
}

/* The text is refused with exactly this message. */
static void refuses_with(const char *text, const tree_limits *limits, const char *message)
{
    weir_error error = {0};
    assert_null(tree_parse(text, strlen(text), "a.yaml", limits, &error));
    assert_string_equal(error.text, message);
    assert_int_not_equal(error.code, WEIR_OK);
    assert_null(tree_parse(text, strlen(text), "a.yaml", limits, NULL));
}

static void refuses(const char *text, const char *message)
{
    refuses_with(text, NULL, message);
}

static void reads_nodes_with_their_places(void **state)
{
    (void)state;
    tree *t = parse("title: Dam\n"
                    "fluids:\n"
                    "  water:\n"
                    "    density: 1000\n"
                    "list: [1, 'two', {three: 3}]\n");
    assert_int_equal(t->root->kind, NODE_MAP);
    assert_int_equal(t->root->count, 3);
    const node *density = node_find(node_find(node_find(t->root, "fluids"), "water"), "density");
    assert_string_equal(density->text, "1000");
    assert_int_equal(density->line, 4);
    assert_int_equal(density->column, 14);
    assert_int_equal(density->parent->key_line, 3);
    assert_string_equal(density->source, "a.yaml");
    char path[100];
    node_path(density, path, sizeof path);
    assert_string_equal(path, "fluids.water.density");
    const node *list = node_find(t->root, "list");
    assert_int_equal(list->kind, NODE_LIST);
    assert_int_equal(list->count, 3);
    assert_true(node_is_number(list->first));
    assert_false(list->first->next->plain);
    node_path(list->last->first, path, sizeof path);
    assert_string_equal(path, "list.2.three");
    assert_null(node_find(list, "three"));
    assert_null(node_find(NULL, "three"));
    tree_free(t);
}

static void reads_json(void **state)
{
    (void)state;
    tree *t = parse("{\"a\":{\"b\":[1,2.5e-3,true,null,\"x\\n\\u00e9\"]},\n\t\"c\": {}}");
    const node *b = node_find(node_find(t->root, "a"), "b");
    assert_int_equal(b->count, 5);
    assert_string_equal(b->last->text, "x\n\xc3\xa9");
    assert_int_equal(node_find(t->root, "c")->kind, NODE_MAP);
    assert_int_equal(node_find(t->root, "c")->key_line, 2);
    tree_free(t);
}

static void tells_what_plain_scalars_are(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_null, is_bool, is_number;
    } cases[] = {
        {"~", 1, 0, 0},      {"null", 1, 0, 0},  {"''", 0, 0, 0},    {"'null'", 0, 0, 0},
        {"true", 0, 1, 0},   {"False", 0, 1, 0}, {"yes", 0, 0, 0},   {"'true'", 0, 0, 0},
        {"-1.5e3", 0, 0, 1}, {".5", 0, 0, 1},    {"5.", 0, 0, 1},    {"1e", 0, 0, 0},
        {".nan", 0, 0, 1},   {"-.inf", 0, 0, 1}, {"nan", 0, 0, 0},   {"0x10", 0, 0, 0},
        {"2 cm", 0, 0, 0},   {"\"5\"", 0, 0, 0}, {"1_000", 0, 0, 0}, {"1,5", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool value;
        tree *t = parse(cases[i].text);
        assert_int_equal(node_is_null(t->root), cases[i].is_null);
        assert_int_equal(node_is_bool(t->root, &value), cases[i].is_bool);
        assert_int_equal(node_is_number(t->root), cases[i].is_number);
        tree_free(t);
    }
}

static void expands_aliases_to_copies(void **state)
{
    (void)state;
    tree *t = parse("a: &x {k: [1, 2]}\n"
                    "b: *x\n"
                    "c: &x 3\n"
                    "d: [*x, *x]\n");
    node *a = node_find(t->root, "a"), *b = node_find(t->root, "b");
    assert_ptr_not_equal(a, b);
    assert_ptr_not_equal(a->first, b->first);
    assert_string_equal(b->first->last->text, "2");
    assert_int_equal(b->key_line, 2);
    assert_int_equal(b->first->last->line, 1);
    assert_ptr_equal(b->first->parent, b);
    char path[100];
    node_path(b->first->last, path, sizeof path);
    assert_string_equal(path, "b.k.1");
    assert_string_equal(node_find(t->root, "d")->last->text, "3");
    tree_free(t);
}

static void merges_keys(void **state)
{
    (void)state;
    tree *t = parse("base: &b {x: 1, y: 2}\n"
                    "more: &m {y: 3, z: 4}\n"
                    "one: {<<: *b, x: 5}\n"
                    "two: {<<: [*b, *m], w: 6}\n");
    const node *one = node_find(t->root, "one"), *two = node_find(t->root, "two");
    assert_int_equal(one->count, 2);
    assert_string_equal(node_find(one, "x")->text, "5");
    assert_string_equal(node_find(one, "y")->text, "2");
    assert_int_equal(two->count, 4);
    assert_string_equal(node_find(two, "y")->text, "2");
    assert_string_equal(node_find(two, "z")->text, "4");
    assert_int_equal(node_find(t->root, "base")->count, 2);
    tree_free(t);
    refuses("a: {<<: 5}\n", "a.yaml:1: the key << takes a mapping, or a list of mappings");
}

static void refuses_what_a_scene_cannot_be(void **state)
{
    (void)state;
    refuses("", "a.yaml: is empty");
    refuses("# nothing\n", "a.yaml: is empty");
    refuses("a: 1\n---\nb: 2\n",
            "a.yaml:2: a second document begins here: a scene is one document");
    refuses("a: 1\nb: 2\na: 3\n", "a.yaml:3: the key 'a' is repeated: it is already in line 1");
    refuses("a: !!float 5\n",
            "a.yaml:1: the tag tag:yaml.org,2002:float is not supported: remove it");
    refuses("a: 1\nb: *nowhere\n", "a.yaml:2: the alias *nowhere has no anchor before it");
    refuses("a: &x [*x]\n", "a.yaml:1: the alias *x is inside its own anchor");
    refuses("? [1, 2]\n: 3\n", "a.yaml:1: a key must be plain text");
    refuses("a: \"x\\0y\"\n", "a.yaml:1: a text contains a NUL character");
    refuses("\"\": 1\n", "a.yaml:1: a key is empty");
}

static void refuses_bad_yaml(void **state)
{
    (void)state;
    refuses("a:\n  b: [1, 2\nc: 3\n",
            "a.yaml:3: is not valid YAML: did not find expected ',' or ']' while parsing a flow "
            "sequence that began in line 2");
    refuses("a:\n\tb: 1\n",
            "a.yaml:2: is not valid YAML: found character that cannot start any token while "
            "scanning for the next token that began in line 2 (indent with spaces, not tabs; "
            "quote texts that begin with @ or `)");
    refuses("a: \xff\xfe\n", "a.yaml: is not text in UTF-8: invalid leading UTF-8 octet at byte 3");
}

static void keeps_its_limits(void **state)
{
    (void)state;
    tree_limits limits = tree_limits_default();
    limits.nodes = 10;
    limits.depth = 3;
    limits.keys = 3;
    limits.anchors = 2;
    limits.bytes = 60;
    refuses_with("[1,2,3,4,5,6,7,8,9,10]", &limits,
                 "a.yaml: has more than 10 values, with aliases written out");
    refuses_with("[&a [1, 2], [*a, *a], [*a]]", &limits,
                 "a.yaml: has more than 10 values, with aliases written out");
    refuses_with("[[\n[[1]]]]", &limits,
                 "a.yaml:2: lists and mappings are nested more than 3 deep");
    refuses_with("[&a [[1]],\n [*a]]", &limits,
                 "a.yaml:2: lists and mappings are nested more than 3 deep");
    refuses_with("{a: 1, b: 2, c: 3, d: 4}", &limits, "a.yaml:1: a mapping has more than 3 keys");
    refuses_with("{<<: &a {a: 1, b: 2, c: 3}, d: 4}", &limits,
                 "a.yaml:1: a mapping has more than 3 keys");
    refuses_with("[&a 1, &b 2, &c 3]", &limits, "a.yaml:1: there are more than 2 anchors");
    refuses_with("# 3456789 123456789 123456789 123456789 123456789 123456789 1\na: 1", &limits,
                 "a.yaml: is larger than 60 bytes");
}

/* Each level doubles the one before: 2^60 values, if they were written out. */
static void refuses_a_bomb_quickly(void **state)
{
    (void)state;
    char text[4000] = "a0: &a0 [x, x]\n";
    for (int i = 1; i < 60; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "a%d: &a%d [*a%d, *a%d]\n", i, i,
                 i - 1, i - 1);
    refuses(text, "a.yaml: has more than 1000000 values, with aliases written out");
}

/* Deep nesting of every kind ends with a message, not with the stack. */
static void refuses_deep_nesting(void **state)
{
    (void)state;
    static const char *const openings[] = {"[", "{a: ", "- ", "? ", "[{a: "};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        size_t length = strlen(openings[i]), count = 100000;
        char *text = malloc(length * count + 1);
        assert_non_null(text);
        for (size_t k = 0; k < count; k++)
            memcpy(text + k * length, openings[i], length);
        text[length * count] = '\0';
        weir_error error = {0};
        assert_null(tree_parse(text, length * count, "a.yaml", NULL, &error));
        assert_string_not_equal(error.text, "");
        free(text);
    }
}

/* With every bound of memory a text is read or refused, and nothing else. */
static void survives_without_memory(void **state)
{
    (void)state;
    const char *text = "a: &x {b: [1, 2, 3], c: text}\nd: *x\ne: {<<: *x, f: 1}\n";
    tree_limits limits = tree_limits_default();
    bool was_read = false;
    for (limits.memory = 16; limits.memory < 40000; limits.memory += 64) {
        weir_error error = {0};
        tree *t = tree_parse(text, strlen(text), "a.yaml", &limits, &error);
        assert_true(t || error.code == WEIR_OUT_OF_MEMORY);
        assert_true(t || !was_read);
        was_read = t != NULL;
        tree_free(t);
    }
    assert_true(was_read);
}

static void loads_files(void **state)
{
    (void)state;
    weir_error error = {0};
    assert_null(tree_load("no/such.yaml", NULL, &error));
    assert_string_equal(error.text, "no/such.yaml: cannot be read: No such file or directory");
    assert_int_equal(error.code, WEIR_NOT_FOUND);
    assert_null(tree_load("/", NULL, &error));
    assert_string_equal(error.text, "/: is a folder: a scene file is expected");
    tree_limits limits = tree_limits_default();
    limits.bytes = 100000;
    assert_null(tree_load("/dev/zero", &limits, &error));
    assert_string_equal(error.text, "/dev/zero: is larger than 100000 bytes");

    char path[] = "/tmp/weir_tree_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, "a: [1, 2]\n", 10), 10);
    close(file);
    tree *t = tree_load(path, NULL, &error);
    assert_non_null(t);
    assert_int_equal(node_find(t->root, "a")->count, 2);
    assert_string_equal(t->name, path);
    tree_free(t);
    remove(path);
}

static void reports_at_nodes(void **state)
{
    (void)state;
    tree *t = parse("fluids:\n  water:\n    density: -5\nsolids:\n  - name: gate\n  - {x: 1}\n");
    const node *water = node_find(node_find(t->root, "fluids"), "water");
    const node *solids = node_find(t->root, "solids");
    weir_error error = {0};
    assert_false(bind_error_at(water, "density", &error, "%d is wrong", -5));
    assert_string_equal(error.text, "a.yaml:3: fluids.water.density: -5 is wrong");
    bind_error_at(water, "viscosity", &error, "is missing");
    assert_string_equal(error.text, "a.yaml:2: fluids.water.viscosity: is missing");
    bind_error_at(solids->first, "name", &error, "no");
    assert_string_equal(error.text, "a.yaml:5: solids.gate.name: no");
    bind_error_at(solids->last, "x", &error, "no");
    assert_string_equal(error.text, "a.yaml:6: solids.1.x: no");
    bind_error_at(t->root, NULL, &error, "no");
    assert_string_equal(error.text, "a.yaml:1: no");
    assert_false(bind_error_at(t->root, NULL, NULL, "no"));
    tree_free(t);
}

/* A message stays readable with keys and values that are long or not printable. */
static void shows_hostile_text_safely(void **state)
{
    (void)state;
    char text[3000];
    snprintf(text, sizeof text, "\"\\e[31m\\a%0500d\": {\"k\": \"\\x07\\xe9%0500d\"}", 1, 2);
    tree *t = parse(text);
    weir_error error = {0};
    char shown[NODE_SHOWN];
    node_show(t->root->first->first, shown);
    bind_error_at(t->root->first->first, NULL, &error, "%s is wrong", shown);
    assert_true(strlen(error.text) < 250);
    for (const char *c = error.text; *c; c++)
        assert_true((unsigned char)*c >= 0x20);
    assert_non_null(strstr(error.text, "is wrong"));
    tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_nodes_with_their_places),
        cmocka_unit_test(reads_json),
        cmocka_unit_test(tells_what_plain_scalars_are),
        cmocka_unit_test(expands_aliases_to_copies),
        cmocka_unit_test(merges_keys),
        cmocka_unit_test(refuses_what_a_scene_cannot_be),
        cmocka_unit_test(refuses_bad_yaml),
        cmocka_unit_test(keeps_its_limits),
        cmocka_unit_test(refuses_a_bomb_quickly),
        cmocka_unit_test(refuses_deep_nesting),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(loads_files),
        cmocka_unit_test(reports_at_nodes),
        cmocka_unit_test(shows_hostile_text_safely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
