/* What reports say of the program and the machine, and other programs started from here. */
#include "study.h"

#include "base/hash.h"
#include "out/file.h"
#include "par/parallel.h"
#include "weir/weir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

bool study_program_find(study_program *p, weir_error *error)
{
    ssize_t length = readlink("/proc/self/exe", p->path, sizeof p->path - 1);
    if (length < 0)
        return fail(error, WEIR_IO, "the program cannot find its own file: %s", strerror(errno));
    p->path[length] = '\0';
    size_t size;
    void *bytes = file_read(p->path, &size, error);
    if (!bytes)
        return false;
    p->hash = hash_bytes(0, bytes, size);
    free(bytes);
    return true;
}

/* "model name : ..." of the first core. */
static void find_cpu(char *text, size_t size)
{
    char line[400];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "an unknown CPU");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            char *name = strchr(line, ':') + 1;
            name += strspn(name, " ");
            name[strcspn(name, "\n")] = '\0';
            snprintf(text, size, "%s", name);
            break;
        }
    if (file)
        fclose(file);
}

study_stamp study_stamp_make(const study_program *p)
{
    study_stamp s = {.cores = parallel_cores()};
    time_t now = time(NULL);
    struct tm date;
    gmtime_r(&now, &date);
    strftime(s.date, sizeof s.date, "%Y-%m-%d", &date);
    snprintf(s.version, sizeof s.version, "%s", WEIR_VERSION);
    snprintf(s.program, sizeof s.program, "%016llx", (unsigned long long)p->hash);
    find_cpu(s.cpu, sizeof s.cpu);
    return s;
}

static void become(const char *const *words, const char *log)
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int nothing = open("/dev/null", O_RDONLY);
    if (file >= 0 && nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        execv(words[0], (char *const *)(uintptr_t)words);
    }
    _exit(127);
}

int study_start(const char *const *words, const char *log)
{
    fflush(NULL);
    pid_t process = fork();
    if (process == 0)
        become(words, log);
    return process;
}

int study_wait(int process)
{
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
