/* The command line: finds the command and hands over. */
#include "command.h"
#include "manual.h"

#include "scene/suggest.h"
#include "weir/weir.h"

#include <stdio.h>
#include <string.h>

/* In the order in which they are used. */
const command *const commands[] = {&command_run,
                                   &command_check,
                                   &command_render,
                                   &command_mesh,
                                   &command_plot,
                                   &command_study,
                                   &command_compare,
                                   &command_info,
                                   &command_bench,
                                   &command_verify,
                                   &command_lcp,
                                   &command_help,
                                   NULL};

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
    const char *man, *completions;
} help_values;

static const option help_options[] = {
    {"--man", "DIR", OPTION_TEXT, offsetof(help_values, man), 0,
     "Write the manual pages of all commands into a folder."},
    {"--completions", "DIR", OPTION_TEXT, offsetof(help_values, completions), 0,
     "Write completions for bash, zsh and fish into a folder."},
};

static int write_manual(const help_values *values)
{
    weir_error error;
    if ((values->man && !manual_write_pages(values->man, &error)) ||
        (values->completions && !manual_write_completions(values->completions, &error)))
        return command_fail(EXIT_FAILED, "%s", error.text);
    return EXIT_OK;
}

static int run_help(const command *self, int argc, char **argv)
{
    help_values values = {0};
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    if (values.man || values.completions)
        return write_manual(&values);
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
    .options = help_options,
    .option_count = sizeof help_options / sizeof help_options[0],
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
