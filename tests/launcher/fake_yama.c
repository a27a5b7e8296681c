/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loaded ahead of a rank's libraries, it stands for a kernel with Yama: kernel.yama.ptrace_scope is $FAKE_YAMA_SCOPE,
 * and what a process permits is written down in $FAKE_YAMA_LOG, a line each: its id, and that of the permitted
 * process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FAKE_VISIBLE __attribute__((visibility("default")))

FAKE_VISIBLE int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    const char *scope = getenv("FAKE_YAMA_SCOPE");
    if (scope && strcmp(path, "/proc/sys/kernel/yama/ptrace_scope") == 0) {
        int fd = memfd_create("scope", MFD_CLOEXEC);
        if (fd >= 0 && (write(fd, scope, strlen(scope)) < 0 || lseek(fd, 0, SEEK_SET) < 0))
            abort();
        return fd;
    }
    return openat(AT_FDCWD, path, flags, mode);
}

FAKE_VISIBLE int prctl(int option, ...)
{
    unsigned long words[4];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option == PR_SET_PTRACER) {
        char line[64];
        int fd = openat(AT_FDCWD, getenv("FAKE_YAMA_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0666);
        int length = snprintf(line, sizeof line, "%d %ld\n", (int)getpid(), (long)words[0]);
        if (write(fd, line, (size_t)length) != length)
            abort();
        return close(fd);
    }
    int (*real)(int, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
    return real(option, words[0], words[1], words[2], words[3]);
}
