/* SPDX-License-Identifier: Apache-2.0 */
/* What launcher and agents say: frames in any pieces, refusals, and jobs that come out as they went in. */
#define _GNU_SOURCE
#include "check.h"
#include "launch/agent/agent_frame.h"
#include "launch/agent/agent_job.h"
#include "launch/agent/run_link.h"
#include "launch/agent/run_reach.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A reader that has got these bytes. */
static void reader_fill(agent_reader *reader, const void *bytes, size_t length)
{
    char *room = cor_agent_reader_room(reader, length + 1);
    if (length > 0)
        memcpy(room, bytes, length);
    cor_agent_reader_filled(reader, length);
}

/* A frame as bytes; the caller frees them. */
static char *frame_bytes(agent_kind kind, int subject, int number, const char *bytes, size_t length, size_t *total_p)
{
    const agent_frame frame = {kind, subject, number, bytes, length};
    char *all = malloc(AGENT_HEADER + length + 1);
    cor_agent_frame_header(&frame, (unsigned char *)all);
    if (length > 0)
        memcpy(all + AGENT_HEADER, bytes, length);
    all[AGENT_HEADER + length] = '\n';
    *total_p = AGENT_HEADER + length + 1;
    return all;
}

static void test_pieces(void)
{
    size_t first, second;
    char *one = frame_bytes(AGENT_OUTPUT, 7, 0, "some\nlines\n", 11, &first);
    char *two = frame_bytes(AGENT_ABORT, 3, -2, "why", 3, &second);
    char stream[256];
    size_t length = (size_t)sprintf(stream, "Last login: today\ncorunna-agent/%d\n", AGENT_VERSION);
    memcpy(stream + length, one, first);
    memcpy(stream + length + first, two, second);
    length += first + second;
    for (size_t piece = 1; piece <= length; piece++) {
        agent_reader reader = {.sender = FROM_AGENT};
        agent_frame frame;
        cor_fault fault = {0};
        int count = 0;
        for (size_t at = 0; at < length; at += piece) {
            reader_fill(&reader, stream + at, length - at < piece ? length - at : piece);
            int code;
            while ((code = cor_agent_reader_next(&reader, &frame, &fault)) == COR_OK) {
                count++;
                CHECK(frame.kind == (count == 1 ? AGENT_OUTPUT : AGENT_ABORT));
                CHECK(frame.subject == (count == 1 ? 7 : 3) && frame.number == (count == 1 ? 0 : -2));
                CHECK(frame.length == (count == 1 ? 11u : 3u));
                CHECK(memcmp(frame.bytes, count == 1 ? "some\nlines\n" : "why", frame.length) == 0);
            }
            CHECK(code == COR_AGAIN);
        }
        CHECK(count == 2);
        cor_agent_reader_fini(&reader);
    }
    free(one);
    free(two);
}

/* Change one byte of a good frame: refused, or at least no longer believed to be the same. */
static int read_one(int sender, const char *bytes, size_t length)
{
    agent_reader reader = {.sender = sender, .is_greeted = 1};
    agent_frame frame;
    cor_fault fault = {0};
    reader_fill(&reader, bytes, length);
    int code = cor_agent_reader_next(&reader, &frame, &fault);
    cor_agent_reader_fini(&reader);
    return code;
}

static void test_refusals(void)
{
    size_t length;
    char *good = frame_bytes(AGENT_EXIT, 3, 9, NULL, 0, &length);
    CHECK_OK(read_one(FROM_AGENT, good, length));
    CHECK(read_one(FROM_PARENT, good, length) == COR_ERR_PROTOCOL);
    static const struct {
        int at;
        char value;
    } wrong[] = {{0, 1}, {3, 127}, {4, AGENT_KIND_COUNT}, {4, -1}, {5, 1}, {6, 1}, {7, 1}, {11, -1}, {16, 'x'}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char kept = good[wrong[i].at];
        good[wrong[i].at] = wrong[i].value;
        CHECK(read_one(FROM_AGENT, good, length) == COR_ERR_PROTOCOL);
        good[wrong[i].at] = kept;
    }
    free(good);
    good = frame_bytes(AGENT_PING, 1, 0, NULL, 0, &length);
    CHECK(read_one(FROM_AGENT, good, length) == COR_ERR_PROTOCOL);
    free(good);
    /* No length is believed before its kind allows it. */
    unsigned char header[AGENT_HEADER];
    const agent_frame giant = {AGENT_OUTPUT, 0, 0, NULL, (1u << 20) + 1};
    cor_agent_frame_header(&giant, header);
    CHECK(read_one(FROM_AGENT, (char *)header, sizeof header) == COR_ERR_PROTOCOL);
}

static int greet(const char *text, size_t length)
{
    agent_reader reader = {.sender = FROM_AGENT};
    agent_frame frame;
    cor_fault fault = {0};
    reader_fill(&reader, text, length);
    int code = cor_agent_reader_next(&reader, &frame, &fault);
    int is_greeted = reader.is_greeted;
    cor_agent_reader_fini(&reader);
    return code == COR_AGAIN && is_greeted ? COR_OK : code;
}

static void test_greeting(void)
{
    CHECK_OK(greet("corunna-agent/5\n", 16));
    CHECK_OK(greet("prompt> corunna-agent/5\n", 24));
    CHECK(greet("", 0) == COR_AGAIN);
    CHECK(greet("corunna-agent/", 14) == COR_AGAIN);
    CHECK(greet("corunna-agent/5", 15) == COR_AGAIN);
    CHECK(greet("corunna-agent/6\n", 16) == COR_ERR_PROTOCOL);
    CHECK(greet("corunna-agent/\n", 15) == COR_ERR_PROTOCOL);
    CHECK(greet("corunna-agent/x\n", 16) == COR_ERR_PROTOCOL);
    CHECK(greet("corunna-agent/1234567890123456789", 33) == COR_ERR_PROTOCOL);
    char *noise = calloc(1, AGENT_PREAMBLE_MAX + 1);
    CHECK(greet(noise, AGENT_PREAMBLE_MAX) == COR_AGAIN);
    CHECK(greet(noise, AGENT_PREAMBLE_MAX + 1) == COR_ERR_PROTOCOL);
    free(noise);
}

static void test_link(void)
{
    int down[2], up[2];
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    run_link parent, agent;
    cor_run_link_open(&parent, up[0], down[1], FROM_AGENT);
    cor_run_link_open(&agent, down[0], up[1], FROM_PARENT);
    parent.reader.is_greeted = 1;
    static char bytes[100000];
    memset(bytes, 'x', sizeof bytes);
    size_t sent = 0, got = 0;
    while (!cor_run_link_is_full(&agent)) {
        cor_run_link_send(&agent, AGENT_OUTPUT, 0, 0, bytes, sizeof bytes);
        sent += sizeof bytes;
    }
    CHECK(sent > 1 << 20);
    while (got < sent) {
        agent_frame frame;
        cor_fault fault = {0};
        cor_run_link_flush(&agent);
        CHECK(cor_run_link_read(&parent) >= 0);
        while (cor_agent_reader_next(&parent.reader, &frame, &fault) == COR_OK)
            got += frame.length;
    }
    CHECK(got == sent && cor_run_link_is_empty(&agent));
    parent.to_ack = got;
    cor_run_link_ack(&parent);
    cor_run_link_flush(&parent);
    agent_frame frame;
    cor_fault fault = {0};
    CHECK(cor_run_link_read(&agent) >= 0);
    CHECK_OK(cor_agent_reader_next(&agent.reader, &frame, &fault));
    CHECK(frame.kind == AGENT_ACK && (size_t)frame.number == sent);
    cor_run_link_close(&parent);
    CHECK(cor_run_link_read(&agent) == -1);
    cor_run_link_close(&agent);
    CHECK(!cor_run_link_is_open(&agent));
    cor_run_link_send(&agent, AGENT_PING, 0, 0, NULL, 0);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------- */

static char *job_argv[] = {"program", "", "an argument\nof two lines", NULL};
static char *job_settings[] = {"A=1", "EMPTY=", NULL};
static char *job_environment[] = {"PATH=/bin", NULL};
static char *job_slots[] = {"0-3", "1:*", NULL};
static int job_ranks[] = {0, 3, 1, 2, 4};
static const run_host job_hosts[] = {
    {"a", job_ranks, 2, NULL, NULL}, {"b", job_ranks + 2, 2, "ib0", job_slots}, {"c", job_ranks + 4, 1, NULL, NULL}};

static char *job_wrapper[] = {"gdb", "--args", NULL};
static const run_program job_programs[] = {{2, job_argv, "/somewhere", NULL, RUN_PASS_ALL},
                                           {0, job_argv, "/elsewhere", job_settings, RUN_PASS_NAMED}};

static char *encode(size_t *length_p)
{
    const run_plan plan = {
        .command_name = "test",
        .size = 5,
        .programs = job_programs,
        .program_count = 2,
        .wrapper = job_wrapper,
        .wrapped = "1-2",
        .input_rank = 3,
        .settings = job_settings,
        .environment = job_environment,
        .binding = {.bind_to = "core", .rank_by = "socket:span", .report_bindings = 1, .counted = 6},
        .record_flags = COR_RECORD_EVENTS,
        .trace = {.events = 1234},
        .hosts = job_hosts,
        .host_count = 3,
        .reach = {"ssh {host}", "/usr/bin/corunna", 7, 11}};
    char *bytes = NULL;
    cor_fault fault = {0};
    CHECK_OK(cor_agent_job_encode(&plan, "job_1", 1, 2, &bytes, length_p, &fault));
    return bytes;
}

static void test_job(void)
{
    size_t length;
    char *bytes = encode(&length);
    agent_job job;
    cor_fault fault = {0};
    CHECK_OK(cor_agent_job_decode(bytes, length, &job, &fault));
    const run_plan *plan = &job.plan;
    CHECK_TEXT("job_1", plan->name);
    CHECK_TEXT("test", plan->command_name);
    CHECK_TEXT("ssh {host}", plan->reach.launcher);
    CHECK_TEXT("/usr/bin/corunna", plan->reach.program);
    CHECK(plan->record_flags == COR_RECORD_EVENTS && plan->trace.events == 1234);
    CHECK(plan->size == 5 && plan->reach.fan == 7 && plan->reach.timeout_s == 11);
    CHECK(plan->program_count == 2 && plan->programs[0].count == 2 && plan->programs[1].count == 0);
    CHECK(plan->programs[0].pass == RUN_PASS_ALL && plan->programs[1].pass == RUN_PASS_NAMED);
    CHECK_TEXT("/somewhere", plan->programs[0].wdir);
    CHECK_TEXT("/elsewhere", plan->programs[1].wdir);
    for (int i = 0; i < 3; i++)
        CHECK_TEXT(job_argv[i], plan->programs[0].argv[i]);
    CHECK(plan->programs[0].argv[3] == NULL && plan->programs[0].settings[0] == NULL);
    CHECK_TEXT("EMPTY=", plan->programs[1].settings[1]);
    CHECK_TEXT("PATH=/bin", plan->environment[0]);
    CHECK_TEXT("EMPTY=", plan->settings[1]);
    CHECK(plan->settings[2] == NULL && plan->environment[1] == NULL);
    CHECK_TEXT("--args", plan->wrapper[1]);
    CHECK_TEXT("1-2", plan->wrapped);
    CHECK(plan->wrapper[2] == NULL && plan->input_rank == 3);
    CHECK(plan->host_count == 2 && plan->first_host == 1);
    CHECK_TEXT("ib0", plan->hosts[0].interface);
    CHECK_TEXT("core", plan->binding.bind_to);
    CHECK(plan->binding.map_by == NULL);
    CHECK_TEXT("socket:span", plan->binding.rank_by);
    CHECK(plan->binding.report_bindings == 1 && plan->binding.use_hwthreads == 0 && plan->binding.counted == 6);
    CHECK_TEXT("1:*", plan->hosts[0].slots[1]);
    CHECK(plan->hosts[0].slots[2] == NULL && plan->hosts[1].slots == NULL);
    CHECK_TEXT("", plan->hosts[1].interface);
    CHECK_TEXT("c", plan->hosts[1].name);
    CHECK(plan->hosts[0].rank_count == 2 && plan->hosts[0].ranks[1] == 2 && plan->hosts[1].ranks[0] == 4);
    cor_agent_job_fini(&job);
    /* Cut anywhere it is refused; with any byte changed it is refused or read, but nothing breaks. */
    for (size_t cut = 0; cut < length; cut++)
        CHECK(cor_agent_job_decode(bytes, cut, &job, &fault) == COR_ERR_PROTOCOL);
    for (size_t at = 0; at < length; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            if (cor_agent_job_decode(bytes, length, &job, &fault) == COR_OK)
                cor_agent_job_fini(&job);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
        }
    free(bytes);
}

/* ---- commands that reach a host --------------------------------------------------------------------------------- */

static void expect_command(const char *launcher, const char *program, const char *expected)
{
    const run_reach reach = {launcher, program, 32, 10};
    run_list command = {0};
    char text[512] = "";
    int code = cor_run_reach_command(&reach, "h1", &command);
    CHECK((code == 0) == (expected != NULL));
    for (size_t i = 0; code == 0 && i < command.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s[%s]", i ? " " : "", command.items[i]);
    if (code == 0 && expected)
        CHECK_TEXT(expected, text);
    cor_run_list_fini(&command);
}

static void test_reach(void)
{
    expect_command("ssh -o A=b {host}", "/usr/bin/corunna", "[ssh] [-o] [A=b] [h1] ['/usr/bin/corunna' agent]");
    expect_command("/opt/bin/ssh", "/my dir/it's", "[/opt/bin/ssh] [h1] ['/my dir/it'\\''s' agent]");
    expect_command("docker exec -i node-{host}", "/c", "[docker] [exec] [-i] [node-h1] [/c] [agent]");
    expect_command(" sh -c 'exec \"$@\"' {host} ", "/c", "[sh] [-c] [exec \"$@\"] [h1] [/c] [agent]");
    expect_command("x {host}{host}", "/c", "[x] [h1h1] [/c] [agent]");
    expect_command("", "/c", NULL);
    expect_command("  ", "/c", NULL);
    expect_command("sh -c 'open", "/c", NULL);
}

int main(void)
{
    test_pieces();
    test_refusals();
    test_greeting();
    test_link();
    test_job();
    test_reach();
    return 0;
}
