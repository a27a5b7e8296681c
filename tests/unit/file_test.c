/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel files through the engine's own functions, with ranks that are threads: life, views, pointers, accesses in
 * the foreground and the background, formats, atomic mode, errors. Files are in a folder of their own in TMPDIR.
 */
#include "check.h"

#include "coll/coll.h"
#include "file/file.h"
#include "mp/info.h"
#include "pmi/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANKS_MAX = 4, INTS = 1000, BYTE = 0x247, INT32 = 0x250, LONG = 0x20a, LONG_DOUBLE = 0x220 };

static char folder[200];

typedef struct member {
    cor_team *team;
    int number, size, is_threaded, besides;
    void (*body)(struct member *me);
    cor_rank *rank;
    cor_comm *world;
    pthread_t thread;
} member;

static void path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
}

static const cor_dtype *int32(void)
{
    return cor_dtype_predefined(INT32);
}

static cor_file_access access_of(int is_write, cor_file_pointer pointer, int64_t offset, void *memory, size_t count,
                                 const cor_dtype *type)
{
    return (cor_file_access){.is_write = (uint8_t)is_write,
                             .pointer = (uint8_t)pointer,
                             .offset = offset,
                             .memory = cor_dtype_payload(type, memory, count),
                             .type = type,
                             .count = count,
                             .base = memory};
}

static cor_file *open_file(member *me, const char *name, int mode)
{
    char path[256];
    cor_file *file = NULL;
    path_of(path, name);
    int rc = cor_file_open(me->world, path, mode, NULL, &file);
    if (rc != COR_OK)
        CHECK_FAIL("cor_file_open: %d: %s", rc, cor_rank_fault(me->rank)->text);
    return file;
}

static void check_fault(member *me, const char *part)
{
    cor_fault fault;
    cor_rank_copy_fault(me->rank, &fault);
    if (!strstr(fault.text, part))
        CHECK_FAIL("the sentence \"%s\" does not have \"%s\"", fault.text, part);
}

static void set_view(member *me, cor_file *file, int64_t displacement, const cor_dtype *etype,
                     const cor_dtype *filetype, const cor_file_format *format)
{
    cor_file_view view = {displacement, etype, filetype, format};
    if (cor_file_set_view(file, &view) != COR_OK)
        CHECK_FAIL("cor_file_set_view: %s", cor_rank_fault(me->rank)->text);
}

/* ---- the cases -------------------------------------------------------------------------------------------------- */

static void fill(int32_t *numbers, int from)
{
    for (int i = 0; i < INTS; i++)
        numbers[i] = from * INTS + i;
}

/* Explicit, in the foreground and the background, together and alone. */
static void case_explicit(member *me)
{
    int32_t out[INTS], in[INTS];
    cor_status status;
    cor_request *request;
    cor_file *file = open_file(me, "explicit", COR_FILE_CREATE | COR_FILE_RDWR);
    set_view(me, file, 0, int32(), int32(), &cor_file_native);
    for (int kind = 0; kind < 4; kind++) {
        int next = (me->number + 1) % me->size, is_collective = kind & 1, is_background = kind & 2;
        fill(out, me->number + kind);
        cor_file_access access = access_of(1, COR_FILE_EXPLICIT, me->number * INTS, out, INTS, int32());
        access.is_collective = (uint8_t)is_collective;
        if (is_background) {
            CHECK_OK(cor_file_start(file, &access, &request));
            CHECK_OK(cor_wait(me->rank, &request, &status));
        } else {
            CHECK_OK(cor_file_run(file, &access, &status));
        }
        CHECK_EQUAL(sizeof out, status.bytes);
        CHECK_OK(cor_barrier(me->world));
        access = access_of(0, COR_FILE_EXPLICIT, next * INTS, in, INTS, int32());
        access.is_collective = (uint8_t)is_collective;
        memset(in, 0, sizeof in);
        if (is_background) {
            CHECK_OK(cor_file_start(file, &access, &request));
            CHECK_OK(cor_wait(me->rank, &request, &status));
        } else {
            CHECK_OK(cor_file_run(file, &access, &status));
        }
        CHECK_EQUAL(sizeof in, status.bytes);
        fill(out, next + kind);
        CHECK(memcmp(in, out, sizeof in) == 0);
        CHECK_OK(cor_barrier(me->world));
    }
    int64_t bytes;
    CHECK_OK(cor_file_size(file, &bytes));
    CHECK_EQUAL(me->size * sizeof in, bytes);
    /* Two numbers before the end. */
    cor_file_access access = access_of(0, COR_FILE_EXPLICIT, me->size * INTS - 2, in, INTS, int32());
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK_EQUAL(2 * sizeof *in, status.bytes);
    CHECK_OK(cor_file_start(file, &access, &request));
    CHECK_OK(cor_wait(me->rank, &request, &status));
    CHECK_EQUAL(2 * sizeof *in, status.bytes);
    CHECK_OK(cor_file_close(&file));
    CHECK(!file);
}

/* Each member has every size-th number, and memory has gaps. */
static void case_views(member *me)
{
    const cor_dtype *one, *filetype, *gaps;
    int32_t memory[2 * INTS], all[INTS * RANKS_MAX];
    cor_status status;
    cor_file *file = open_file(me, "views", COR_FILE_CREATE | COR_FILE_RDWR);
    ptrdiff_t at = me->number * 4;
    CHECK_OK(cor_dtype_hindexed_block(1, 1, &at, int32(), &one));
    CHECK_OK(cor_dtype_resized(one, 0, me->size * 4, &filetype));
    CHECK_OK(cor_dtype_vector(INTS, 1, 2, int32(), &gaps));
    for (int i = 0; i < INTS; i++)
        memory[2 * i] = i * me->size + me->number, memory[2 * i + 1] = -1;
    set_view(me, file, 12, int32(), filetype, &cor_file_native);
    cor_file_access access = access_of(1, COR_FILE_INDIVIDUAL, 0, memory, 1, gaps);
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK_EQUAL(INTS * 4, status.bytes);
    CHECK_EQUAL(INTS, cor_file_position(file));
    int64_t where;
    CHECK_OK(cor_file_byte_offset(file, 3, &where));
    CHECK_EQUAL(12 + 3 * me->size * 4 + me->number * 4, where);
    CHECK_OK(cor_barrier(me->world));
    CHECK_OK(cor_file_seek(file, -1, COR_FILE_END));
    CHECK_EQUAL(INTS - 1, cor_file_position(file));
    /* Through the view, by sieving; and all. */
    memset(memory, 0xff, sizeof memory);
    access = access_of(0, COR_FILE_EXPLICIT, 0, memory, 1, gaps);
    cor_request *request;
    CHECK_OK(cor_file_start(file, &access, &request));
    CHECK_OK(cor_wait(me->rank, &request, &status));
    for (int i = 0; i < INTS; i++) {
        CHECK_EQUAL(i * me->size + me->number, memory[2 * i]);
        CHECK_EQUAL(-1, memory[2 * i + 1]);
    }
    set_view(me, file, 12, int32(), int32(), &cor_file_native);
    access = access_of(0, COR_FILE_EXPLICIT, 0, all, (size_t)(INTS * me->size), int32());
    CHECK_OK(cor_file_run(file, &access, &status));
    for (int i = 0; i < INTS * me->size; i++)
        CHECK_EQUAL(i, all[i]);
    cor_dtype_unref(one);
    cor_dtype_unref(filetype);
    cor_dtype_unref(gaps);
    CHECK_OK(cor_file_close(&file));
}

static void case_shared(member *me)
{
    int32_t out[INTS], in[INTS * RANKS_MAX];
    cor_status status;
    int64_t position;
    cor_file *file = open_file(me, "shared", COR_FILE_CREATE | COR_FILE_RDWR | COR_FILE_DELETE_ON_CLOSE);
    set_view(me, file, 0, int32(), int32(), &cor_file_native);
    fill(out, me->number);
    cor_file_access access = access_of(1, COR_FILE_SHARED, 0, out, INTS, int32());
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK_OK(cor_barrier(me->world));
    CHECK_OK(cor_file_position_shared(file, &position));
    CHECK_EQUAL(INTS * me->size, position);
    access = access_of(0, COR_FILE_EXPLICIT, 0, in, (size_t)(INTS * me->size), int32());
    CHECK_OK(cor_file_run(file, &access, &status));
    int seen = 0;
    for (int i = 0; i < me->size; i++) {
        fill(out, in[i * INTS] / INTS);
        CHECK(memcmp(in + i * INTS, out, sizeof out) == 0);
        seen |= 1 << in[i * INTS] / INTS;
    }
    CHECK_EQUAL((1 << me->size) - 1, seen);
    CHECK_OK(cor_file_seek_shared(file, 5, COR_FILE_SET));
    /* Ordered, of different lengths. */
    fill(out, me->number);
    access = access_of(1, COR_FILE_SHARED, 0, out, (size_t)(10 * (me->number + 1)), int32());
    access.is_collective = 1;
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK_OK(cor_file_seek_shared(file, 5, COR_FILE_SET));
    memset(in, 0, sizeof in);
    access = access_of(0, COR_FILE_SHARED, 0, in, (size_t)(10 * (me->number + 1)), int32());
    CHECK_OK(cor_file_begin(file, &access));
    CHECK_EQUAL(COR_ERR_FILE_BUSY, cor_file_begin(file, &access));
    CHECK_EQUAL(COR_ERR_FILE_BUSY, cor_file_close(&file));
    CHECK_OK(cor_file_end(file, &access, &status));
    CHECK(memcmp(in, out, (size_t)(10 * (me->number + 1)) * sizeof *in) == 0);
    CHECK_OK(cor_file_close(&file));
    char path[256];
    struct stat about;
    path_of(path, "shared");
    CHECK(stat(path, &about) != 0 && errno == ENOENT);
}

/* A filetype of every second long: where is the second one? */
static void check_scaled(member *me, cor_file *file, int combiner, int64_t where)
{
    const int integers[3] = {4, 1, 2};
    const cor_dtype *type = cor_dtype_predefined(LONG), *every;
    cor_recipe recipe = {
        .combiner = combiner, .integer_count = 3, .type_count = 1, .integers = integers, .types = &type};
    int64_t found;
    CHECK_OK(cor_dtype_vector(4, 1, 2, type, &every));
    CHECK_OK(cor_dtype_set_recipe(every, &recipe));
    set_view(me, file, 0, type, every, &cor_file_external32);
    CHECK_OK(cor_file_byte_offset(file, 1, &found));
    CHECK_EQUAL(where, found);
    cor_dtype_unref(every);
}

/* Big endian, 4 bytes a long, 16 a long double. */
static void case_external(member *me)
{
    long out[INTS], in[INTS];
    unsigned char bytes[16];
    cor_status status;
    cor_request *request;
    const cor_dtype *type = cor_dtype_predefined(LONG), *byte = cor_dtype_predefined(BYTE);
    cor_file *file = open_file(me, "external", COR_FILE_CREATE | COR_FILE_RDWR);
    set_view(me, file, 0, type, type, &cor_file_external32);
    for (int i = 0; i < INTS; i++)
        out[i] = -i - 1 + me->number;
    for (int is_background = 0; is_background < 2; is_background++) {
        cor_file_access access = access_of(is_background, COR_FILE_EXPLICIT, me->number * INTS, out, INTS, type);
        access.is_write = 1;
        if (is_background) {
            CHECK_OK(cor_file_start(file, &access, &request));
            CHECK_OK(cor_wait(me->rank, &request, &status));
        } else {
            CHECK_OK(cor_file_run(file, &access, &status));
        }
        CHECK_EQUAL(sizeof out, status.bytes);
        memset(in, 0, sizeof in);
        access.is_write = 0;
        access.memory = cor_dtype_payload(type, in, INTS);
        access.base = in;
        if (is_background) {
            CHECK_OK(cor_file_start(file, &access, &request));
            CHECK_OK(cor_wait(me->rank, &request, &status));
        } else {
            CHECK_OK(cor_file_run(file, &access, &status));
        }
        CHECK_EQUAL(sizeof in, status.bytes);
        CHECK(memcmp(in, out, sizeof in) == 0);
    }
    CHECK_OK(cor_barrier(me->world));
    int64_t size, extent;
    CHECK_OK(cor_file_size(file, &size));
    CHECK_EQUAL(4 * INTS * me->size, size);
    CHECK_OK(cor_file_type_extent(file, cor_dtype_predefined(LONG_DOUBLE), &extent));
    CHECK_EQUAL(16, extent);
    check_scaled(me, file, 104, 8);  /* MPI_COMBINER_VECTOR: the stride counts elements, of 4 bytes in the file */
    check_scaled(me, file, 105, 16); /* MPI_COMBINER_HVECTOR: bytes */
    set_view(me, file, 0, byte, byte, &cor_file_native);
    cor_file_access access = access_of(0, COR_FILE_EXPLICIT, 4, bytes, 4, byte);
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK(memcmp(bytes, "\xff\xff\xff\xfe", 4) == 0);
    CHECK_OK(cor_file_close(&file));
}

typedef struct mixed {
    long number;
    signed char byte;
} mixed;

/* Elements of several types, 5 bytes in the file, more of them than fit the buffer of an access; and long ones. */
static void case_mixed(member *me)
{
    enum { COUNT = 300000, PARTS = 50000 };
    const size_t lengths[2] = {1, 1};
    const ptrdiff_t at[2] = {offsetof(mixed, number), offsetof(mixed, byte)};
    const cor_dtype *types[2] = {cor_dtype_predefined(LONG), cor_dtype_predefined(BYTE)}, *bare, *type, *whole;
    mixed *out = calloc(COUNT, sizeof *out), *in = calloc(COUNT, sizeof *in);
    cor_status status;
    CHECK_OK(cor_dtype_struct(2, lengths, at, types, &bare));
    CHECK_OK(cor_dtype_resized(bare, 0, sizeof(mixed), &type));
    CHECK_OK(cor_dtype_contiguous(PARTS, type, &whole));
    for (int i = 0; i < COUNT; i++)
        out[i] = (mixed){i * 3 - COUNT, (signed char)(i + me->number)};
    cor_file *file = open_file(me, "mixed", COR_FILE_CREATE | COR_FILE_RDWR);
    set_view(me, file, 0, types[1], types[1], &cor_file_external32);
    for (int is_long = 0; is_long < 2; is_long++) {
        size_t count = is_long ? COUNT / PARTS : COUNT;
        cor_file_access access =
            access_of(1, COR_FILE_EXPLICIT, me->number * COUNT * INT64_C(5), out, count, is_long ? whole : type);
        CHECK_OK(cor_file_run(file, &access, &status));
        CHECK_EQUAL(COUNT * 9, status.bytes);
        cor_request *requests[2];
        access.is_write = 0;
        access.memory = cor_dtype_payload(access.type, in, count);
        access.base = in;
        memset(in, 0, COUNT * sizeof *in);
        if (is_long) {
            CHECK_OK(cor_file_run(file, &access, &status));
        } else {
            CHECK_OK(cor_file_start(file, &access, &requests[0]));
            CHECK_OK(cor_wait(me->rank, &requests[0], &status));
        }
        CHECK_EQUAL(COUNT * 9, status.bytes);
        for (int i = 0; i < COUNT; i++)
            CHECK(in[i].number == out[i].number && in[i].byte == out[i].byte);
    }
    CHECK_OK(cor_barrier(me->world));
    int64_t size;
    CHECK_OK(cor_file_size(file, &size));
    CHECK_EQUAL(me->size * COUNT * INT64_C(5), size);
    /* Where the file ends inside of an element, only whole ones count. */
    cor_file_access access = access_of(0, COR_FILE_EXPLICIT, size - 12, in, 5, type);
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK_EQUAL(2 * 9, status.bytes);
    CHECK_OK(cor_file_close(&file));
    cor_dtype_unref(bare);
    cor_dtype_unref(type);
    cor_dtype_unref(whole);
    free(out);
    free(in);
}

/* A representation of the program's: each byte of an int has its bits turned over; it fails at a certain number. */
static int turned_extent(const cor_file_format *format, const cor_dtype *type, int64_t *extent_p)
{
    (void)format;
    *extent_p = type->extent;
    return COR_OK;
}

static int turned_out(const cor_file_format *format, const void *memory, const cor_dtype *type, size_t count,
                      size_t first, void *bytes)
{
    const int32_t *from = memory;
    int32_t *to = bytes;
    (void)format;
    for (size_t i = 0; i < count; i++) {
        if (from[first + i] == 4711)
            return COR_ERR_FILE_CONVERSION;
        to[i] = ~from[first + i];
    }
    return type == int32() ? COR_OK : COR_ERR_FILE_CONVERSION;
}

static int turned_in(const cor_file_format *format, void *memory, const cor_dtype *type, size_t count, size_t first,
                     const void *bytes)
{
    const int32_t *from = bytes;
    int32_t *to = memory;
    (void)format, (void)type;
    for (size_t i = 0; i < count; i++)
        to[first + i] = ~from[i];
    return COR_OK;
}

static const cor_file_format turned = {
    .name = "turned", .extent = turned_extent, .to_file = turned_out, .from_file = turned_in};

static void case_registered(member *me)
{
    int32_t out[INTS], in[INTS];
    cor_status status;
    cor_file *file = open_file(me, "registered", COR_FILE_CREATE | COR_FILE_RDWR);
    set_view(me, file, 0, int32(), int32(), &turned);
    fill(out, me->number + 10);
    cor_file_access access = access_of(1, COR_FILE_EXPLICIT, me->number * INTS, out, INTS, int32());
    CHECK_OK(cor_file_run(file, &access, &status));
    access = access_of(0, COR_FILE_EXPLICIT, me->number * INTS, in, INTS, int32());
    access.is_collective = 1;
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK(memcmp(in, out, sizeof in) == 0);
    out[INTS / 2] = 4711;
    access = access_of(1, COR_FILE_EXPLICIT, (me->size + me->number) * INTS, out, INTS, int32());
    CHECK_EQUAL(COR_ERR_FILE_CONVERSION, cor_file_run(file, &access, &status));
    check_fault(me, "turned");
    CHECK_EQUAL(0, status.bytes);
    CHECK_OK(cor_barrier(me->world));
    int64_t size;
    CHECK_OK(cor_file_size(file, &size));
    CHECK_EQUAL(me->size * (int64_t)sizeof in, size);
    set_view(me, file, 0, int32(), int32(), &cor_file_native);
    access = access_of(0, COR_FILE_EXPLICIT, me->number * INTS, in, 1, int32());
    CHECK_OK(cor_file_run(file, &access, &status));
    CHECK_EQUAL(~out[0], in[0]);
    CHECK_OK(cor_file_close(&file));
}

static void check_hint(const cor_info *info, const char *key, const char *value)
{
    CHECK_TEXT(value, cor_info_get(info, key));
}

static void case_hints(member *me)
{
    static const char *const given[][2] = {{"cb_nodes", "1"},
                                           {"cb_buffer_size", "12 MB"},
                                           {"ind_rd_buffer_size", "65536"},
                                           {"romio_cb_read", "maybe"},
                                           {"romio_ds_read", "enable"},
                                           {"romio_ds_write", "enable"},
                                           {"file_perm", "600"},
                                           {"striping_unit", "4096"},
                                           {"unheard_of", "1"},
                                           {"romio_cb_write", "disable"}};
    char path[256];
    struct stat about;
    cor_info *hints = cor_info_create(), *told = cor_info_create();
    cor_file *file;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        CHECK_OK(cor_info_set(hints, given[i][0], given[i][1]));
    path_of(path, "hints");
    CHECK_OK(cor_file_open(me->world, path, COR_FILE_CREATE | COR_FILE_RDWR, hints, &file));
    CHECK_EQUAL(0, stat(path, &about));
    CHECK_EQUAL(0600, about.st_mode & 0777);
    CHECK_OK(cor_info_set(hints, "cb_nodes", "3"));
    CHECK_OK(cor_info_set(hints, "collective_buffering", "true"));
    CHECK_OK(cor_info_set(hints, "romio_cb_write", "automatic"));
    CHECK_OK(cor_info_set(hints, "cb_buffer_size", "99999999999999999999"));
    CHECK_OK(cor_file_set_hints(file, hints));
    CHECK_OK(cor_file_hints(file, told));
    check_hint(told, "filename", path);
    check_hint(told, "cb_nodes", "3");
    check_hint(told, "ind_rd_buffer_size", "65536");
    check_hint(told, "romio_cb_read", "enable");
    check_hint(told, "romio_cb_write", "automatic");
    check_hint(told, "romio_ds_read", "enable");
    check_hint(told, "romio_ds_write", "disable");
    check_hint(told, "file_perm", "600");
    check_hint(told, "striping_unit", "4096");
    CHECK(cor_info_get(told, "unheard_of") == NULL);
    CHECK(atoll(cor_info_get(told, "cb_buffer_size")) > 4096);
    cor_info_destroy(hints);
    cor_info_destroy(told);
    CHECK_OK(cor_file_close(&file));
}

/* A disk that is full, from the beginning and for all. */
static void case_full(member *me)
{
    int32_t numbers[INTS] = {0};
    cor_status status;
    cor_request *request;
    cor_file *file;
    char name[300];
    CHECK_OK(cor_file_open(me->world, "/dev/full", COR_FILE_WRONLY, NULL, &file));
    cor_file_access access = access_of(1, COR_FILE_EXPLICIT, 8, numbers, INTS, int32());
    CHECK_EQUAL(COR_ERR_FILE_SPACE, cor_file_run(file, &access, &status));
    CHECK_EQUAL(0, status.bytes);
    snprintf(name, sizeof name, "/dev/full: rank %d wrote 0 of %d bytes at 8: No space left on device", me->number,
             INTS * 4);
    check_fault(me, name);
    CHECK_OK(cor_file_start(file, &access, &request));
    CHECK_EQUAL(COR_ERR_FILE_SPACE, cor_wait(me->rank, &request, &status));
    check_fault(me, name);
    CHECK_EQUAL(0, status.bytes);
    access.is_collective = 1;
    CHECK_EQUAL(COR_ERR_FILE_SPACE, cor_file_run(file, &access, &status));
    CHECK_OK(cor_file_close(&file));
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    CHECK_EQUAL(COR_ERR_FILE_NAME, cor_file_open(me->world, name, COR_FILE_CREATE | COR_FILE_RDWR, NULL, &file));
    check_fault(me, "...nnnn");
    CHECK_EQUAL(COR_ERR_FILE_NAME, cor_file_open(me->world, folder, COR_FILE_RDONLY, NULL, &file));
    check_fault(me, "Is a directory");
}

/* Each member adds to a number which it reads and writes, in one access that is as long as the file: what is read is
 * never of two writes. */
static void case_atomic(member *me)
{
    static const int rounds = 20;
    int32_t *all = malloc(sizeof *all * 64 * INTS);
    cor_status status;
    cor_file *file = open_file(me, "atomic", COR_FILE_CREATE | COR_FILE_RDWR);
    set_view(me, file, 0, int32(), int32(), &cor_file_native);
    CHECK_OK(cor_file_set_atomic(file, 1));
    CHECK(cor_file_is_atomic(file));
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 64 * INTS; k++)
            all[k] = me->number * rounds + i;
        cor_file_access access = access_of(1, COR_FILE_EXPLICIT, 0, all, 64 * INTS, int32());
        CHECK_OK(cor_file_run(file, &access, &status));
        access.is_write = 0;
        CHECK_OK(cor_file_run(file, &access, &status));
        CHECK_EQUAL(sizeof *all * 64 * INTS, status.bytes);
        for (int k = 1; k < 64 * INTS; k++)
            CHECK_EQUAL(all[0], all[k]);
    }
    free(all);
    CHECK_OK(cor_file_close(&file));
}

static void check_open_fails(member *me, const char *name, int mode, int error, const char *part)
{
    char path[256];
    cor_file *file = NULL;
    path_of(path, name);
    CHECK_EQUAL(error, cor_file_open(me->world, path, mode, NULL, &file));
    CHECK(!file);
    check_fault(me, part);
}

static void case_errors(member *me)
{
    int32_t numbers[4] = {0};
    cor_status status;
    check_open_fails(me, "missing", COR_FILE_RDONLY, COR_ERR_FILE_MISSING, "No such file");
    check_open_fails(me, "none/there", COR_FILE_CREATE | COR_FILE_RDWR, COR_ERR_FILE_MISSING, "rank 0 cannot open");
    check_open_fails(me, "", COR_FILE_RDONLY, COR_ERR_FILE_NAME, "directory");
    check_open_fails(me, "mode", COR_FILE_RDONLY | COR_FILE_CREATE, COR_ERR_FILE_MODE, "MPI_MODE_CREATE");
    check_open_fails(me, "mode", me->number ? COR_FILE_RDONLY : COR_FILE_RDWR,
                     me->size > 1 ? COR_ERR_NOT_SAME : COR_ERR_FILE_MISSING, "");
    cor_file *file = open_file(me, "errors", COR_FILE_CREATE | COR_FILE_EXCL | COR_FILE_WRONLY);
    check_open_fails(me, "errors", COR_FILE_CREATE | COR_FILE_EXCL | COR_FILE_RDWR, COR_ERR_FILE_EXISTS, "exists");
    cor_file_access access = access_of(0, COR_FILE_INDIVIDUAL, 0, numbers, 4, int32());
    CHECK_EQUAL(COR_ERR_FILE_ACCESS, cor_file_run(file, &access, &status));
    check_fault(me, "errors: rank");
    access.is_collective = 1;
    CHECK_EQUAL(COR_ERR_FILE_ACCESS, cor_file_run(file, &access, &status));
    /* Only one member does wrong. */
    access = access_of(1, COR_FILE_EXPLICIT, me->number == me->size - 1 ? -1 : 0, numbers, 4, int32());
    access.is_collective = 1;
    CHECK_EQUAL(COR_ERR_ARG, cor_file_run(file, &access, &status));
    check_fault(me, me->number == me->size - 1 ? "-1" : "errors: rank");
    access = access_of(1, COR_FILE_EXPLICIT, INT64_MAX - 3, numbers, 4, int32());
    CHECK_EQUAL(COR_ERR_ARG, cor_file_run(file, &access, &status));
    access = access_of(1, COR_FILE_EXPLICIT, INT64_MAX - 16, numbers, 4, int32());
    int rc = cor_file_run(file, &access, &status); /* no file system has so long files */
    CHECK(rc == COR_ERR_FILE_IO || rc == COR_ERR_FILE_SPACE || rc == COR_ERR_ARG);
    CHECK_EQUAL(0, status.bytes);
    if (rc == COR_ERR_FILE_IO)
        check_fault(me, "wrote 0 of 16 bytes at 9223372036854775791: File too large");
    CHECK_EQUAL(COR_ERR_NOT_SAME - (me->size == 1) * COR_ERR_NOT_SAME, cor_file_set_size(file, me->number));
    CHECK_EQUAL(COR_ERR_ARG, cor_file_set_size(file, -1));
    CHECK_OK(cor_file_set_size(file, 100));
    CHECK_OK(cor_file_sync(file));
    const cor_dtype *wrong;
    ptrdiff_t at[2] = {8, 0};
    CHECK_OK(cor_dtype_hindexed_block(2, 1, at, int32(), &wrong));
    cor_file_view view = {0, int32(), wrong, &cor_file_native};
    CHECK_EQUAL(COR_ERR_ARG, cor_file_set_view(file, &view));
    check_fault(me, "decrease");
    cor_dtype_unref(wrong);
    CHECK_OK(cor_file_close(&file));
    file = open_file(me, "errors", COR_FILE_RDONLY);
    access = access_of(1, COR_FILE_INDIVIDUAL, 0, numbers, 4, int32());
    cor_request *request;
    CHECK_EQUAL(COR_ERR_FILE_READ_ONLY, cor_file_start(file, &access, &request));
    CHECK_EQUAL(COR_ERR_FILE_READ_ONLY, cor_file_set_size(file, 0));
    CHECK_OK(cor_file_close(&file));
    file = open_file(me, "errors", COR_FILE_WRONLY | COR_FILE_APPEND);
    CHECK_EQUAL(100, cor_file_position(file));
    CHECK_OK(cor_file_close(&file));
}

/* Many under way at once, waited for in another order; some freed; and at close. */
static void case_many(member *me)
{
    enum { MANY = 50 };
    int32_t numbers[MANY][INTS];
    cor_request *requests[MANY];
    cor_file *file = open_file(me, "many", COR_FILE_CREATE | COR_FILE_RDWR);
    set_view(me, file, 0, int32(), int32(), &cor_file_native);
    CHECK_OK(cor_file_seek(file, me->number * MANY * INTS, COR_FILE_SET));
    for (int i = 0; i < MANY; i++) {
        fill(numbers[i], i);
        cor_file_access access = access_of(1, COR_FILE_INDIVIDUAL, 0, numbers[i], INTS, int32());
        CHECK_OK(cor_file_start(file, &access, &requests[i]));
    }
    for (int i = MANY - 1; i >= 0; i -= 3)
        CHECK_OK(cor_wait(me->rank, &requests[i], NULL));
    for (int i = 0; i < MANY; i += 2)
        if (requests[i])
            cor_request_free(&requests[i]);
    cor_file *closed = file;
    CHECK_OK(cor_file_close(&file));
    (void)closed;
    for (int i = 0; i < MANY; i++)
        CHECK_OK(cor_wait(me->rank, &requests[i], NULL));
    file = open_file(me, "many", COR_FILE_RDONLY);
    set_view(me, file, 0, int32(), int32(), &cor_file_native);
    int32_t expected[INTS];
    for (int i = 0; i < MANY; i++) {
        cor_file_access access =
            access_of(0, COR_FILE_EXPLICIT, (me->number * MANY + i) * INTS, numbers[i], INTS, int32());
        CHECK_OK(cor_file_start(file, &access, &requests[i]));
    }
    CHECK_OK(cor_waitall(me->rank, MANY, requests, NULL));
    for (int i = 0; i < MANY; i++) {
        fill(expected, i);
        CHECK(memcmp(expected, numbers[i], sizeof expected) == 0);
    }
    CHECK_OK(cor_file_close(&file));
}

/* Left open, with something under way. */
static void case_left(member *me)
{
    static int32_t numbers[RANKS_MAX][16 * INTS];
    cor_request *request;
    cor_file *file = open_file(me, "left", COR_FILE_CREATE | COR_FILE_RDWR);
    for (int i = 0; i < 10; i++) {
        cor_file_access access = access_of(1, COR_FILE_INDIVIDUAL, 0, numbers[me->number], 16 * INTS, int32());
        CHECK_OK(cor_file_start(file, &access, &request));
    }
}

/* Threads of a rank wait in calls of files, and for requests of theirs, while it is finalised. */
typedef struct beside {
    member *me;
    cor_file *file;
    int kind;
    _Atomic int calls;
    pthread_t thread;
    int32_t *numbers; /* freed once the rank is finalised */
} beside;

static int beside_call(beside *b, int32_t *numbers)
{
    cor_request *request = NULL;
    cor_file_access access = access_of(b->kind != 0, COR_FILE_EXPLICIT, 0, numbers, 4 * INTS, int32());
    access.is_collective = b->kind == 3;
    if (b->kind == 2) {
        int rc = cor_file_start(b->file, &access, &request);
        return rc == COR_OK ? cor_wait(b->me->rank, &request, NULL) : rc;
    }
    return cor_file_run(b->file, &access, NULL);
}

static void *beside_main(void *argument)
{
    beside *b = argument;
    int rc;
    do {
        rc = beside_call(b, b->numbers);
        b->calls++;
    } while (rc == COR_OK);
    /* Member 0 alone makes collective calls: it waits for the others, until it is finalised. */
    CHECK_EQUAL(COR_ERR_FINALIZED, rc);
    CHECK_EQUAL(COR_ERR_FINALIZED, cor_file_close(&b->file));
    CHECK(b->file != NULL);
    return NULL;
}

static beside besides[RANKS_MAX][4];

static void case_finalized(member *me)
{
    if (!me->is_threaded)
        return;
    cor_file *file = open_file(me, "finalized", COR_FILE_CREATE | COR_FILE_RDWR);
    set_view(me, file, 0, int32(), int32(), &cor_file_native);
    for (int i = 0; i < 4; i++) {
        beside *b = &besides[me->number][i];
        *b = (beside){.me = me, .file = file, .kind = i, .numbers = calloc(4 * INTS, sizeof *b->numbers)};
        if (i == 3 && (me->number != 0 || me->size == 1)) {
            free(b->numbers);
            continue;
        }
        CHECK_EQUAL(0, pthread_create(&b->thread, NULL, beside_main, b));
        me->besides++;
    }
    for (int i = 0; i < 3; i++)
        CHECK_UNTIL(besides[me->number][i].calls > 3, sched_yield());
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

static const char *const spins[] = {NULL}, *const sleeps[] = {"wait.spin_us=0", "wait.yields=0", NULL},
                         *const yields[] = {"wait.spin_us=0", NULL},
                         *const tcp[] = {"dev=tcpdev", "wait.spin_us=0", "wait.yields=0", NULL};
static const char *const *const ways[] = {spins, sleeps, yields, tcp};

typedef struct file_case {
    const char *name;
    void (*body)(member *me);
    int is_long; /* the ways to wait make no difference to it */
} file_case;

static const file_case cases[] = {
    {"explicit", case_explicit, 0}, {"views", case_views, 0},
    {"shared", case_shared, 0},     {"external", case_external, 0},
    {"atomic", case_atomic, 0},     {"errors", case_errors, 0},
    {"many", case_many, 0},         {"finalized", case_finalized, 0},
    {"mixed", case_mixed, 1},       {"registered", case_registered, 0},
    {"hints", case_hints, 0},       {"full", case_full, 0},
    {"left", case_left, 0},
};

typedef struct job {
    const file_case *file_case;
    const char *const *overrides;
} job;

static job now;

static void *member_main(void *argument)
{
    member *me = argument;
    cor_fault fault = {0};
    cor_rank_options options = {.team = me->team,
                                .team_rank = me->number,
                                .is_threaded = me->is_threaded,
                                .overrides = now.overrides,
                                .prepare = cor_coll_open};
    if (cor_rank_open(&options, &me->rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_open: %s", fault.text);
    me->world = cor_rank_world(me->rank);
    now.file_case->body(me);
    if (cor_coll_close(me->rank, &fault) != COR_OK || cor_rank_finalize(me->rank, &fault) != COR_OK)
        CHECK_FAIL("the end: %s", fault.text);
    for (int i = 0; i < me->besides; i++) {
        beside *b = &besides[me->number][i];
        pthread_join(b->thread, NULL);
        free(b->numbers);
    }
    cor_rank_destroy(me->rank);
    return NULL;
}

static void job_run(const file_case *chosen, const char *const *overrides, int size, int is_threaded)
{
    member members[RANKS_MAX] = {0};
    cor_team *team;
    cor_fault fault = {0};
    now = (job){chosen, overrides};
    if (cor_team_create(size, &team, &fault) != COR_OK)
        CHECK_FAIL("cor_team_create: %s", fault.text);
    for (int i = 0; i < size; i++) {
        members[i] = (member){.team = team, .number = i, .size = size, .is_threaded = is_threaded};
        CHECK_EQUAL(0, pthread_create(&members[i].thread, NULL, member_main, &members[i]));
    }
    for (int i = 0; i < size; i++)
        pthread_join(members[i].thread, NULL);
    cor_team_destroy(team);
}

static void folder_empty(void)
{
    char path[256];
    path_of(path, "mode");
    unlink(path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        path_of(path, cases[i].name);
        unlink(path);
    }
}

static int is_wanted(int argc, char **argv, const char *name)
{
    return argc < 2 || strcmp(argv[1], name) == 0;
}

/* One case alone: its name. */
int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/file_test.XXXXXX", tmp ? tmp : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t way = 0;
             way < (cases[i].is_long ? 1 : sizeof ways / sizeof *ways) && is_wanted(argc, argv, cases[i].name); way++)
            for (int size = 1; size <= RANKS_MAX; size += size == 1 ? 1 : 2) {
                printf("%s, %d ranks, way %zu\n", cases[i].name, size, way);
                fflush(stdout);
                job_run(&cases[i], ways[way], size, (size + (int)way) % 2);
                folder_empty();
            }
    CHECK_EQUAL(0, rmdir(folder));
    return 0;
}
