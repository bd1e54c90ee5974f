/* Where studies are found: files by their path, those that come with Weir by their name. */
#include "study.h"

#include "scene/suggest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* The folders that hold studies, where WEIR_STUDIES does not name one: beside the working folder,
 * and beside the program. */
static const char *const places[] = {"studies", "../studies", "../share/weir/studies"};

static bool find_folder(const study_program *p, char folder[PATH_BYTES])
{
    char home[PATH_BYTES];
    struct stat status;
    const char *given = getenv("WEIR_STUDIES");
    if (given && given[0])
        return snprintf(folder, PATH_BYTES, "%s", given) < PATH_BYTES;
    snprintf(home, sizeof home, "%s", p->path);
    char *slash = strrchr(home, '/');
    if (slash)
        *slash = '\0';
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        int length = k == 0 ? snprintf(folder, PATH_BYTES, "%s", places[k])
                            : snprintf(folder, PATH_BYTES, "%s/%s", home, places[k]);
        if (length < PATH_BYTES && stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
            return true;
    }
    return false;
}

static int is_study(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

static bool add_path(study_list *l, const char *path)
{
    return l->count < STUDY_MAX_LIST && (l->paths[l->count++] = strdup(path)) != NULL;
}

int study_find_all(const study_program *p, study_list *l)
{
    char folder[PATH_BYTES];
    struct dirent **entries;
    if (!find_folder(p, folder))
        return command_fail(EXIT_SCENE, "there is no folder 'studies' here or beside the program: "
                                        "name a study file");
    int count = scandir(folder, &entries, is_study, alphasort);
    bool ok = count >= 0;
    for (int k = 0; k < count; k++) {
        char path[2 * PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
        ok = add_path(l, path) && ok;
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
    return ok ? EXIT_OK : command_fail(EXIT_FAILED, "the folder %s cannot be read", folder);
}

static int refuse_name(const study_program *p, const char *name)
{
    study_list all = {0};
    int code = study_find_all(p, &all);
    if (code != EXIT_OK)
        return code;
    suggestion nearest = suggest_begin(name);
    for (size_t k = 0; k < all.count; k++) {
        char *base = strrchr(all.paths[k], '/') + 1;
        base[strlen(base) - 5] = '\0';
        suggest_offer(&nearest, base);
    }
    code = nearest.nearest
               ? command_fail(EXIT_USAGE, "there is no study '%s': did you mean '%s'?", name,
                              nearest.nearest)
               : command_fail(EXIT_USAGE, "there is no study '%s': see 'weir study list'", name);
    study_list_free(&all);
    return code;
}

int study_find(const study_program *p, const char *name, study_list *l)
{
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    const char *dot = strrchr(name, '.');
    if (strchr(name, '/') || (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".json") == 0)))
        return add_path(l, name) ? EXIT_OK : command_fail(EXIT_FAILED, "memory ran out");
    if (find_folder(p, folder)) {
        snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
        if (access(path, R_OK) == 0)
            return add_path(l, path) ? EXIT_OK : command_fail(EXIT_FAILED, "memory ran out");
    }
    return refuse_name(p, name);
}

void study_list_free(study_list *l)
{
    for (size_t k = 0; k < l->count; k++)
        free(l->paths[k]);
    l->count = 0;
}
