/* SPDX-License-Identifier: Apache-2.0 */
/* What would be done with a file, for people: the file system, strategies and hints, as lines of text. */
#define _GNU_SOURCE
#include "file/file_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* ---- the file system -------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t magic;
    const char *name, *kind;
} explain_systems[] = {
    {0xef53, "ext2, ext3 or ext4", "on a disk of this host"},
    {0x58465342, "XFS", "on a disk of this host"},
    {0x9123683e, "Btrfs", "on a disk of this host"},
    {0x2fc12fc1, "ZFS", "on a disk of this host"},
    {0xf2f52010, "F2FS", "on a disk of this host"},
    {0x794c7630, "overlayfs", "layers of other file systems, as in a container"},
    {0x01021994, "tmpfs",
     "in the memory of this host: files are lost when the host ends, and other hosts do not see them"},
    {0x858458f6, "ramfs",
     "in the memory of this host: files are lost when the host ends, and other hosts do not see them"},
    {0x6969, "NFS", "on another host, which caches: what one host writes, another may see only after MPI_File_sync"},
    {0xff534d42, "CIFS", "on another host"},
    {0xfe534d42, "SMB", "on another host"},
    {0x01021997, "9P", "on another host, or that of this virtual machine"},
    {0x65735546, "FUSE", "by a program, which may lack locks and be slow for short pieces"},
    {0x0bd00bd0, "Lustre", "parallel"},
    {0x47504653, "GPFS", "parallel"},
    {0x00c36400, "Ceph", "parallel"},
    {0x19830326, "BeeGFS", "parallel"},
    {0x20030528, "OrangeFS", "parallel"},
};

static void explain_bytes(FILE *out, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; unit++)
        bytes /= 1024;
    fprintf(out, "%.*f %s", unit ? 1 : 0, bytes, units[unit]);
}

static void explain_system(FILE *out, int fd)
{
    struct statfs found;
    if (fstatfs(fd, &found) != 0) {
        fprintf(out, "file system: not known: %s\n", strerror(errno));
        return;
    }
    uint32_t magic = (uint32_t)found.f_type;
    size_t i = 0, count = sizeof explain_systems / sizeof *explain_systems;
    while (i < count && explain_systems[i].magic != magic)
        i++;
    if (i < count)
        fprintf(out, "file system: %s, %s\n", explain_systems[i].name, explain_systems[i].kind);
    else
        fprintf(out, "file system: unknown, with the number %#x\n", magic);
    fprintf(out, "free: ");
    explain_bytes(out, (double)found.f_bavail * (double)found.f_bsize);
    fprintf(out, " of ");
    explain_bytes(out, (double)found.f_blocks * (double)found.f_bsize);
    fprintf(out, ", in blocks of %ld bytes\n", (long)found.f_bsize);
}

static void explain_locks(FILE *out, int fd)
{
    int error = file_lock_probe(fd, 0);
    if (error == 0)
        fprintf(out, "locks: of ranges, so that atomic mode works\n");
    else
        fprintf(out, "locks: none, so that atomic mode works in files of one rank only: %s\n", strerror(error));
}

/* The path, or the folder in which the file would be. */
static void explain_place(FILE *out, const char *path)
{
    char *copy = strdup(path);
    struct stat found;
    if (!copy)
        return;
    const char *place = stat(path, &found) == 0 ? path : dirname(copy);
    int is_new = place != path, fd = -1;
    if (!is_new && S_ISFIFO(found.st_mode))
        fprintf(out, "%s: a pipe, which cannot be opened: in it there are no places to read and write at\n", path);
    else if (!is_new && (S_ISCHR(found.st_mode) || S_ISBLK(found.st_mode)))
        fprintf(out, "%s: a device, which is opened, and reports what it cannot do\n", path);
    else if (!is_new && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
        fprintf(out, "%s: neither a file nor a folder\n", path);
    else if ((fd = open(place, O_RDONLY | O_CLOEXEC)) < 0)
        fprintf(out, "%s: cannot be opened: %s\n", place, strerror(errno));
    else if (is_new)
        fprintf(out, "%s: does not exist; its folder is %s\n", path, place);
    else
        fprintf(out, "%s: %s\n", path, S_ISDIR(found.st_mode) ? "a folder" : "a file");
    if (fd >= 0) {
        explain_system(out, fd);
        explain_locks(out, fd);
        close(fd);
    }
    free(copy);
}

/* ---- strategies ------------------------------------------------------------------------------------------------- */

/* Each member has `pieces` pieces of `bytes`, one every `stride` members' pieces; 0: all in a row. */
typedef struct explain_shape {
    const char *name;
    uint64_t bytes, pieces;
    int is_own, has_gap;
} explain_shape;

static const explain_shape explain_shapes[] = {
    {"each member a range of its own", 1 << 20, 1, 1, 0},
    {"records of 8 bytes in turn", 8, 131072, 0, 0},
    {"records of 512 bytes in turn", 512, 2048, 0, 0},
    {"records of 512 bytes in turn, every second", 512, 2048, 0, 1},
    {"records of 4 KiB in turn", 4096, 1024, 0, 0},
    {"records of 64 KiB in turn", 65536, 64, 0, 0},
    {"blocks of an array, rows of 128 bytes", 128, 8192, 0, 0},
};

static file_part explain_part(const explain_shape *shape, const file_hints *hints, int is_write, int member,
                              int members)
{
    uint64_t bytes = shape->bytes * shape->pieces,
             stride = shape->bytes * (uint64_t)members * (shape->has_gap ? 2 : 1);
    file_part part = {.bytes = bytes,
                      .pieces = shape->pieces,
                      .buffer_bytes = hints->cb_buffer_size,
                      .nodes = hints->cb_nodes,
                      .is_write = (uint8_t)is_write,
                      .choice = is_write ? hints->cb_write : hints->cb_read};
    part.first = (int64_t)((shape->is_own ? bytes : shape->bytes) * (uint64_t)member);
    part.end = part.first + (int64_t)(shape->is_own ? bytes : (shape->pieces - 1) * stride + shape->bytes);
    return part;
}

static int explain_shape_of(FILE *out, const explain_shape *shape, const file_hints *hints, int is_write, int members)
{
    size_t count = (size_t)members;
    file_part *parts = calloc(count, sizeof *parts);
    const file_part **part_of = calloc(count, sizeof *part_of);
    file_range *ranges = calloc(count, sizeof *ranges);
    int rc = parts && part_of && ranges ? COR_OK : COR_ERR_MEMORY;
    for (int i = 0; rc == COR_OK && i < members; i++) {
        parts[i] = explain_part(shape, hints, is_write, i, members);
        part_of[i] = &parts[i];
    }
    if (rc == COR_OK) {
        file_situation situation;
        file_situation_init(&situation, part_of, members, 1, ranges);
        const file_rule *rule = file_rule_for(&situation);
        file_division division = file_division_of(&situation);
        fprintf(out, "  %-44s %-5s  %s", shape->name, is_write ? "write" : "read", file_strategy_name(rule->strategy));
        if (rule->strategy == FILE_TWO_PHASE)
            fprintf(out, " by %d of windows of %zu KiB", division.aggregators, (division.window + 1023) / 1024);
        fprintf(out, ": %s\n", rule->when);
    }
    free(parts);
    free(part_of);
    free(ranges);
    return rc;
}

static int explain_strategies(FILE *out, const file_hints *hints, int members)
{
    int rc = COR_OK;
    fprintf(out, "\ncollective accesses of %d member%s on one host\n", members, members == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof explain_shapes / sizeof *explain_shapes; i++)
        for (int is_write = 1; is_write >= 0 && rc == COR_OK; is_write--)
            rc = explain_shape_of(out, &explain_shapes[i], hints, is_write, members);
    return rc;
}

static void explain_rules(FILE *out)
{
    fprintf(out, "\nrules: the first that fits\n");
    for (size_t i = 0; i < file_rule_count; i++) {
        const file_rule *rule = &file_rules[i];
        fprintf(out, "  %2zu  %-22s %s", i + 1, file_strategy_name(rule->strategy), rule->when);
        if (rule->piece_least > 0)
            fprintf(out, ", of %llu bytes or more", (unsigned long long)rule->piece_least);
        if (rule->own_gap_most > 0)
            fprintf(out, ", at least one byte in %llu", (unsigned long long)rule->own_gap_most + 1);
        if (rule->gap_least > 0)
            fprintf(out, ", less than one byte in %llu", (unsigned long long)rule->gap_least);
        fprintf(out, "\n");
    }
}

/* ---- hints ------------------------------------------------------------------------------------------------------ */

static void explain_hint(FILE *out, const char *name, const char *fallback, const char *meaning)
{
    fprintf(out, "  %-22s %-12s %s\n", name, fallback, meaning);
}

static void explain_hints(FILE *out, const file_hints *hints)
{
    char buffer[32], align[32], read_buffer[32], permissions[32];
    snprintf(buffer, sizeof buffer, "%zu", hints->cb_buffer_size);
    snprintf(align, sizeof align, "%d", FILE_ALIGN);
    snprintf(read_buffer, sizeof read_buffer, "%zu", hints->ind_rd_buffer_size);
    snprintf(permissions, sizeof permissions, "%o", (unsigned)hints->permissions);
    fprintf(out, "\nhints, and their defaults\n");
    explain_hint(out, "romio_cb_read", "automatic", "two-phase for collective reads: enable, disable or automatic");
    explain_hint(out, "romio_cb_write", "automatic", "the same for collective writes");
    explain_hint(out, "collective_buffering", "", "true or false: both of these");
    explain_hint(out, "cb_nodes", "by rule", "aggregators: members that read and write for all");
    explain_hint(out, "cb_buffer_size", buffer, "bytes of a window of an aggregator, which has two");
    explain_hint(out, "striping_unit", align, "bytes at whose multiples these windows begin, at most cb_buffer_size");
    explain_hint(out, "romio_ds_read", "automatic",
                 "whether a read of many short pieces reads what lies between them");
    explain_hint(out, "ind_rd_buffer_size", read_buffer, "bytes of the buffer for that");
    explain_hint(out, "file_perm", permissions, "octal: permissions of a file that is created, before the umask");
    fprintf(out, "all others have no effect, which CORUNNA_LOG=info tells of those that a program sets\n");
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

int cor_file_explain(const char *path, int members, char **text_p)
{
    static const int usual[] = {2, 8, 64};
    file_hints hints;
    const cor_log log = {.level = COR_LOG_ERROR, .rank = -1};
    char *text = NULL;
    size_t bytes;
    int rc = file_hints_init(&hints, NULL, &log);
    FILE *out = rc == COR_OK ? open_memstream(&text, &bytes) : NULL;
    if (!out)
        return COR_ERR_MEMORY;
    explain_place(out, file_path_of(path));
    for (size_t i = 0; i < sizeof usual / sizeof *usual && members <= 0 && rc == COR_OK; i++)
        rc = explain_strategies(out, &hints, usual[i]);
    if (members > 0)
        rc = explain_strategies(out, &hints, members);
    explain_rules(out);
    explain_hints(out, &hints);
    int is_bad = ferror(out);
    if (fclose(out) != 0 || is_bad)
        rc = COR_ERR_MEMORY;
    file_hints_fini(&hints);
    if (rc == COR_OK)
        *text_p = text;
    else
        free(text);
    return rc;
}
