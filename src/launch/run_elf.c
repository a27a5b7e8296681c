/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "launch/run_elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { ELF_SEGMENTS_MAX = 64, ELF_ENTRIES_MAX = 512, ELF_NAME_MAX = 256 };

/* The parts of a program file that say what it needs. Its contents are not to be trusted, and may change meanwhile. */
typedef struct elf_file {
    int fd;
    ElfW(Phdr) segments[ELF_SEGMENTS_MAX];
    size_t segment_count;
    ElfW(Dyn) entries[ELF_ENTRIES_MAX];
    size_t entry_count;
} elf_file;

static int elf_take(const elf_file *file, size_t offset, void *room, size_t length)
{
    return pread(file->fd, room, length, (off_t)offset) == (ssize_t)length;
}

/* Where in the file an address of the program is. 1, or 0: nowhere. */
static int elf_find(const elf_file *file, size_t address, size_t *offset_p)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const ElfW(Phdr) *segment = &file->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz) {
            *offset_p = segment->p_offset + (address - segment->p_vaddr);
            return 1;
        }
    }
    return 0;
}

/* 1, or 0: it is no program of this machine. */
static int elf_read_segments(elf_file *file)
{
    ElfW(Ehdr) head;
    unsigned char kind = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!elf_take(file, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != kind || head.e_phentsize != sizeof *file->segments ||
        head.e_phnum > ELF_SEGMENTS_MAX)
        return 0;
    file->segment_count = head.e_phnum;
    return elf_take(file, head.e_phoff, file->segments, head.e_phnum * sizeof *file->segments);
}

/* 1, or 0: it is no program of this machine, or needs no library. */
static int elf_read(elf_file *file)
{
    if (!elf_read_segments(file))
        return 0;
    for (size_t i = 0; i < file->segment_count; i++) {
        size_t bytes = file->segments[i].p_filesz;
        if (file->segments[i].p_type != PT_DYNAMIC)
            continue;
        file->entry_count = (bytes < sizeof file->entries ? bytes : sizeof file->entries) / sizeof *file->entries;
        return elf_take(file, file->segments[i].p_offset, file->entries, file->entry_count * sizeof *file->entries);
    }
    return 0;
}

static int elf_name_all(const elf_file *file, run_elf_fn name_fn, void *context)
{
    size_t names = 0;
    int code = 0, has_names = 0;
    for (size_t i = 0; i < file->entry_count; i++)
        if (file->entries[i].d_tag == DT_STRTAB)
            has_names = elf_find(file, file->entries[i].d_un.d_ptr, &names);
    for (size_t i = 0; code == 0 && has_names && i < file->entry_count && file->entries[i].d_tag != DT_NULL; i++) {
        char name[ELF_NAME_MAX];
        if (file->entries[i].d_tag != DT_NEEDED)
            continue;
        ssize_t got = pread(file->fd, name, sizeof name - 1, (off_t)(names + file->entries[i].d_un.d_val));
        if (got <= 0)
            continue;
        name[got] = '\0';
        code = name_fn(context, name);
    }
    return code;
}

int cor_run_elf_needed(const char *path, run_elf_fn name_fn, void *context)
{
    elf_file file = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0)
        return 0;
    int code = elf_read(&file) ? elf_name_all(&file, name_fn, context) : 0;
    close(file.fd);
    return code;
}

int cor_run_elf_is_static(const char *path)
{
    elf_file file = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0)
        return 0;
    int is_static = elf_read_segments(&file);
    for (size_t i = 0; i < file.segment_count; i++)
        if (file.segments[i].p_type == PT_INTERP)
            is_static = 0;
    close(file.fd);
    return is_static;
}
