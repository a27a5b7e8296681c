/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the rules: what it says, what it refuses and in which words, and which rule comes first. */
#include "coll/choose/rules.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/corunna-rules-XXXXXX";

static void remove_file(void)
{
    unlink(path); /* a test that fails leaves it too */
}

static void write_file(const char *text, size_t times)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    for (size_t i = 0; i < times; i++)
        fputs(text, file);
    CHECK_EQUAL(0, fclose(file));
}

static void expect_sentence(const cor_fault *fault, const char *sentence)
{
    if (!strstr(fault->text, sentence))
        CHECK_FAIL("expected '%s', got '%s'", sentence, fault->text);
}

/* ---- what it says ----------------------------------------------------------------------------------------------- */

/* A user's rules, which come first, then the built-in ones. */
static cor_rules load(const char *text)
{
    cor_rules rules = {0};
    cor_fault fault = {0};
    write_file(text, 1);
    if (cor_rules_load(&rules, path, &fault) != COR_OK)
        expect_sentence(&fault, "no fault");
    return rules;
}

static int is_range(cor_range range, size_t low, size_t high)
{
    return range.low == low && range.high == high;
}

static void test_words(void)
{
    cor_rules rules = load("# a comment, and a line with nothing\n\n"
                           "  bcast bytes<=12k ranks<8 mst # of short data\r\n"
                           "bcast bytes>1M bytes<4M nodes=2 node_ranks>=3 crowded !blocking chain segment=4k\n"
                           "allreduce bytes<0 mst\n"
                           "bcast bytes>18446744073709551615 bft\n"
                           "bcast ranks>=2 ranks>18446744073709551615 bft");
    const cor_rule *rows = rules.rows;
    CHECK(rules.count > 5 && !rows[4].is_built_in && rows[5].is_built_in);
    CHECK_EQUAL(3, rows[0].line);
    CHECK_EQUAL(5, rows[2].line);
    CHECK(rows[0].primitive == COR_BCAST && rows[0].algorithm == cor_algorithm_find(COR_BCAST, "mst"));
    CHECK(is_range(rows[0].bytes, 0, 12 << 10) && is_range(rows[0].ranks, 0, 7));
    CHECK(is_range(rows[0].nodes, 0, SIZE_MAX) && rows[0].wanted == 0 && rows[0].unwanted == 0);
    CHECK(is_range(rows[1].bytes, (1 << 20) + 1, (4 << 20) - 1) && is_range(rows[1].nodes, 2, 2));
    CHECK_EQUAL(1, is_range(rows[1].node_ranks, 3, SIZE_MAX));
    CHECK_EQUAL(COR_FACT_OVERSUBSCRIBED, rows[1].wanted);
    CHECK_EQUAL(COR_FACT_BLOCKING, rows[1].unwanted);
    CHECK_EQUAL(4096, rows[1].parameters[0]);
    CHECK(rows[2].bytes.low > rows[2].bytes.high);                                           /* nothing is below 0 */
    CHECK(rows[3].bytes.low > rows[3].bytes.high && rows[4].ranks.low > rows[4].ranks.high); /* or above all */
    cor_rules_free(&rules);
}

/* Every built-in rule, printed, is the same rule when it is read again. */
static void test_printed(void)
{
    cor_rules rules = load(""), again = {0};
    size_t count = rules.count, length = 0;
    char *text = calloc(count, 256);
    cor_fault fault = {0};
    CHECK(text != NULL && count > 20);
    for (size_t i = 0; i < count; i++) {
        cor_rule_print(&rules.rows[i], text + length, 255);
        length += strlen(text + length);
        text[length++] = '\n';
    }
    write_file(text, 1);
    CHECK_OK(cor_rules_load(&again, path, &fault));
    CHECK_EQUAL(2 * count, again.count);
    for (size_t i = 0; i < count; i++) {
        cor_rule was = rules.rows[i], is = again.rows[i];
        CHECK(is.primitive == was.primitive && is.algorithm == was.algorithm && is.wanted == was.wanted);
        CHECK(is.unwanted == was.unwanted && is_range(is.bytes, was.bytes.low, was.bytes.high));
        CHECK(is_range(is.ranks, was.ranks.low, was.ranks.high) && is_range(is.nodes, was.nodes.low, was.nodes.high));
        CHECK_EQUAL(0, memcmp(is.parameters, was.parameters, sizeof was.parameters));
    }
    free(text);
    cor_rules_free(&again);
    cor_rules_free(&rules);
}

/* ---- which fits ------------------------------------------------------------------------------------------------- */

static void test_fitting(void)
{
    cor_rules rules = load("bcast ranks>=4 one_node mst\nbcast nodes\nreduce rabenseifner\nallgather bde\n");
    const cor_rule *mst = &rules.rows[0], *nodes = &rules.rows[1], *halving = &rules.rows[2], *bde = &rules.rows[3];
    cor_situation near = {8, 1, 8, COR_FACT_ONE_NODE | COR_FACT_POWER_OF_TWO | COR_FACT_COMMUTATIVE};
    cor_situation far = {6, 3, 2, COR_FACT_COMMUTATIVE}, spread = {3, 3, 1, 0};
    cor_situation inter = {8, 1, 8, near.facts | COR_FACT_INTER};
    CHECK_EQUAL(1, cor_rule_fits(mst, &near));
    CHECK_EQUAL(0, cor_rule_fits(mst, &far));
    CHECK_EQUAL(0, cor_rule_fits(mst, &inter)); /* not made for two groups */
    CHECK_EQUAL(1, cor_rule_fits(nodes, &far));
    CHECK_EQUAL(0, cor_rule_fits(nodes, &near));
    CHECK_EQUAL(COR_NEEDS_NODES, cor_unmet_needs(nodes->algorithm, &spread));
    CHECK_EQUAL(1, cor_rule_fits(halving, &far));
    CHECK_EQUAL(COR_NEEDS_COMMUTATIVE, cor_unmet_needs(halving->algorithm, &spread));
    CHECK_EQUAL(1, cor_rule_fits(bde, &near));
    CHECK_EQUAL(COR_NEEDS_POWER_OF_TWO, cor_unmet_needs(bde->algorithm, &far));
    cor_rules_free(&rules);
}

/* ---- what it refuses -------------------------------------------------------------------------------------------- */

static void test_refused(void)
{
    static const struct {
        const char *text, *sentence;
    } rows[] = {
        {"\nbcst mst\n", ", line 2: unknown primitive \"bcst\"; did you mean bcast?"},
        {"bcast mts\n", ", line 1: bcast has no algorithm or condition \"mts\"; did you mean mst?"},
        {"bcast oversubscribet mst\n", "\"oversubscribet\"; did you mean oversubscribed?"},
        {"bcast rank<8 mst\n", "has no algorithm or condition \"rank<8\""},
        {"bcast bytes<many mst\n", "expected a number such as 4 or 12k in \"bytes<many\""},
        {"bcast bytes<=12k\n", "no algorithm after \"bcast\""},
        {"bcast mst radix=4\n", "the algorithm has no parameter \"radix=4\""},
        {"bcast knomial radix=1\n", "the number must be 2 to 64k in \"radix=1\""},
        {"bcast board\n", "bcast has no algorithm or condition \"board\""},
        {"bcast board_rounds piece=1G\n", "the number must be 0 to 64M in \"piece=1G\""},
        {"bcast knomial radix\n", "expected a number such as 4 or 12k in \"radix\""},
        {"gatherv bytes>8 mst\n", "not every rank knows the bytes of this primitive"},
        {"gatherv total>8 mst\n", "not every rank knows the bytes of this primitive"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cor_rules rules = {0};
        cor_fault fault = {0};
        write_file(rows[i].text, 1);
        CHECK_EQUAL(COR_ERR_KNOB, cor_rules_load(&rules, path, &fault));
        expect_sentence(&fault, rows[i].sentence);
        expect_sentence(&fault, path);
        cor_rules_free(&rules);
    }
}

/* What stands behind a byte that ends a text is not passed over. */
static void test_zero_byte(void)
{
    static const char text[] = "# ours\nbcast mst\0junk\nbcast bft\n";
    cor_rules rules = {0};
    cor_fault fault = {0};
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK_EQUAL(sizeof text - 1, fwrite(text, 1, sizeof text - 1, file));
    CHECK_EQUAL(0, fclose(file));
    CHECK_EQUAL(COR_ERR_KNOB, cor_rules_load(&rules, path, &fault));
    expect_sentence(&fault, path);
    expect_sentence(&fault, ", line 2: contains a zero byte; a rules file is text");
    CHECK_EQUAL(0, rules.count);
    cor_rules_free(&rules);
}

static void test_files(void)
{
    cor_rules rules = {0};
    cor_fault fault = {0};
    write_file("# far too long\n", 100000);
    CHECK_EQUAL(COR_ERR_KNOB, cor_rules_load(&rules, path, &fault));
    expect_sentence(&fault, "has more than 1048576 bytes");
    CHECK_EQUAL(0, unlink(path));
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_rules_load(&rules, path, &fault));
    expect_sentence(&fault, "cannot open the rules file");
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_rules_load(&rules, "/", &fault));
    expect_sentence(&fault, "cannot read the rules file /");
    cor_rules_free(&rules);
}

/* "mst segment=64k", as a knob has it. */
static void test_choices(void)
{
    cor_rule rule = {.line = 77};
    cor_fault fault = {0};
    CHECK_OK(cor_rule_parse_choice(COR_BCAST, "chain segment=64k", &rule, &fault));
    CHECK(rule.algorithm == cor_algorithm_find(COR_BCAST, "chain") && rule.parameters[0] == 64 << 10);
    CHECK(is_range(rule.bytes, 0, SIZE_MAX) && is_range(rule.ranks, 0, SIZE_MAX));
    rule.line = 77;
    CHECK_EQUAL(COR_ERR_KNOB, cor_rule_parse_choice(COR_BCAST, "buckt", &rule, &fault));
    expect_sentence(&fault, "coll.bcast: bcast has no algorithm or condition \"buckt\"");
    expect_sentence(&fault, "; did you mean bucket? It has board_rounds, board_direct, nbft, mst, ");
    /* In any case of letters. */
    CHECK_OK(cor_rule_parse_choice(COR_ALLREDUCE, "BDE", &rule, &fault));
    CHECK(rule.algorithm == cor_algorithm_find(COR_ALLREDUCE, "bde"));
    CHECK_OK(cor_rule_parse_choice(COR_BCAST, "Bucket posted=0", &rule, &fault));
    CHECK(rule.algorithm == cor_algorithm_find(COR_BCAST, "bucket") && rule.parameters[0] == 0);
    rule.line = 77;
    CHECK_EQUAL(COR_ERR_KNOB, cor_rule_parse_choice(COR_BCAST, " ", &rule, &fault));
    expect_sentence(&fault, "coll.bcast: no algorithm in");
    CHECK_EQUAL(77, rule.line); /* nothing was written */
}

/* What makes a plan serves a call of any form: nothing else than `run` may ask for a blocking one. */
static void test_forms(void)
{
    const cor_situation background = {
        4, 2, 2, COR_FACT_COMMUTATIVE | COR_FACT_POWER_OF_TWO | COR_FACT_ONE_NODE | COR_FACT_THREADS | COR_FACT_INTER};
    for (size_t i = 0; i < cor_algorithm_count; i++) {
        uint32_t unmet = cor_unmet_needs(cor_algorithms[i], &background);
        if (cor_algorithms[i]->build && unmet)
            printf("%s %s needs %#x\n", cor_primitive_name(cor_algorithms[i]->primitive), cor_algorithms[i]->name,
                   (unsigned)unmet);
        CHECK_EQUAL(cor_algorithms[i]->build ? 0 : COR_NEEDS_BLOCKING, unmet);
    }
}

/* ---- the ways on a board ---------------------------------------------------------------------------------------- */

/* What the built-in rules choose for a blocking call on one node. */
static const char *chosen(const cor_rules *rules, cor_primitive primitive, size_t bytes, int ranks, uint32_t facts)
{
    cor_situation situation = {ranks, 1, ranks, facts | COR_FACT_ONE_NODE | COR_FACT_BLOCKING};
    for (size_t i = 0; i < rules->count; i++) {
        const cor_rule *rule = &rules->rows[i];
        cor_range fits = cor_rule_bytes(rule, ranks);
        if (rule->primitive == primitive && cor_rule_fits(rule, &situation) && bytes >= fits.low && bytes <= fits.high)
            return rule->algorithm->name;
    }
    return "nothing";
}

/* Each bound, from both sides. */
static void test_board_ways(void)
{
    enum { THREADS = COR_FACT_THREADS, OVER = COR_FACT_OVERSUBSCRIBED, LONG = 192 << 10 };
    static const struct {
        cor_primitive primitive;
        size_t bytes;
        int ranks;
        uint32_t facts;
        const char *name;
    } rows[] = {
        {COR_BARRIER, 0, 8, 0, "board_flat"},
        {COR_BARRIER, 0, 9, 0, "board_dissemination"},
        {COR_BARRIER, 0, 9, OVER, "board_flat"},
        {COR_BCAST, 1 << 20, 4, 0, "board_rounds"},
        {COR_BCAST, 1 << 20, 4, THREADS | OVER, "board_direct"},
        {COR_SCATTERV, 0, 4, THREADS, "board_direct"},
        {COR_GATHERV, 0, 4, 0, "board_rounds"},
        {COR_ALLGATHER, 32 << 10, 4, THREADS, "board_direct"},
        {COR_ALLGATHER, (32 << 10) - 1, 4, THREADS, "board_rounds"},
        {COR_ALLGATHER, 32 << 10, 4, THREADS | OVER, "board_rounds"},
        {COR_ALLTOALL, 16 << 10, 4, THREADS, "board_direct"},
        {COR_ALLTOALL, (16 << 10) - 1, 4, THREADS, "board_rounds"},
        {COR_ALLTOALL, ((64 << 10) + 2) / 3, 3, THREADS, "board_direct"},
        {COR_ALLTOALL, (64 << 10) / 3, 3, THREADS, "board_rounds"},
        {COR_ALLTOALLW, 0, 4, THREADS | OVER, "board_direct"},
        {COR_REDUCE, LONG - 1, 3, OVER, "board_rooted"},
        {COR_REDUCE, LONG, 3, OVER, "board_chain"},
        {COR_REDUCE, LONG - 1, 3, THREADS | OVER, "board_rooted"},
        {COR_REDUCE, LONG, 65, THREADS | OVER, "board_shares"},
        {COR_REDUCE, LONG - 1, 2, OVER, "board_chain"},
        {COR_REDUCE, LONG - 1, 2, THREADS, "board_chain"},
        {COR_REDUCE, LONG, 2, THREADS | OVER, "board_shares"},
        {COR_REDUCE, LONG, 64, THREADS, "board_shares"},
        {COR_REDUCE, LONG, 65, THREADS, "board_chain"},
        {COR_ALLREDUCE, LONG, 2, THREADS, "board_direct"},
        {COR_ALLREDUCE, LONG - 1, 2, THREADS | OVER, "board_rounds"},
        {COR_ALLREDUCE, LONG, 2, 0, "board_rounds"},
        {COR_ALLREDUCE, 4096, 3, THREADS | OVER, "board_rounds"},
        {COR_ALLREDUCE, 4097, 3, 0, "board_chain"},
        {COR_ALLREDUCE, 4097, 3, THREADS, "board_chain"},
        {COR_ALLREDUCE, LONG - 1, 3, OVER, "board_shares"},
        {COR_ALLREDUCE, LONG, 3, OVER, "board_chain"},
        {COR_ALLREDUCE, LONG, 65, THREADS | OVER, "board_shares"},
        {COR_ALLREDUCE, LONG, 64, THREADS, "board_shares"},
        {COR_ALLREDUCE, LONG, 65, THREADS, "board_chain"},
    };
    cor_rules rules = load("");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = chosen(&rules, rows[i].primitive, rows[i].bytes, rows[i].ranks, rows[i].facts);
        if (strcmp(name, rows[i].name) != 0)
            printf("row %zu: %s\n", i, name);
        CHECK_EQUAL(0, strcmp(name, rows[i].name));
    }
    cor_rules_free(&rules);
}

/* A name that several algorithms begin with leaves the choice among them to the rules. */
static void test_family(void)
{
    cor_rule forced;
    cor_fault fault = {0};
    cor_rules rules = load("");
    const cor_situation apart = {4, 2, 2, COR_FACT_BLOCKING}, here = {4, 1, 4, COR_FACT_BLOCKING | COR_FACT_ONE_NODE};
    CHECK_OK(cor_rule_parse_choice(COR_ALLREDUCE, "board", &forced, &fault));
    CHECK(forced.is_family);
    CHECK_EQUAL(COR_NEEDS_ONE_NODE, cor_rule_unmet(&forced, &apart));
    CHECK_EQUAL(0, cor_rule_unmet(&forced, &here));
    CHECK_EQUAL(COR_ERR_KNOB, cor_rule_refuse(&forced, COR_NEEDS_ONE_NODE, &fault));
    expect_sentence(&fault, "the algorithm board that coll.allreduce asks for needs all ranks on one node");
    for (size_t i = 0; i < rules.count; i++)
        CHECK_EQUAL(strncmp(rules.rows[i].algorithm->name, "board_", 6) == 0,
                    cor_rule_is_of_family(&rules.rows[i], &forced));
    CHECK_EQUAL(COR_ERR_KNOB, cor_rule_parse_choice(COR_ALLREDUCE, "board piece=64k", &forced, &fault));
    expect_sentence(&fault, "name one algorithm for \"piece=64k\"");
    CHECK_EQUAL(COR_ERR_KNOB, cor_rule_parse_choice(COR_BCAST, "scatter", &forced, &fault)); /* as in scatter_bde */
    cor_rules_free(&rules);
}

int main(void)
{
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    CHECK_OK(atexit(remove_file));
    CHECK_OK(at_quick_exit(remove_file));
    close(fd);
    test_words();
    test_printed();
    test_fitting();
    test_forms();
    test_refused();
    test_zero_byte();
    test_choices();
    test_family();
    test_board_ways();
    test_files();
    printf("rules: passed\n");
    return 0;
}
