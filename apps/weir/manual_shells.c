/* Completions for bash, zsh and fish: commands, then options; after them files. */
#include "manual.h"

#include "out/file.h"

#include <stdio.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------- bash */

static void print_bash(file_writer *w)
{
    file_print(w, "# Completion of weir for bash; made by 'weir help --completions'.\n"
                  "_weir() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} options\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                  "        COMPREPLY=($(compgen -W '");
    for (const command *const *c = commands; *c; c++)
        file_print(w, "%s ", (*c)->name);
    file_print(w, "--help --version' -- \"$word\"))\n"
                  "        return\n"
                  "    fi\n"
                  "    case ${COMP_WORDS[1]} in\n");
    for (const command *const *c = commands; *c; c++) {
        file_print(w, "    %s) options='", (*c)->name);
        for (size_t k = 0; k < (*c)->option_count; k++)
            file_print(w, "%s ", (*c)->options[k].name);
        file_print(w, "--help' ;;\n");
    }
    file_print(w, "    esac\n"
                  "    case $word in\n"
                  "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                  "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
                  "    esac\n"
                  "}\n"
                  "complete -o filenames -F _weir weir\n");
}

/* ----------------------------------------------------------------------- zsh */

/* A text inside '...[text]' of zsh, or inside '...' of fish. */
static void print_quoted(file_writer *w, const char *text, const char *escaped)
{
    for (const char *c = text; *c; c++) {
        bool special = false;
        for (const char *e = escaped; *e; e++)
            special = special || *e == *c;
        if (*c == '\'')
            file_print(w, "'\\''");
        else
            file_print(w, special ? "\\%c" : "%c", *c);
    }
}

static void print_zsh(file_writer *w)
{
    file_print(w, "#compdef weir\n"
                  "# Completion of weir for zsh; made by 'weir help --completions'.\n"
                  "if (( CURRENT == 2 )); then\n"
                  "    local -a names\n"
                  "    names=(\n");
    for (const command *const *c = commands; *c; c++) {
        file_print(w, "        '%s:", (*c)->name);
        print_quoted(w, (*c)->summary, ":\\");
        file_print(w, "'\n");
    }
    file_print(w, "    )\n"
                  "    _describe command names\n"
                  "    return\n"
                  "fi\n"
                  "local name=$words[2]\n"
                  "shift words\n"
                  "(( CURRENT-- ))\n"
                  "case $name in\n");
    for (const command *const *c = commands; *c; c++) {
        file_print(w, "%s)\n    _arguments \\\n", (*c)->name);
        for (size_t k = 0; k < (*c)->option_count; k++) {
            const option *o = &(*c)->options[k];
            file_print(w, "        '*%s[", o->name);
            print_quoted(w, o->meaning, "[]:\\");
            file_print(w, "]");
            if (o->value) {
                file_print(w, ":");
                print_quoted(w, o->value, "[]:\\");
                file_print(w, ":_files");
            }
            file_print(w, "' \\\n");
        }
        file_print(w, "        '--help[Print this help.]' '*:file:_files'\n    ;;\n");
    }
    file_print(w, "esac\n");
}

/* ---------------------------------------------------------------------- fish */

static void print_fish(file_writer *w)
{
    file_print(w, "# Completion of weir for fish; made by 'weir help --completions'.\n");
    for (const command *const *c = commands; *c; c++) {
        file_print(w, "complete -c weir -n __fish_use_subcommand -f -a %s -d '", (*c)->name);
        print_quoted(w, (*c)->summary, "\\");
        file_print(w, "'\n");
    }
    for (const command *const *c = commands; *c; c++)
        for (size_t k = 0; k < (*c)->option_count; k++) {
            const option *o = &(*c)->options[k];
            file_print(w, "complete -c weir -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
                       (*c)->name, o->name + 2, o->value ? " -r" : "");
            print_quoted(w, o->meaning, "\\");
            file_print(w, "'\n");
        }
}

/* ----------------------------------------------------------------------- all */

static bool write_shell(const char *folder, const char *name, void (*print)(file_writer *),
                        weir_error *error)
{
    char *path;
    file_writer w;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return fail(error, WEIR_OUT_OF_MEMORY, "memory ran out");
    file_begin(&w, path);
    print(&w);
    free(path);
    return file_commit(&w, error);
}

bool manual_write_completions(const char *folder, weir_error *error)
{
    return file_make_folder(folder, error) && write_shell(folder, "weir.bash", print_bash, error) &&
           write_shell(folder, "_weir", print_zsh, error) &&
           write_shell(folder, "weir.fish", print_fish, error);
}
