/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective accesses against a model of the file in memory: random views, sizes, hints, and ways to call, by ranks
 * that are threads. Every rank draws the same random numbers, so each knows what all do. Arguments: iterations per
 * number of members; then numbers of members.
 */
#include "base/error.h"
#include "check.h"
#include "coll/coll.h"
#include "file_collective_job.h"
#include "pmi/boot.h"
#include "unit_random.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

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
    cor_file *file = file_job_open(me, path, hints);
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
    file_case_striping(me, path);
    file_case_overlap(me, path);
    file_case_different(me, path);
    file_case_scattered(me, path);
    file_case_two_files(me, path);
    file_case_limit(me, path);
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
