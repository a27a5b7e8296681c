/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks tell of themselves at the start, and what is said where they differ. */
#include "mp/compat.h"

#include "check.h"

#include <string.h>

static void load(const char *const *overrides, cor_config *config)
{
    cor_fault fault = {0};
    if (cor_config_load(overrides, config, &fault) != COR_OK)
        fprintf(stderr, "%s\n", fault.text);
    CHECK_OK(fault.code);
}

static void write_terms(const char *const *overrides, const char *host, int long_double_bits,
                        char text[COR_COMPAT_MAX])
{
    cor_config config;
    cor_fault fault = {0};
    load(overrides, &config);
    CHECK_OK(cor_compat_write(&config, host, long_double_bits, text, &fault));
}

/* Compare rank 2 of 3 with the others: the sentence has this part; NULL: they are alike. */
static void expect(const char *first, const char *other, const char *part)
{
    cor_config config;
    cor_fault fault = {0};
    const char *const texts[] = {first, first, other};
    load(NULL, &config);
    int rc = cor_compat_compare(texts, 3, &config, &fault);
    CHECK_EQUAL(part ? COR_ERR_UNREACHABLE : COR_OK, rc);
    if (part && !strstr(fault.text, part))
        fprintf(stderr, "\"%s\" lacks \"%s\"\n", fault.text, part);
    CHECK(!part || strstr(fault.text, part) != NULL);
}

/* Every setting in turn, with a value that is not its default. */
static void test_every_setting(void)
{
    static const char *const common[] = {"dev=smdev",
                                         "check=yes",
                                         "coll.node_ranks=3",
                                         "coll.board=1M",
                                         "coll.force=barrier:tree",
                                         "coll.force=neighbor_alltoallw:nbft",
                                         "sm.ring=128k",
                                         "sm.slots=64",
                                         "tcp.packet=256k",
                                         "tcp.eager_max=64k",
                                         "sm.memory=2M",
                                         "hyb.library=ucx"};
    static const char *const own[] = {
        "log=debug",       "pmi.timeout=7",    "soft.unexpected_max=1M", "wait.spin_us=0",
        "sm.eager_max=1k", "sm.chunk=32k",     "sm.single_copy=never",   "sm.segment=file",
        "tcp.retain=4M",   "tcp.interface=lo", "tcp.heartbeat_s=3"};
    char plain[COR_COMPAT_MAX], text[COR_COMPAT_MAX];
    write_terms(NULL, "here", 113, plain);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        const char *overrides[] = {common[i], NULL};
        char part[64];
        snprintf(part, sizeof part, "rank 2 on there has a different %.*s than rank 0 on here (this",
                 (int)strcspn(common[i], "="), common[i]);
        write_terms(overrides, "there", 113, text);
        expect(plain, text, part);
        expect(text, plain, "rank 2 on here has a different ");
        expect(text, text, NULL);
    }
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const char *overrides[] = {own[i], NULL};
        write_terms(overrides, "there", 113, text);
        expect(plain, text, NULL);
    }
}

/* So many that differ still find room, and the first of them is told; the values count, not that they are set. */
static void test_many(void)
{
    static char names[COR_PRIMITIVES + 1][64];
    const char *overrides[COR_PRIMITIVES + 1] = {NULL}, *one[] = {"coll.bcast=mst segment=64k", NULL};
    const char *other[] = {"coll.bcast=mst segment=32k", NULL}, *same[] = {"coll.bcast=", "check=off", NULL};
    const char *listed[] = {"coll.force=bcast:mst segment=64k", NULL};
    char plain[COR_COMPAT_MAX], text[COR_COMPAT_MAX], more[COR_COMPAT_MAX];
    int count = 0;
#define COMPAT_FORCE(NAME, name) snprintf(names[count++], sizeof *names, "coll." #name "=an algorithm");
    COR_PRIMITIVE_LIST(COMPAT_FORCE)
#undef COMPAT_FORCE
    for (int i = 0; i < count; i++)
        overrides[i] = names[i];
    write_terms(NULL, "here", 113, plain);
    write_terms(overrides, "a.host.with.a.name.that.is.much.longer.than.anybody.would.like.to.read", 113, text);
    expect(plain, text, "has a different coll.force than");
    write_terms(one, "here", 113, text);
    write_terms(other, "here", 113, more);
    expect(text, more, "has a different coll.force than");
    write_terms(one, "here", 113, text);
    write_terms(listed, "here", 113, more);
    expect(text, more, NULL);
    write_terms(same, "here", 113, text);
    expect(text, plain, NULL);
    /* Java has no long double and goes with every C, wherever it is; C on some processors has a shorter one. */
    write_terms(NULL, "java", 0, more);
    expect(more, plain, NULL);
    expect(plain, more, NULL);
    write_terms(NULL, "there", 64, text);
    expect(more, text, NULL);
    expect(text, more, NULL);
    expect(plain, text, "rank 2 on there has a different long double than rank 0 on here");
    const char *const mixed[] = {more, text, more, text, plain};
    cor_config config;
    cor_fault fault = {0};
    load(NULL, &config);
    CHECK_OK(cor_compat_compare(mixed, 4, &config, &fault));
    CHECK_EQUAL(COR_ERR_UNREACHABLE, cor_compat_compare(mixed, 5, &config, &fault));
    CHECK(strstr(fault.text, "rank 4 on here has a different long double than rank 1 on there"));
}

static void test_text(void)
{
    char text[COR_COMPAT_MAX + 16];
    write_terms(NULL, "a host, or;two", 0, text);
    CHECK(strcmp(text, "corunna-" COR_VERSION ",l8,a_host__or_two;") == 0 ||
          strcmp(text, "corunna-" COR_VERSION ",b8,a_host__or_two;") == 0);
    strcat(text, "sm3,1;2");
    CHECK_EQUAL(0, strcmp(cor_compat_end(text), "sm3,1;2"));
    CHECK_EQUAL(0, strcmp(cor_compat_end("sm3,1"), "sm3,1"));
    static const char *const wrong[] = {"",
                                        ";",
                                        "sm3,1",
                                        "corunna-",
                                        "corunna-1.0,l8,host",
                                        "corunna-1.0,l8,;x",
                                        "corunna-1.0,lx,host;x",
                                        "corunna-1.0;x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect(text, wrong[i], "rank 2 does not give its version");
    expect("corunna-1.0,l8,a;x", "corunna-1.1,l8,b,gibberish;y",
           "rank 2 on b uses Corunna 1.1, rank 0 on a Corunna 1.0:");
    expect("corunna-1.0,l8,a;x", "corunna-1.0,b4,b;y",
           "rank 2 on b is a 32-bit big-endian program, rank 0 on a a 64-bit");
    expect("corunna-1.0,l8,a;x", "corunna-1.0,l8,b,fffe:1;y", "rank 2 on b has a different setting than rank 0 on a");
    expect("corunna-1.0,l8,a,ffff:71;x", "corunna-1.0,l8,b,ffff:40;y",
           "rank 2 on b has a different long double than rank 0 on a");
    expect("corunna-1.0,l8,a,ffff:40;x", "corunna-1.0,l8,b,ffff:40;y", NULL);
}

int main(void)
{
    test_text();
    test_every_setting();
    test_many();
    puts("ok");
    return 0;
}
