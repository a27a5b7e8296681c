/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective accesses against a model of the file in memory: random views, sizes, hints, and ways to call, by ranks
 * that are threads. Every rank draws the same random numbers, so each knows what all do. Arguments: iterations per
 * number of members; then numbers of members.
 */
#include "base/error.h"
#include "check.h"
#include "coll/coll.h"
#include "file_layouts.h"
#include "pmi/boot.h"
#include "unit_random.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MODEL_BYTES = 4 << 20, BYTES_MAX = 6000, OPS_MAX = 3, MEMBERS_MAX = 16, GUARD = 0x5a };

typedef struct job {
    cor_team *team;
    int number, size;
    uint64_t seed;
    const char *folder;
    int iterations;
    pthread_t thread;

    cor_rank *rank;
    cor_comm *world;
    uint64_t random;
    int iteration;
    uint8_t *model;
    size_t model_bytes; /* of the file */
    const char *doing;
    layout_shape shape;
} job;

static void job_tell(FILE *to, const void *context)
{
    const job *me = context;
    fprintf(to, "rank %d of %d, seed %llu, iteration %d, %s, view: %s of %zu bytes\n", me->number, me->size,
            (unsigned long long)me->seed, me->iteration, me->doing, layout_name(me->shape.kind), me->shape.element);
}

static uint64_t draw(job *me, uint64_t limit)
{
    return unit_random(&me->random) % limit;
}

/* ---- one access ------------------------------------------------------------------------------------------------- */

typedef struct op {
    int is_write, is_sparse; /* its memory has gaps */
    int64_t offset;          /* in elements */
    size_t bytes, there;     /* there: before the end of the file */
    uint8_t salt;
    uint8_t *memory, *expected;
    size_t room;
    const cor_dtype *type;
    cor_file_access access;
    cor_request *request;
} op;

static uint8_t op_byte(const op *o, int member, size_t i)
{
    return (uint8_t)(o->salt + 31 * member + 7 * i + i / 251 + 1);
}

/* Where byte i of the data is in memory. */
static size_t op_place(const op *o, size_t element, size_t i)
{
    return o->is_sparse ? i / element * 2 * element + i % element : i;
}

/* What this member accesses; drawn for each member in its turn. */
static void op_draw(job *me, op *o, const layout *l, size_t element)
{
    uint64_t most = l->bytes * 8 < BYTES_MAX ? l->bytes * 8 : BYTES_MAX;
    if (me->shape.kind == LAYOUT_OWN)
        most = l->bytes;
    o->offset = 0;
    o->bytes = 0;
    uint64_t way = draw(me, 8), bytes = draw(me, BYTES_MAX), offset = draw(me, 12);
    if (way == 0 || most == 0)
        return;
    most /= element;
    o->offset = (int64_t)(offset < most ? offset : 0);
    most -= (uint64_t)o->offset;
    most = most < BYTES_MAX / element ? most : BYTES_MAX / element;
    bytes /= element;
    o->bytes = (size_t)(way == 1 ? most : bytes % (most + 1)) * element;
}

/* Apply a write to the model, or take from it what is to be read. */
static void op_model(job *me, op *o, const layout *l, int member, size_t file_bytes)
{
    uint64_t first = (uint64_t)o->offset * me->shape.element;
    o->there = 0;
    for (size_t i = 0; i < o->bytes; i++) {
        int64_t at = layout_at(l, first + i);
        CHECK(at >= 0 && at < MODEL_BYTES);
        if (o->is_write) {
            me->model[at] = op_byte(o, member, i);
            me->model_bytes = (size_t)at >= me->model_bytes ? (size_t)at + 1 : me->model_bytes;
        } else if ((size_t)at < file_bytes) {
            o->expected[i] = me->model[at];
            o->there++;
        }
    }
}

static void op_make(op *o, const layout *l, size_t element, int member)
{
    size_t count = o->bytes / element;
    o->room = op_place(o, element, o->bytes) + 1;
    o->memory = malloc(o->room);
    CHECK(o->memory != NULL);
    memset(o->memory, GUARD, o->room);
    CHECK_OK(cor_dtype_hvector(count, 1, (ptrdiff_t)(o->is_sparse ? 2 * element : element), l->etype, &o->type));
    for (size_t i = 0; o->is_write && i < o->bytes; i++)
        o->memory[op_place(o, element, i)] = op_byte(o, member, i);
    o->access = (cor_file_access){.is_write = (uint8_t)o->is_write,
                                  .is_collective = 1,
                                  .pointer = COR_FILE_EXPLICIT,
                                  .offset = o->offset,
                                  .memory = cor_dtype_payload(o->type, o->memory, 1),
                                  .type = o->type,
                                  .count = 1,
                                  .base = o->memory};
}

static void op_check(op *o, size_t element, const cor_status *status)
{
    size_t next = 0;
    CHECK_EQUAL(o->is_write ? o->bytes : o->there, status->bytes);
    for (size_t i = 0; !o->is_write && i < o->there; i++) {
        size_t place = op_place(o, element, i);
        for (; next < place; next++)
            if (o->memory[next] != GUARD)
                CHECK_FAIL("byte %zu of the memory, in a gap, was written", next);
        next = place + 1;
        if (o->memory[place] != o->expected[i])
            CHECK_FAIL("byte %zu of %zu was read as %d, and is %d", i, o->bytes, o->memory[place], o->expected[i]);
    }
    for (; !o->is_write && next < o->room; next++)
        if (o->memory[next] != GUARD)
            CHECK_FAIL("byte %zu of the memory, behind what was read, was written", next);
}

static void op_free(op *o)
{
    cor_dtype_unref(o->type);
    free(o->memory);
    free(o->expected);
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void check_file(job *me, const char *path)
{
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0) {
        uint8_t *found = malloc(MODEL_BYTES);
        int fd = open(path, O_RDONLY);
        CHECK(found && fd >= 0);
        ssize_t bytes = pread(fd, found, MODEL_BYTES, 0);
        CHECK_EQUAL(me->model_bytes, bytes);
        for (size_t i = 0; i < me->model_bytes; i++)
            if (found[i] != me->model[i])
                CHECK_FAIL("byte %zu of the file is %d instead of %d", i, found[i], me->model[i]);
        close(fd);
        free(found);
    }
    CHECK_OK(cor_barrier(me->world));
}

static cor_info *hints_draw(job *me)
{
    static const char *const choices[] = {"enable", "disable", "automatic", "enable"};
    static const char *const sizes[] = {"1", "7", "64", "100", "1000", "4096", "5000", "65536", "1000000"};
    char text[16];
    cor_info *info = cor_info_create();
    CHECK(info != NULL);
    CHECK_OK(cor_info_set(info, "romio_cb_write", choices[draw(me, 4)]));
    CHECK_OK(cor_info_set(info, "romio_cb_read", choices[draw(me, 4)]));
    CHECK_OK(cor_info_set(info, "cb_buffer_size", sizes[draw(me, 9)]));
    if (draw(me, 2)) {
        snprintf(text, sizeof text, "%d", (int)draw(me, (uint64_t)me->size + 2) + 1);
        CHECK_OK(cor_info_set(info, "cb_nodes", text));
    }
    return info;
}

static cor_file *file_open(job *me, const char *path, const cor_info *hints)
{
    cor_file *file;
    CHECK_OK(cor_file_open(me->world, path, COR_FILE_RDWR | COR_FILE_CREATE, hints, &file));
    return file;
}

static void set_view(cor_file *file, const layout *l)
{
    cor_file_view view = {l->displacement, l->etype, l->type, &cor_file_native};
    CHECK_OK(cor_file_set_view(file, &view));
}

/* Tiny buffers make many rounds: only for little data. */
static void step_accesses(job *me, cor_file *file)
{
    layout *layouts = calloc((size_t)me->size, sizeof *layouts);
    op mine[OPS_MAX] = {{0}};
    cor_status status;
    CHECK(layouts != NULL);
    me->shape = layout_draw(&me->random, me->size);
    for (int i = 0; i < me->size; i++)
        layout_init(&layouts[i], &me->shape, i);
    uint64_t way = draw(me, 3);
    int count = way == 1 ? 1 + (int)draw(me, OPS_MAX) : 1;
    me->doing = way == 0 ? "blocking" : way == 1 ? "non-blocking" : "split";
    set_view(file, &layouts[me->number]);
    for (int k = 0; k < count; k++) {
        size_t file_bytes = me->model_bytes;
        int is_write = (int)draw(me, 2);
        for (int i = 0; i < me->size; i++) {
            op other = {.is_write = is_write, .salt = (uint8_t)draw(me, 256), .is_sparse = (int)draw(me, 2)};
            op_draw(me, &other, &layouts[i], me->shape.element);
            other.expected = calloc(1, other.bytes + 1);
            CHECK(other.expected != NULL);
            op_model(me, &other, &layouts[i], i, file_bytes);
            if (i == me->number)
                mine[k] = other;
            else
                free(other.expected);
        }
        op_make(&mine[k], &layouts[me->number], me->shape.element, me->number);
        if (way == 0)
            CHECK_OK(cor_file_run(file, &mine[k].access, &status));
        else if (way == 1)
            CHECK_OK(cor_file_start(file, &mine[k].access, &mine[k].request));
        else
            CHECK_OK(cor_file_begin(file, &mine[k].access));
    }
    for (int k = 0; k < count; k++) {
        if (way == 1)
            CHECK_OK(cor_wait(me->rank, &mine[k].request, &status));
        else if (way == 2)
            CHECK_OK(cor_file_end(file, &mine[k].access, &status));
        op_check(&mine[k], me->shape.element, &status);
        op_free(&mine[k]);
    }
    for (int i = 0; i < me->size; i++)
        layout_fini(&layouts[i]);
    free(layouts);
}

static void case_random(job *me, const char *path)
{
    cor_info *hints = hints_draw(me);
    cor_file *file = file_open(me, path, hints);
    CHECK_OK(cor_file_set_size(file, 0));
    memset(me->model, 0, MODEL_BYTES);
    me->model_bytes = 0;
    for (uint64_t steps = 1 + draw(me, 4); steps > 0; steps--) {
        step_accesses(me, file);
        check_file(me, path);
    }
    CHECK_OK(cor_file_close(&file));
    cor_info_destroy(hints);
}

/* ---- special cases ---------------------------------------------------------------------------------------------- */

static cor_info *hints_forced(const char *choice, const char *buffer)
{
    cor_info *info = cor_info_create();
    CHECK(info != NULL);
    CHECK_OK(cor_info_set(info, "romio_cb_write", choice));
    CHECK_OK(cor_info_set(info, "romio_cb_read", choice));
    CHECK_OK(cor_info_set(info, "cb_buffer_size", buffer));
    return info;
}

static cor_file_access plain_access(int is_write, int64_t offset, void *memory, size_t bytes)
{
    return (cor_file_access){.is_write = (uint8_t)is_write,
                             .is_collective = 1,
                             .pointer = COR_FILE_EXPLICIT,
                             .offset = offset,
                             .memory = cor_payload_plain(memory, bytes),
                             .type = cor_dtype_predefined(0x247),
                             .count = bytes,
                             .base = memory};
}

/* All write the same range: each byte is someone's; in atomic mode all are the same one's. */
static void case_overlap(job *me, const char *path)
{
    enum { BYTES = 5000 };
    uint8_t memory[BYTES], found[BYTES];
    cor_status status;
    cor_info *hints = hints_forced("enable", "512");
    cor_file *file = file_open(me, path, hints);
    me->doing = "overlapping";
    CHECK_OK(cor_file_set_size(file, 0));
    for (int is_atomic = 0; is_atomic < 2; is_atomic++) {
        memset(memory, me->number + 1, sizeof memory);
        CHECK_OK(cor_file_set_atomic(file, is_atomic));
        cor_file_access put = plain_access(1, 0, memory, BYTES), get = plain_access(0, 0, found, BYTES);
        CHECK_OK(cor_file_run(file, &put, &status));
        CHECK_EQUAL(BYTES, status.bytes);
        CHECK_OK(cor_barrier(me->world));
        CHECK_OK(cor_file_run(file, &get, &status));
        CHECK_EQUAL(BYTES, status.bytes);
        for (int i = 0; i < BYTES; i++) {
            CHECK(found[i] >= 1 && found[i] <= me->size);
            CHECK(!is_atomic || found[i] == found[0]);
        }
        CHECK_OK(cor_barrier(me->world));
    }
    CHECK_OK(cor_file_close(&file));
    cor_info_destroy(hints);
}

/* Members that do not call the same function, all with data. */
static void case_different(job *me, const char *path)
{
    uint8_t memory[64] = {0};
    cor_file *file = file_open(me, path, NULL);
    me->doing = "different";
    cor_file_access access = plain_access(me->number == me->size - 1, 64 * me->number, memory, sizeof memory);
    CHECK_EQUAL(me->size > 1 ? COR_ERR_NOT_SAME : COR_OK, cor_file_run(file, &access, NULL));
    CHECK_OK(cor_barrier(me->world));
    CHECK_OK(cor_file_close(&file));
}

/* A view whose blocks overlap, which is fine for reading. */
static void case_scattered(job *me, const char *path)
{
    static const size_t lengths[] = {8, 8, 8, 8};
    static const ptrdiff_t places[] = {0, 4, 4, 10};
    const cor_dtype *byte = cor_dtype_predefined(0x247), *inner, *type;
    uint8_t all[640], found[320];
    cor_status status;
    cor_file *file = file_open(me, path, NULL);
    me->doing = "scattered";
    CHECK_OK(cor_file_set_size(file, 0));
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (uint8_t)(i * 3);
    cor_file_access put = plain_access(1, 0, all, me->number == 0 ? sizeof all : 0);
    CHECK_OK(cor_file_run(file, &put, &status));
    CHECK_OK(cor_file_close(&file));
    for (int way = 0; way < 2; way++) {
        cor_info *hints = hints_forced(way ? "enable" : "automatic", "16");
        CHECK_OK(cor_file_open(me->world, path, COR_FILE_RDONLY, hints, &file));
        CHECK_OK(cor_dtype_hindexed(4, lengths, places, byte, &inner));
        CHECK_OK(cor_dtype_resized(inner, 0, 20, &type));
        cor_file_view view = {me->number, byte, type, &cor_file_native};
        CHECK_OK(cor_file_set_view(file, &view));
        cor_file_access get = plain_access(0, 0, found, sizeof found);
        CHECK_OK(cor_file_run(file, &get, &status));
        CHECK_EQUAL(sizeof found, status.bytes);
        for (size_t i = 0; i < sizeof found; i++)
            CHECK_EQUAL(all[(size_t)me->number + i / 32 * 20 + (size_t)places[i / 8 % 4] + i % 8], found[i]);
        CHECK_OK(cor_file_close(&file));
        cor_dtype_unref(type);
        cor_dtype_unref(inner);
        cor_info_destroy(hints);
    }
}

/* Two files at a time, waited for in another order than begun. */
static void case_two_files(job *me, const char *path)
{
    enum { BYTES = 3000 };
    char other[4096 + 16];
    uint8_t memory[4][BYTES];
    cor_file *files[2];
    cor_request *requests[4];
    cor_status status;
    cor_info *hints = hints_forced("enable", "300");
    me->doing = "two files";
    snprintf(other, sizeof other, "%s.second", path);
    files[0] = file_open(me, path, hints);
    files[1] = file_open(me, other, hints);
    for (int i = 0; i < 4; i++) {
        memset(memory[i], i < 2 ? me->number * 2 + i + 1 : 0, BYTES);
        cor_file_access access = plain_access(i < 2, (int64_t)BYTES * me->number, memory[i], BYTES);
        CHECK_OK(cor_file_start(files[i % 2], &access, &requests[i]));
    }
    for (int i = 3; i >= 0; i--) {
        CHECK_OK(cor_wait(me->rank, &requests[i], &status));
        CHECK_EQUAL(BYTES, status.bytes);
    }
    for (int i = 2; i < 4; i++)
        CHECK(memcmp(memory[i], memory[i - 2], BYTES) == 0);
    CHECK_OK(cor_file_close(&files[0]));
    CHECK_OK(cor_file_close(&files[1]));
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0)
        unlink(other);
    cor_info_destroy(hints);
}

/* The system refuses what lies beyond a limit: the same error at all members, and what is told as written is. */
static void case_limit(job *me, const char *path)
{
    enum { BYTES = 4096, LIMIT = 10000, PIECE = 16 };
    static const char *const choices[] = {"enable", "disable"};
    struct rlimit before, limit;
    uint8_t memory[BYTES], found[BYTES];
    const cor_dtype *byte = cor_dtype_predefined(0x247), *piece, *type;
    me->doing = "a limit";
    CHECK_OK(cor_barrier(me->world));
    CHECK_EQUAL(0, getrlimit(RLIMIT_FSIZE, &before));
    limit = before;
    limit.rlim_cur = LIMIT;
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0)
        CHECK_EQUAL(0, setrlimit(RLIMIT_FSIZE, &limit));
    CHECK_OK(cor_barrier(me->world));
    CHECK_OK(cor_dtype_contiguous(PIECE, byte, &piece));
    CHECK_OK(cor_dtype_resized(piece, 0, (ptrdiff_t)PIECE * me->size, &type));
    for (int way = 0; way < 4; way++) {
        cor_info *hints = hints_forced(choices[way % 2], "1000");
        cor_file *file = file_open(me, path, hints);
        cor_status status = {0};
        cor_request *request;
        CHECK_OK(cor_file_set_size(file, 0));
        cor_file_view view = {(int64_t)PIECE * me->number, byte, type, &cor_file_native};
        CHECK_OK(cor_file_set_view(file, &view));
        memset(memory, me->number + 1, BYTES);
        cor_file_access put = plain_access(1, 0, memory, BYTES), get = plain_access(0, 0, found, BYTES);
        int rc;
        if (way < 2) {
            rc = cor_file_run(file, &put, &status);
        } else {
            CHECK_OK(cor_file_start(file, &put, &request));
            rc = cor_wait(me->rank, &request, &status);
        }
        CHECK_EQUAL(BYTES * me->size > LIMIT ? COR_ERR_FILE_IO : COR_OK, rc);
        CHECK(rc == COR_OK || strstr(cor_rank_fault(me->rank)->text, "File too large") != NULL);
        CHECK_EQUAL(0, status.bytes > BYTES);
        CHECK(rc != COR_OK || status.bytes == BYTES);
        size_t sound = status.bytes;
        CHECK_OK(cor_barrier(me->world));
        CHECK_OK(cor_file_run(file, &get, &status));
        CHECK(status.bytes >= sound && memcmp(found, memory, sound) == 0);
        CHECK_OK(cor_file_close(&file));
        cor_info_destroy(hints);
    }
    cor_dtype_unref(type);
    cor_dtype_unref(piece);
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0)
        CHECK_EQUAL(0, setrlimit(RLIMIT_FSIZE, &before));
    CHECK_OK(cor_barrier(me->world));
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

static void *job_main(void *argument)
{
    job *me = argument;
    cor_fault fault = {0};
    char path[4096];
    cor_rank_options options = {.team = me->team, .team_rank = me->number, .is_threaded = 1, .prepare = cor_coll_open};
    check_me = (check_who){job_tell, me};
    me->doing = "opening";
    me->random = me->seed + (uint64_t)me->size;
    me->model = malloc(MODEL_BYTES);
    CHECK(me->model != NULL);
    snprintf(path, sizeof path, "%s/file", me->folder);
    if (cor_rank_open(&options, &me->rank, &fault) != COR_OK)
        CHECK_FAIL("cor_rank_open: %s", fault.text);
    me->world = cor_rank_world(me->rank);
    for (me->iteration = 0; me->iteration < me->iterations; me->iteration++)
        case_random(me, path);
    case_overlap(me, path);
    case_different(me, path);
    case_scattered(me, path);
    case_two_files(me, path);
    case_limit(me, path);
    CHECK_OK(cor_barrier(me->world));
    if (me->number == 0)
        unlink(path);
    free(me->model);
    if (cor_coll_close(me->rank, &fault) != COR_OK || cor_rank_close(me->rank, &fault) != COR_OK)
        CHECK_FAIL("the end: %s", fault.text);
    return NULL;
}

static void job_run(uint64_t seed, const char *folder, int size, int iterations)
{
    job all[MEMBERS_MAX] = {{0}};
    cor_team *team;
    cor_fault fault = {0};
    if (cor_team_create(size, &team, &fault) != COR_OK)
        CHECK_FAIL("cor_team_create: %s", fault.text);
    for (int i = 0; i < size; i++) {
        all[i] =
            (job){.team = team, .number = i, .size = size, .seed = seed, .folder = folder, .iterations = iterations};
        CHECK_EQUAL(0, pthread_create(&all[i].thread, NULL, job_main, &all[i]));
    }
    for (int i = 0; i < size; i++)
        pthread_join(all[i].thread, NULL);
    cor_team_destroy(team);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9};
    char folder[] = "/tmp/corunna-file-XXXXXX";
    uint64_t seed = unit_seed();
    int iterations = argc > 1 ? atoi(argv[1]) : 20;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(mkdtemp(folder) != NULL);
    for (int i = 2; i < argc; i++)
        job_run(seed, folder, atoi(argv[i]), iterations);
    for (size_t i = 0; argc <= 2 && i < sizeof sizes / sizeof *sizes; i++)
        job_run(seed, folder, sizes[i], iterations);
    CHECK_EQUAL(0, rmdir(folder));
    return 0;
}
