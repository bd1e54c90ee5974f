/* The command line: finds the command and hands over. */
#include "command.h"

#include "scene/suggest.h"
#include "weir/weir.h"

#include <stdio.h>
#include <string.h>

/* In the order in which they are used. */
const command *const commands[] = {
    &command_run,  &command_check, &command_render, &command_mesh, &command_plot,
    &command_info, &command_bench, &command_verify, &command_help, NULL};

static const command *find_command(const char *name)
{
    for (const command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static int refuse_command(const char *name)
{
    suggestion nearest = suggest_begin(name);
    for (const command *const *c = commands; *c; c++)
        suggest_offer(&nearest, (*c)->name);
    if (nearest.nearest)
        return command_fail(EXIT_USAGE, "unknown command '%s': did you mean '%s'? See 'weir help'",
                            name, nearest.nearest);
    return command_fail(EXIT_USAGE, "unknown command '%s': see 'weir help'", name);
}

static void print_overview(void)
{
    printf("Weir %s: liquids and solids that move each other.\n\nUsage: weir COMMAND ...\n\n",
           WEIR_VERSION);
    for (const command *const *c = commands; *c; c++)
        printf("  %-8s %s\n", (*c)->name, (*c)->summary);
    printf("\n'weir help COMMAND' explains one of them. A first run:\n"
           "  weir run scenes/examples/dam-break-2d.yaml\n");
}

typedef struct help_values {
    arguments arguments;
} help_values;

static int run_help(const command *self, int argc, char **argv)
{
    help_values values = {0};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    if (values.arguments.count == 0) {
        print_overview();
        return EXIT_OK;
    }
    const command *c = find_command(values.arguments.items[0]);
    if (!c)
        return refuse_command(values.arguments.items[0]);
    command_print_help(c);
    return EXIT_OK;
}

const command command_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .max_arguments = 1,
    .summary = "Explain the commands.",
    .run = run_help,
};

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_overview();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("weir %s\n", WEIR_VERSION);
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_overview();
        return EXIT_OK;
    }
    const command *c = find_command(argv[1]);
    if (!c)
        return refuse_command(argv[1]);
    int code = c->run(c, argc - 2, argv + 2);
    /* Output that went nowhere, as to a full disk, must not look like success. */
    if (fflush(stdout) != 0 && code == EXIT_OK)
        code = command_fail(EXIT_FAILED, "the output could not be written");
    return code;
}
