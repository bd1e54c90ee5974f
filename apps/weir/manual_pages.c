/* Man pages in the macros of man(7). */
#include "manual.h"

#include "out/file.h"
#include "weir/weir.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text in which troff sees no commands: no dot or quote at the begin of a line, and dashes and
 * backslashes as they are. */
static void print_text(file_writer *w, const char *text)
{
    bool at_start = true;
    for (const char *c = text; *c; c++) {
        if (at_start && (*c == '.' || *c == '\''))
            file_print(w, "\\&");
        if (*c == '\\')
            file_print(w, "\\e");
        else if (*c == '-')
            file_print(w, "\\-");
        else
            file_write(w, c, 1);
        at_start = *c == '\n';
    }
}

static void print_line(file_writer *w, const char *macro, const char *text)
{
    file_print(w, "%s", macro);
    print_text(w, text);
    file_print(w, "\n");
}

static void print_head(file_writer *w, const char *name, const char *summary)
{
    file_print(w, ".TH ");
    for (const char *c = name; *c; c++)
        file_print(w, "%c", toupper((unsigned char)*c));
    file_print(w, " 1 \"\" \"Weir " WEIR_VERSION "\" \"Weir\"\n.SH NAME\n");
    print_text(w, name);
    file_print(w, " \\- ");
    print_text(w, summary);
    file_print(w, "\n.SH SYNOPSIS\n");
}

static void print_option(file_writer *w, const char *name, const char *value, const char *meaning)
{
    file_print(w, ".TP\n.B ");
    print_text(w, name);
    if (value) {
        file_print(w, " \\fI");
        print_text(w, value);
        file_print(w, "\\fR");
    }
    file_print(w, "\n");
    print_line(w, "", meaning);
}

static void print_exit_codes(file_writer *w)
{
    static const struct {
        int code;
        const char *meaning;
    } codes[] = {
        {EXIT_OK, "done"},
        {EXIT_FAILED, "a file, memory or a program that is needed failed"},
        {EXIT_USAGE, "the command line is wrong"},
        {EXIT_SCENE, "a scene or another input file is not valid"},
        {EXIT_UNSTABLE, "the simulation is or became unstable, or not finite"},
        {EXIT_CHECK, "a check did not pass"},
        {EXIT_INTERRUPTED, "interrupted"},
    };
    file_print(w, ".SH EXIT STATUS\n");
    for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
        file_print(w, ".TP\n%d\n%s\n", codes[k].code, codes[k].meaning);
}

static bool write_command(const char *folder, const command *c, weir_error *error)
{
    char *path, name[80];
    file_writer w;
    if (asprintf(&path, "%s/weir-%s.1", folder, c->name) < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    snprintf(name, sizeof name, "weir-%s", c->name);
    file_begin(&w, path);
    print_head(&w, name, c->summary);
    file_print(&w, ".B weir %s\n", c->name);
    print_line(&w, "", c->usage);
    file_print(&w, ".SH DESCRIPTION\n");
    print_line(&w, "", c->summary);
    if (c->details)
        print_line(&w, "", c->details);
    file_print(&w, ".SH OPTIONS\n");
    for (size_t k = 0; k < c->option_count; k++)
        print_option(&w, c->options[k].name, c->options[k].value, c->options[k].meaning);
    print_option(&w, "--help", NULL, "Print this help.");
    print_exit_codes(&w);
    file_print(&w, ".SH SEE ALSO\n.BR weir (1)\n");
    free(path);
    return file_commit(&w, error);
}

static bool write_overview(const char *folder, weir_error *error)
{
    char *path;
    file_writer w;
    if (asprintf(&path, "%s/weir.1", folder) < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    file_begin(&w, path);
    print_head(&w, "weir", "liquids and solids that move each other");
    file_print(&w, ".B weir\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n");
    print_line(&w, "",
               "Simulates particle fluids with rigid bodies, joints and motors in 2D and 3D, from "
               "scene files, and draws, meshes and measures the results.");
    file_print(&w, ".SH COMMANDS\n");
    for (const command *const *c = commands; *c; c++) {
        file_print(&w, ".TP\n.BR weir\\-%s (1)\n", (*c)->name);
        print_line(&w, "", (*c)->summary);
    }
    print_exit_codes(&w);
    free(path);
    return file_commit(&w, error);
}

bool manual_write_pages(const char *folder, weir_error *error)
{
    bool done = file_make_folder(folder, error) && write_overview(folder, error);
    for (const command *const *c = commands; *c && done; c++)
        done = write_command(folder, *c, error);
    return done;
}
