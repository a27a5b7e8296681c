/* SPDX-License-Identifier: Apache-2.0 */
/* Files of models and of measured points: read back bit for bit, and everything that is wrong refused with its line. */
#define _GNU_SOURCE
#include "check.h"
#include "model/form.h"
#include "model/model_file.h"
#include "model/points.h"
#include "unit_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- models ------------------------------------------------------------------------------------------------------ */

static int read_text(const char *text, cor_model_set *set, cor_fault *fault)
{
    FILE *stream = fmemopen((void *)text, strlen(text), "r");
    CHECK(stream);
    int rc = cor_model_set_read_stream(set, stream, "F", fault);
    fclose(stream);
    return rc;
}

static char *print_text(const cor_model_set *set)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    CHECK(stream);
    cor_model_set_print(set, stream);
    fclose(stream);
    return text;
}

#define CURVE                                                                                                         \
    "curve test=bcast system=corunna language=c device=hybdev type=double mode=apart ranks=2,4,8 "                    \
    "bytes=8-1048576 points=24 held_out=8\n"
#define FIT "fit form=papers fitted=0.031 held_out=none\n"
#define PIECE "piece from=0 t0=0.5+0.2*p ti=-1.5-2e-09*log2p tb=4.7e-05\n"

static const char good[] =
    "corunna-model 1\n"
    "remark machine: Neoverse-V1, 2 CPUs\n"
    "remark \n" CURVE FIT PIECE "fit form=piecewise fitted=0.01 held_out=0.02\n"
    "piece from=0 t0=1 ti=0 tb=0.25\n"
    "piece from=16385 t0=0.1 ti=3 tb=0.0625\n"
    "curve test=pingpong system=mpich language=java device= type=byte mode= ranks=2 bytes=0-0 points=1 held_out=0\n"
    "fit form=loggp fitted=0 held_out=none\n"
    "piece from=0 L+2o=0.123456789 G=0\n"
    "end\n";

static void test_round_trip(uint64_t *seed)
{
    cor_model_set set, again;
    cor_fault fault = {0};
    if (read_text(good, &set, &fault) != COR_OK)
        CHECK_FAIL("%s", fault.text);
    CHECK_EQUAL(2, set.count);
    CHECK_EQUAL(3, set.models[0].rank_count);
    CHECK_EQUAL(8, set.models[0].ranks[2]);
    CHECK_EQUAL(COR_MODEL_LINEAR, set.models[0].fits[0].pieces[0].laws[0].shape);
    CHECK(set.models[0].fits[0].pieces[0].laws[1].slope == -2e-9);
    CHECK(set.models[0].fits[0].held_out_error < 0);
    CHECK(cor_model_time(cor_model_find_fit(&set.models[0], "piecewise"), 16384, 4) == 4097);
    char *text = print_text(&set);
    CHECK_TEXT(good, text);
    free(text);
    /* Any bits. */
    for (int i = 0; i < 2000; i++) {
        cor_model_law *law = &set.models[0].fits[0].pieces[0].laws[i % 3];
        uint64_t bits = unit_random(seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        law->constant = value;
        law->slope = (double)(int64_t)unit_random(seed) * 1e-18;
        law->shape = (cor_model_shape)(i % COR_MODEL_SHAPES);
        if (law->shape == COR_MODEL_CONSTANT)
            law->slope = 0;
        text = print_text(&set);
        if (fabs(value) > 1e30) { /* no time of anything; sums of such become infinite */
            CHECK_EQUAL(COR_ERR_ARG, read_text(text, &again, &fault));
            cor_model_set_fini(&again);
            law->constant = 0;
            free(text);
            continue;
        }
        if (read_text(text, &again, &fault) != COR_OK)
            CHECK_FAIL("%s", fault.text);
        const cor_model_law *read = &again.models[0].fits[0].pieces[0].laws[i % 3];
        CHECK_EQUAL(0, memcmp(&read->constant, &law->constant, sizeof law->constant));
        CHECK_EQUAL(0, memcmp(&read->slope, &law->slope, sizeof law->slope));
        CHECK_EQUAL(law->shape, read->shape);
        cor_model_set_fini(&again);
        free(text);
    }
    cor_model_set_fini(&set);
}

static void test_wrong_models(void)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"", "F is empty"},
        {"\n", "F, line 1: this is no model file"},
        {"corunna-rules 1\n", "F, line 1: this is no model file"},
        {"corunna-model 2\nend\n", "F, line 1: this is a model file of version 2; this Corunna reads version 1"},
        {"corunna-model 1\n", "F, line 1: the file was cut short"},
        {"corunna-model 1\n" CURVE FIT PIECE, "F, line 4: the file was cut short"},
        {"corunna-model 1\nend\nend\n", "F, line 3: there are lines after the end"},
        {"corunna-model 1\ncruve test=a\nend\n", "F, line 2: unknown word \"cruve\"; did you mean curve?"},
        {"corunna-model 1\nfit form=papers fitted=0 held_out=0\nend\n", "F, line 2: a fit before the first curve"},
        {"corunna-model 1\n" CURVE PIECE "end\n", "F, line 3: a piece before the first fit"},
        {"corunna-model 1\n" CURVE "end\n", "F, line 3: the curve of bcast has no fit"},
        {"corunna-model 1\n" CURVE FIT "end\n", "F, line 4: the form papers has no piece"},
        {"corunna-model 1\n" CURVE FIT PIECE PIECE "end\n", "F, line 5: a form papers has at most 1 piece"},
        {"corunna-model 1\n" CURVE FIT PIECE FIT "end\n", "F, line 5: this curve has the form papers already"},
        {"corunna-model 1\n" CURVE "fit form=paper fitted=0 held_out=0\nend\n",
         "F, line 3: unknown form \"paper\"; did you mean papers?"},
        {"corunna-model 1\n" CURVE "fit form=papers fitted=-1 held_out=0\nend\n", "F, line 3: fitted is \"-1\""},
        {"corunna-model 1\n" CURVE FIT "piece from=1 t0=1 ti=1 tb=1\nend\n",
         "F, line 4: the first piece must be from 0"},
        {"corunna-model 1\n" CURVE FIT "piece from=0 t0=1 tb=1 ti=1\nend\n",
         "F, line 4: expected ti=..., found \"tb=1\""},
        {"corunna-model 1\n" CURVE FIT "piece from=0 t0=1 ti=1 tb=nan\nend\n", "F, line 4: tb is \"nan\""},
        {"corunna-model 1\n" CURVE FIT "piece from=0 t0=1 ti=1 tb=0x1\nend\n", "F, line 4: tb is \"0x1\""},
        {"corunna-model 1\n" CURVE FIT "piece from=0 t0=1 ti=1 tb=1e999\nend\n", "F, line 4: tb is \"1e999\""},
        {"corunna-model 1\n" CURVE FIT "piece from=0 t0=1+2*q ti=1 tb=1\nend\n", "F, line 4: t0 is \"1+2*q\""},
        {"corunna-model 1\n" CURVE FIT "piece from=0 t0=1 ti=1 tb=1 more\nend\n", "F, line 4: \"more\" is too much"},
        {"corunna-model 1\ncurve test= system=a\nend\n", "F, line 2: test is \"\"; it must be one word"},
        {"corunna-model 1\ncurve test=a system=b language=c device=d type=e mode=f ranks=4,2 bytes=0-1 points=1 "
         "held_out=0\nend\n",
         "F, line 2: ranks is \"4,2\""},
        {"corunna-model 1\ncurve test=a system=b language=c device=d type=e mode=f ranks=2 bytes=9-1 points=1 "
         "held_out=0\nend\n",
         "F, line 2: bytes is \"9-1\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cor_model_set set;
        cor_fault fault = {0};
        FILE *stream =
            wrong[i].text[0] ? fmemopen((void *)wrong[i].text, strlen(wrong[i].text), "r") : fopen("/dev/null", "r");
        CHECK(stream);
        CHECK_EQUAL(COR_ERR_ARG, cor_model_set_read_stream(&set, stream, "F", &fault));
        if (strncmp(fault.text, wrong[i].sentence, strlen(wrong[i].sentence)) != 0)
            CHECK_FAIL("expected \"%s...\", got \"%s\"", wrong[i].sentence, fault.text);
        cor_model_set_fini(&set);
        fclose(stream);
    }
    cor_model_set set;
    cor_fault fault = {0};
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_model_set_read(&set, "/nowhere/at/all", &fault));
    CHECK(strstr(fault.text, "/nowhere/at/all"));
    CHECK_EQUAL(COR_ERR_SYSTEM, cor_model_set_read(&set, "/", &fault));
}

static void test_replaced_whole(void)
{
    char folder[] = "/tmp/model_file.XXXXXX", path[64];
    cor_model_set set, again;
    cor_fault fault = {0};
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.model", folder);
    CHECK_OK(read_text(good, &set, &fault));
    CHECK_OK(cor_model_set_write(&set, path, &fault));
    CHECK_OK(cor_model_set_read(&again, path, &fault));
    CHECK_EQUAL(2, again.count);
    cor_model_set_fini(&again);
    cor_model_set_fini(&set);
    CHECK_OK(unlink(path));
    CHECK_OK(rmdir(folder)); /* nothing else was left in it */
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static int read_csv(const char *text, const char *value, cor_model_data *data, cor_fault *fault)
{
    FILE *stream = fmemopen((void *)text, strlen(text), "r");
    CHECK(stream);
    int rc = cor_model_data_read_stream(data, stream, "F", value, fault);
    fclose(stream);
    return rc;
}

#define COLUMNS "test,system,language,device,ranks,type,mode,bytes,unit,minimum,median,spread,samples\n"

static void test_points(void)
{
    cor_model_data data;
    cor_fault fault = {0};
    static const char text[] =
        "# machine: Neoverse-V1\n" COLUMNS "pingpong,corunna,c,smdev,2,byte,,1024,us,0.312,0.320,0.03,20\n"
        "\n"
        "pingpong,corunna,c,smdev,2,byte,+check,2048,ms,0.5,0.6,0.03,20\r\n"
        "pingpong,corunna,c,smdev,4,byte,,1024,us,0.4,0.5,0.03,20\n"
        "# date\n"
        "stream,corunna,c,smdev,2,byte,,1024,GB/s,0.4,0.5,0.03,20\n"
        "bcast,corunna,java,hybdev,2,double,apart,8,us,1,2,1.0,20\n"
        "bcast,corunna,java,hybdev,8,double,apart+check,8,ns,3000,4,0.03,20\n"
        "bcast,corunna,java,hybdev,8,double,row,8,us,3,4,0.03,20";
    if (read_csv(text, "minimum", &data, &fault) != COR_OK)
        CHECK_FAIL("%s", fault.text);
    CHECK_EQUAL(4, data.count);
    CHECK_EQUAL(1, data.other_lines);
    CHECK_EQUAL(1, data.unsteady_lines);
    CHECK_TEXT("machine: Neoverse-V1\ndate\n", data.remarks);
    CHECK_EQUAL(2, data.curves[0].count);
    CHECK(data.curves[0].points[0].us == 0.312 && data.curves[0].points[1].us == 500);
    CHECK(!data.curves[0].points[0].is_held_out && data.curves[0].points[1].is_held_out);
    CHECK_EQUAL(4, data.curves[1].ranks);
    CHECK_EQUAL(2, data.curves[2].count); /* a collective on several numbers of ranks */
    CHECK_EQUAL(0, data.curves[2].ranks);
    CHECK_TEXT("apart", data.curves[2].key.words[COR_MODEL_MODE]);
    CHECK(data.curves[2].points[1].us == 3);
    cor_model_data_fini(&data);
    CHECK_OK(read_csv(text, "median", &data, &fault));
    CHECK(data.curves[0].points[0].us == 0.32);
    cor_model_data_fini(&data);
    /* Columns in another order, and others beside them. */
    CHECK_OK(read_csv("x,bytes,minimum,unit,mode,type,ranks,device,language,system,test\n"
                      "?,1,2,us,,byte,2,smdev,c,corunna,pingpong\n",
                      "minimum", &data, &fault));
    CHECK(data.curves[0].points[0].bytes == 1 && data.curves[0].points[0].us == 2);
    cor_model_data_fini(&data);
}

static void test_wrong_points(void)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"# nothing\n", "F has no times to fit"},
        {COLUMNS, "F has no times to fit"},
        {COLUMNS "a,b,c,d,2,e,,1,GB/s,1,1,1,1\n", "F has no times to fit: no line has the unit ns, us, ms or s"},
        {"test,system,language,device,ranks,type,mode,byte,unit,minimum\n",
         "F, line 1: there is no column \"bytes\"; is it the one called \"byte\"?"},
        {COLUMNS "a,b,c,d,2,e,,1,us,1,1,1\n", "F, line 2: 12 fields, but the first line names 13 columns"},
        {COLUMNS "a,b,c,d,2,e,,1,us,0,1,1,1\n", "F, line 2: minimum is \"0\"; a time is a number above 0"},
        {COLUMNS "a,b,c,d,2,e,,1,us,nan,1,1,1\n", "F, line 2: minimum is \"nan\""},
        {COLUMNS "a,b,c,d,2,e,,1,us,1e40,1,1,1\n", "F, line 2: minimum is \"1e40\", which is no time"},
        {COLUMNS "a,b,c,d,2,e,,-1,us,1,1,1,1\n", "F, line 2: bytes is \"-1\"; it must be a whole number"},
        {COLUMNS "a,b,c,d,2,e,,1k,us,1,1,1,1\n", "F, line 2: bytes is \"1k\"; it must be a whole number"},
        {COLUMNS "a,b,c,d,0,e,,1,us,1,1,1,1\n", "F, line 2: ranks is \"0\"; it must be a whole number of at least 1"},
        {COLUMNS "a,b b,c,d,1,e,,1,us,1,1,1,1\n", "F, line 2: system is \"b b\"; it may have up to 31 letters"},
        {COLUMNS ",b,c,d,1,e,,1,us,1,1,1,1\n", "F, line 2: the test has no name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cor_model_data data;
        cor_fault fault = {0};
        CHECK_EQUAL(COR_ERR_ARG, read_csv(wrong[i].text, "minimum", &data, &fault));
        if (strncmp(fault.text, wrong[i].sentence, strlen(wrong[i].sentence)) != 0)
            CHECK_FAIL("expected \"%s...\", got \"%s\"", wrong[i].sentence, fault.text);
        cor_model_data_fini(&data);
    }
}

int main(void)
{
    uint64_t seed = unit_seed();
    test_round_trip(&seed);
    test_wrong_models();
    test_replaced_whole();
    test_points();
    test_wrong_points();
    return 0;
}
