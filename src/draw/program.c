#include "draw/program.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool spawn(program *p, const char *const *arguments, int input)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    /* A group of its own: Ctrl-C in the terminal is for the caller, who ends the program. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, p->output, STDOUT_FILENO);
    if (code == 0)
        code = posix_spawn_file_actions_adddup2(&actions, p->output, STDERR_FILENO);
    if (code == 0)
        code = posix_spawnp(&p->process, arguments[0], &actions, &attributes,
                            (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    errno = code;
    return code == 0;
}

static void close_all(program *p)
{
    if (p->input >= 0)
        close(p->input);
    if (p->output >= 0)
        close(p->output);
    p->input = p->output = -1;
}

bool program_start(program *p, const char *const *arguments, const char *package, weir_error *error)
{
    *p = (program){.name = arguments[0], .input = -1, .output = -1};
    /* A socket instead of a pipe: when the program ends early, send() returns an error, while a
     * write to a pipe would end this process too. */
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(error, WEIR_IO, "cannot start %s: %s", p->name, strerror(errno));
    p->input = ends[0];
    p->output = memfd_create("program", MFD_CLOEXEC);
    bool started = p->output >= 0 && spawn(p, arguments, ends[1]);
    int code = errno;
    close(ends[1]);
    if (started)
        return true;
    close_all(p);
    if (code == ENOENT || code == EACCES)
        return fail(error, WEIR_UNSUPPORTED,
                    "the program %s is not installed; on Debian install the package %s", p->name,
                    package);
    return fail(error, WEIR_IO, "cannot start %s: %s", p->name, strerror(code));
}

bool program_write(program *p, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        ssize_t sent = send(p->input, at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

static int wait_for_end(program *p)
{
    int status = -1;
    while (waitpid(p->process, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* The last lines of what the program said, on one line. */
static void read_words(const program *p, char *text, size_t size)
{
    off_t end = lseek(p->output, 0, SEEK_END);
    off_t start = end > (off_t)(size - 1) ? end - (off_t)(size - 1) : 0;
    ssize_t count = end > 0 ? pread(p->output, text, size - 1, start) : 0;
    text[count > 0 ? count : 0] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--)
        text[length - 1] = '\0';
}

bool program_finish(program *p, weir_error *error)
{
    /* Only the writing side: the program may still read what is under way. */
    shutdown(p->input, SHUT_WR);
    int status = wait_for_end(p);
    char words[400];
    read_words(p, words, sizeof words);
    close_all(p);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFSIGNALED(status))
        return fail(error, WEIR_IO, "%s was ended by signal %d", p->name, WTERMSIG(status));
    return fail(error, WEIR_IO, "%s failed: %s", p->name, words[0] ? words : "it gave no reason");
}

void program_stop(program *p)
{
    if (p->input < 0)
        return;
    kill(p->process, SIGTERM);
    wait_for_end(p);
    close_all(p);
}
