/* weir lcp: solves complementarity problems given as data. */
#include "command.h"

#include "scene/lcp_file.h"
#include "solve/lcp_solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lcp_command {
    arguments arguments;
    const char *solver;
    bool json;
} lcp_command;

static const option options[] = {
    {"--solver", "NAME", OPTION_TEXT, offsetof(lcp_command, solver), 0,
     "lemke (default), structured, block, pgs or mprgp."},
    {"--json", NULL, OPTION_FLAG, offsetof(lcp_command, json), 0, "Print JSON."},
};

static bool find_solver(const char *name, lcp_solver *solver)
{
    for (int k = 0; k < LCP_SOLVER_COUNT; k++)
        if (strcmp(name, lcp_solver_name((lcp_solver)k)) == 0) {
            *solver = (lcp_solver)k;
            return true;
        }
    return false;
}

static void print_vector(const char *name, const double *values, int n)
{
    printf("  %s", name);
    for (int i = 0; i < n; i++)
        printf(" %.10g", values[i]);
    printf("\n");
}

static void print_result(const lcp_file_problem *p, size_t index, const double *z, const double *w,
                         const lcp_result *r)
{
    if (p->name[0])
        printf("%s: ", p->name);
    else
        printf("problem %zu: ", index + 1);
    printf("%d rows, %s%s; %d pivots, %d block steps, %d iterations; residual %.3g\n", p->n,
           lcp_status_name(r->status), r->infeasible ? " (infeasible)" : "", r->pivots,
           r->block_steps, r->iterations, r->residual);
    if (r->status == LCP_SOLVED || r->status == LCP_INACCURATE) {
        print_vector("z", z, p->n);
        print_vector("w", w, p->n);
    }
}

typedef struct solving {
    lcp_solver solver;
    json *out; /* NULL: text */
    lcp_workspace work;
    bool all_solved;
} solving;

static bool solve_problem(solving *s, const lcp_file_problem *p, size_t index, weir_error *error)
{
    lcp_result result;
    lcp_options o = {.cover = p->cover, .start = p->cover ? LCP_START_COLD : LCP_START_PREDICTED};
    double *z = calloc(2 * (size_t)p->n, sizeof *z), *w = z + p->n;
    if (!z)
        return fail(error, WEIR_OUT_OF_MEMORY, "no memory for a problem of %d rows", p->n);
    bool ok = p->has_contacts
                  ? lcp_solve_contacts(s->solver, &p->contacts, &o, &s->work, z, w, &result, error)
                  : lcp_solve(s->solver, &p->dense, &o, &s->work, z, w, &result, error);
    if (ok) {
        s->all_solved = s->all_solved && result.status == LCP_SOLVED;
        if (s->out)
            lcp_file_write_result(s->out, p, lcp_solver_name(s->solver), z, w, &result);
        else
            print_result(p, index, z, w, &result);
    }
    free(z);
    return ok;
}

static int solve_file(const lcp_file *file, const char *path, lcp_solver solver, bool as_json)
{
    weir_error error;
    memory m = memory_with_hooks(NULL);
    json j = {0};
    solving s = {.solver = solver, .out = as_json ? &j : NULL, .all_solved = true};
    lcp_workspace_init(&s.work, &m);
    bool ok = true;
    const char *name = "";
    /* The form of the file: one object, or a list of them under `problems`. */
    if (file->is_list) {
        json_object_begin(&j, NULL);
        json_array_begin(&j, "problems");
    }
    for (size_t k = 0; k < file->count && ok; k++) {
        name = file->problems[k].name;
        ok = solve_problem(&s, &file->problems[k], k, &error);
    }
    if (file->is_list) {
        json_array_end(&j);
        json_object_end(&j);
    }
    if (ok && as_json && j.text)
        fputs(j.text, stdout);
    json_free(&j);
    lcp_workspace_free(&s.work);
    if (!ok)
        return command_fail(error.code == WEIR_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_SCENE,
                            "%s: %s%s%s", path, name, *name ? ": " : "", error.text);
    return s.all_solved ? EXIT_OK : EXIT_CHECK;
}

static int execute(const command *self, int argc, char **argv)
{
    lcp_command values = {.solver = "lemke"};
    lcp_solver solver;
    lcp_file file;
    weir_error error;
    int code;
    if (!command_parse(self, argc, argv, &values, &code))
        return code;
    if (!find_solver(values.solver, &solver))
        return command_fail(EXIT_USAGE,
                            "--solver: '%s' is not allowed: must be lemke, structured, block, pgs "
                            "or mprgp",
                            values.solver);
    const char *path = values.arguments.items[0];
    if (!lcp_file_load(&file, path, &error))
        return command_fail(EXIT_SCENE, "%s", error.text);
    code = solve_file(&file, path, solver, values.json);
    lcp_file_free(&file);
    return code;
}

const command command_lcp = {
    .name = "lcp",
    .usage = "FILE [OPTIONS]",
    .min_arguments = 1,
    .max_arguments = 1,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .summary = "Solve linear complementarity problems given as data.",
    .details = "FILE is YAML or JSON with M and q, or with points, bodies, contacts and q, or a\n"
               "list of such problems under 'problems'. The exit code is 0 when every problem was\n"
               "solved and 5 when one was not: a ray, or a residual above the tolerance.",
    .run = execute,
};
