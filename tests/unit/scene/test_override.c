/* tree_set: every way to name a place, and every way to miss it. */
#include "scene/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char scene[] = "fluids:\n"
                            "  water: {density: 1000, viscosity: 0.001}\n"
                            "liquids:\n"
                            "  - {name: water, density: 1000}\n"
                            "  - {name: oil, density: 900}\n"
                            "  - {name: oil, density: 910}\n"
                            "solids:\n"
                            "  - pose: {position: [0, 0, 0]}\n"
                            "  - pose: {position: [1, 1, 1]}\n"
                            "title: Dam\n"
                            "nothing:\n"
                            "empty: []\n"
                            "single: [5]\n";

static tree *parse(void)
{
    tree *t = tree_parse(scene, strlen(scene), "a.yaml", NULL, NULL);
    assert_non_null(t);
    return t;
}

static void set(tree *t, const char *assignment)
{
    weir_error error = {0};
    if (!tree_set(t, "--set", assignment, &error))
        print_message("%s\n", error.text);
    assert_string_equal(error.text, "");
}

static void refuses(const char *assignment, const char *message)
{
    tree *t = parse();
    weir_error error = {0};
    assert_false(tree_set(t, "--set", assignment, &error));
    assert_string_equal(error.text, message);
    assert_false(tree_set(t, "--set", assignment, NULL));
    tree_free(t);
}

static void sets_keys_of_maps(void **state)
{
    (void)state;
    tree *t = parse();
    set(t, "fluids.water.viscosity=0.1");
    const node *water = node_find(node_find(t->root, "fluids"), "water");
    assert_int_equal(water->count, 2);
    const node *viscosity = node_find(water, "viscosity");
    assert_string_equal(viscosity->text, "0.1");
    assert_ptr_equal(water->last, viscosity);
    assert_string_equal(viscosity->source, "--set");
    weir_error error;
    bind_error_at(viscosity, NULL, &error, "0.1 is wrong");
    assert_string_equal(error.text, "--set fluids.water.viscosity: 0.1 is wrong");
    set(t, "fluids.water.density={a: [1, 2], b: c=d}");
    assert_string_equal(node_find(node_find(water, "density"), "b")->text, "c=d");
    set(t, "title='5'");
    assert_false(node_find(t->root, "title")->plain);
    set(t, "title=a b");
    assert_string_equal(node_find(t->root, "title")->text, "a b");
    tree_free(t);
}

static void sets_items_of_lists(void **state)
{
    (void)state;
    tree *t = parse();
    set(t, "solids.0.pose.position=[0, 1, 0]");
    set(t, "solids.1.pose.position.2=7");
    set(t, "liquids.water.density=5");
    set(t, "liquids.2.density=6");
    const node *solids = node_find(t->root, "solids");
    const node *first = node_find(node_find(solids->first, "pose"), "position");
    const node *second = node_find(node_find(solids->last, "pose"), "position");
    assert_string_equal(first->first->next->text, "1");
    assert_string_equal(second->last->text, "7");
    assert_int_equal(second->count, 3);
    const node *liquids = node_find(t->root, "liquids");
    assert_string_equal(node_find(liquids->first, "density")->text, "5");
    assert_string_equal(node_find(liquids->last, "density")->text, "6");
    set(t, "solids.0={}");
    assert_int_equal(solids->count, 2);
    assert_int_equal(solids->first->count, 0);
    tree_free(t);
}

static void creates_missing_keys(void **state)
{
    (void)state;
    tree *t = parse();
    set(t, "output.frames.every=3");
    const node *frames = node_find(node_find(t->root, "output"), "frames");
    assert_string_equal(node_find(frames, "every")->text, "3");
    set(t, "output.frames.format=vtp");
    assert_int_equal(frames->count, 2);
    set(t, "nothing.a=1");
    assert_string_equal(node_find(node_find(t->root, "nothing"), "a")->text, "1");
    tree_free(t);
}

/* An alias is a copy: setting it leaves the anchor as it was. */
static void sets_one_of_two_aliases(void **state)
{
    (void)state;
    const char *text = "a: &x {k: 1}\nb: *x\n";
    tree *t = tree_parse(text, strlen(text), "a.yaml", NULL, NULL);
    set(t, "b.k=2");
    assert_string_equal(node_find(node_find(t->root, "a"), "k")->text, "1");
    assert_string_equal(node_find(node_find(t->root, "b"), "k")->text, "2");
    tree_free(t);
}

static void refuses_wrong_paths(void **state)
{
    (void)state;
    refuses("title", "--set title: must be written key.key=value");
    refuses("=5", "--set =5: must be written key.key=value");
    refuses("a..b=5", "--set a..b: a key is empty: write key.key=value");
    refuses("title.x=5", "--set title.x: 'title' is 'Dam', not a mapping: it has no keys");
    refuses("solids.2.pose=5", "--set solids.2.pose: the list has no item '2'; there are: 0 to 1");
    refuses("solids.-1=5", "--set solids.-1: the list has no item '-1'; there are: 0 to 1");
    refuses("solids.99999999999999999999999=5",
            "--set solids.99999999999999999999999: the list has no item "
            "'99999999999999999999999'; there are: 0 to 1");
    refuses("single.1=5", "--set single.1: the list has no item '1'; there are: only 0");
    refuses("empty.0=5", "--set empty.0: the list has no item '0'; there are: none");
    refuses("liquids.wine.density=5", "--set liquids.wine.density: the list has no item 'wine'; "
                                      "there are: 'water', 'oil', 'oil'");
    refuses("liquids.oil.density=5",
            "--set liquids.oil.density: 2 items are named 'oil': give an index, from 0");
}

static void refuses_wrong_values(void **state)
{
    (void)state;
    refuses("title=", "--set title: is empty");
    refuses("title=[1, 2",
            "--set title: is not valid YAML: did not find expected ',' or ']' while parsing a "
            "flow sequence");
    refuses("title={a: 1, a: 2}", "--set title: the key 'a' is repeated");
    refuses("title=*x", "--set title: the alias *x has no anchor before it");
    refuses("title=1\n---\n2",
            "--set title: a second document begins here: a scene is one document");
}

static void keeps_the_limits(void **state)
{
    (void)state;
    weir_error error = {0};
    tree_limits limits = tree_limits_default();
    limits.depth = 4;
    limits.keys = 2;
    limits.nodes = 20;
    const char *text = "a: {b: {c: 1}}\nk: 1\n";
    tree *t = tree_parse(text, strlen(text), "a.yaml", &limits, NULL);
    assert_true(tree_set(t, "--set", "a.b.c=[1]", &error));
    assert_false(tree_set(t, "--set", "a.b.c=[[1]]", &error));
    assert_string_equal(error.text, "--set a.b.c: lists and mappings are nested more than 4 deep");
    assert_false(tree_set(t, "--set", "a.b.d.e.f=1", &error));
    assert_string_equal(error.text, "--set a.b.d.e.f: goes more than 4 levels deep");
    assert_false(tree_set(t, "--set", "l=1", &error));
    assert_string_equal(error.text, "--set l: the mapping would have more than 2 keys");
    assert_false(tree_set(t, "--set", "k=[1,2,3,4,5,6,7,8,9,10,11,12]", &error));
    assert_string_equal(error.text, "a.yaml: has more than 20 values, with aliases written out");
    tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_keys_of_maps),    cmocka_unit_test(sets_items_of_lists),
        cmocka_unit_test(creates_missing_keys), cmocka_unit_test(sets_one_of_two_aliases),
        cmocka_unit_test(refuses_wrong_paths),  cmocka_unit_test(refuses_wrong_values),
        cmocka_unit_test(keeps_the_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
