/* The Markdown page of several studies: an overview, then a section for each. */
#include "study.h"

#include "out/file.h"

#include <stdio.h>
#include <stdlib.h>

bool study_page_begin(study_page *p)
{
    p->overview_file = open_memstream(&p->overview, &p->overview_length);
    p->sections_file = open_memstream(&p->sections, &p->sections_length);
    if (!p->overview_file || !p->sections_file)
        return false;
    fputs("| study | cases | expectations met | findings | not possible | failed |\n"
          "|---|---|---|---|---|---|\n",
          p->overview_file);
    return true;
}

static void put_share(FILE *out, size_t passed, size_t count)
{
    if (count > 0)
        fprintf(out, " %zu of %zu |", passed, count);
    else
        fputs(" - |", out);
}

void study_page_add(study_page *p, const study_results *r)
{
    fprintf(p->overview_file, "| %s (`%s`) | %zu |", r->s->data.title, r->s->name,
            r->s->case_count);
    put_share(p->overview_file, r->passed_count, r->check_count);
    put_share(p->overview_file, r->claims_passed, r->claim_count);
    fprintf(p->overview_file, " %zu | %zu |\n", r->unable_count, r->failed_count);
    study_write_markdown(r, p->sections_file);
}

void study_page_close(study_page *p)
{
    if (p->overview_file)
        fclose(p->overview_file);
    if (p->sections_file)
        fclose(p->sections_file);
    p->overview_file = p->sections_file = NULL;
}

bool study_page_write(const study_page *p, const study_program *program, bool quick,
                      const char *path, weir_error *error)
{
    file_writer w;
    study_stamp stamp = study_stamp_make(program);
    file_begin(&w, path);
    file_print(&w,
               "# Validation\nWritten by `make studies`; do not edit. Weir %s, program `%s`, %s, "
               "%s, %d cores%s.\nEach section is a study (`studies/NAME.yaml`); its report with "
               "plots, pictures and hashes is\n`out/studies/NAME%s/report.html` after the command "
               "that it names. **falls short** marks what is outside\nof its tolerance.\n\n",
               stamp.version, stamp.program, stamp.date, stamp.cpu, stamp.cores,
               quick ? ", quick studies: fewer cases and shorter runs" : "", quick ? "-quick" : "");
    file_write(&w, p->overview, p->overview_length);
    file_print(&w, "\n");
    file_write(&w, p->sections, p->sections_length);
    return file_commit(&w, error);
}

void study_page_free(study_page *p)
{
    free(p->overview);
    free(p->sections);
    p->overview = p->sections = NULL;
}
