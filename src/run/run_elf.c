#define _GNU_SOURCE
#include "run/run_elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory, whose contents are not to be trusted. */
typedef struct elf_file {
    const unsigned char *bytes;
    size_t length;
} elf_file;

static const void *elf_at(const elf_file *file, size_t offset, size_t length)
{
    return offset <= file->length && length <= file->length - offset ? file->bytes + offset : NULL;
}

static const ElfW(Phdr) * elf_segment(const elf_file *file, size_t i)
{
    const ElfW(Ehdr) *head = elf_at(file, 0, sizeof *head);
    return head && i < head->e_phnum && head->e_phentsize == sizeof(ElfW(Phdr))
               ? elf_at(file, head->e_phoff + i * sizeof(ElfW(Phdr)), sizeof(ElfW(Phdr)))
               : NULL;
}

/* Where in the file an address of the program is. 1, or 0: nowhere. */
static int elf_find(const elf_file *file, size_t address, size_t *offset_p)
{
    const ElfW(Phdr) * segment;
    for (size_t i = 0; (segment = elf_segment(file, i)) != NULL; i++)
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz) {
            *offset_p = segment->p_offset + (address - segment->p_vaddr);
            return 1;
        }
    return 0;
}

static int elf_name_all(const elf_file *file, const ElfW(Dyn) * entries, size_t count, run_elf_fn name_fn,
                        void *context)
{
    size_t names = 0;
    int code = 0, has_names = 0;
    for (size_t i = 0; i < count; i++)
        if (entries[i].d_tag == DT_STRTAB)
            has_names = elf_find(file, entries[i].d_un.d_ptr, &names);
    for (size_t i = 0; code == 0 && has_names && i < count && entries[i].d_tag != DT_NULL; i++) {
        size_t at = names + entries[i].d_un.d_val;
        if (entries[i].d_tag != DT_NEEDED || at >= file->length)
            continue;
        if (memchr(file->bytes + at, '\0', file->length - at))
            code = name_fn(context, (const char *)file->bytes + at);
    }
    return code;
}

static int elf_read(const elf_file *file, run_elf_fn name_fn, void *context)
{
    const ElfW(Phdr) * segment;
    const ElfW(Ehdr) *head = elf_at(file, 0, sizeof *head);
    unsigned char kind = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != kind)
        return 0;
    for (size_t i = 0; (segment = elf_segment(file, i)) != NULL; i++) {
        const void *entries =
            segment->p_type == PT_DYNAMIC ? elf_at(file, segment->p_offset, segment->p_filesz) : NULL;
        if (entries && segment->p_offset % sizeof(size_t) == 0)
            return elf_name_all(file, entries, segment->p_filesz / sizeof(ElfW(Dyn)), name_fn, context);
    }
    return 0;
}

int cor_run_elf_needed(const char *path, run_elf_fn name_fn, void *context)
{
    struct stat what;
    int code = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (fstat(fd, &what) == 0 && S_ISREG(what.st_mode) && what.st_size > 0) {
        size_t length = (size_t)what.st_size;
        void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            const elf_file file = {bytes, length};
            code = elf_read(&file, name_fn, context);
            munmap(bytes, length);
        }
    }
    close(fd);
    return code;
}
