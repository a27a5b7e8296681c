/* SPDX-License-Identifier: Apache-2.0 */
/* The performance model: the papers' own figures, curves with known values found again through noise, errors. */
#include "check.h"
#include "model/form.h"
#include "model/metrics.h"
#include "model/minimize.h"
#include "model/points.h"
#include "model/replace.h"
#include "unit_random.h"

#include <math.h>
#include <string.h>

enum { POINTS_MAX = 512 };

static void check_near(const char *what, double expected, double got, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance * fabs(expected)))
        CHECK_FAIL("%s: expected %g within %g %%, got %g", what, expected, 100 * tolerance, got);
}

/* ---- the papers' figures ----------------------------------------------------------------------------------------- */

static cor_model_fit papers_fit(cor_model_law t0, cor_model_law ti, cor_model_law tb)
{
    tb.constant *= 1e-3; /* the papers have ns */
    tb.slope *= 1e-3;
    return (cor_model_fit){.form = &cor_model_form_papers, .piece_count = 1, .pieces = {{.laws = {t0, ti, tb}}}};
}

static void test_papers_send(void)
{
    /* t0 and ti in us, tb in ns, 1/t0 in KB/s, 1/tb in MB/s: Send in tables 1 and 2. */
    static const double rows[][5] = {{9, 20, 5.330, 111.1, 187.6},  {15, 20, 5.360, 66.67, 186.6},
                                     {65, 69, 5.951, 15.38, 168.0}, {4, 13, 3.890, 250.0, 257.1},
                                     {6, 5, 4.560, 166.7, 219.3},   {10, 11, 3.924, 100.0, 254.8},
                                     {49, 43, 4.272, 20.41, 234.1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cor_model_fit fit =
            papers_fit((cor_model_law){.constant = rows[i][0]}, (cor_model_law){.constant = rows[i][1]},
                       (cor_model_law){.constant = rows[i][2]});
        cor_model_metrics metrics = cor_model_measure(&fit, 2);
        check_near("specific performance", rows[i][3], 1e3 * metrics.specific, 1e-3);
        check_near("asymptotic bandwidth", rows[i][4], metrics.bandwidth, 1e-3);
        check_near("T(0)", rows[i][0], cor_model_time(&fit, 0, 2), 1e-12);
        double half = metrics.half_power_bytes;
        check_near("half of the bandwidth", metrics.bandwidth / 2, half / cor_model_time(&fit, half, 2), 1e-9);
    }
    /* The example of section 3: 30 us where Hockney's model says 20, at 4 KB. */
    cor_model_fit fit =
        papers_fit((cor_model_law){.constant = 4}, (cor_model_law){.constant = 13}, (cor_model_law){.constant = 3.89});
    check_near("T(4 KB)", 30, cor_model_time(&fit, 4096, 2), 0.02);
    double hockney[] = {4, 3.89e-3};
    check_near("Hockney's T(4 KB)", 20, cor_model_form_hockney.evaluate(hockney, 4096), 0.02);
}

static void test_papers_collectives(void)
{
    static const struct {
        const char *name;
        cor_model_law t0, tb;
        double specific, bandwidth;
    } rows[] = {
        /* MPICH-GM on 16 ranks, table 1 */
        {"bcast", {COR_MODEL_LOG, 3, 8}, {COR_MODEL_LOG, 0.017, 5.649}, 428.6, 663.3},
        {"scatter", {COR_MODEL_LINEAR, -7, 9}, {COR_MODEL_LOG, 4.271, 0.412}, 45.45, 158.9},
        {"gather", {COR_MODEL_LINEAR, 7, 5}, {COR_MODEL_LOG, 3.782, 0.503}, 29.41, 165.4},
        {"allgather", {COR_MODEL_LINEAR, -10, 15}, {COR_MODEL_LOG, 5.272, 1.093}, 75.00, 1653},
        {"alltoall", {COR_MODEL_LINEAR, -10, 13}, {COR_MODEL_LOG, 4.182, 2.690}, 75.76, 1004},
        {"reduce", {COR_MODEL_LINEAR, 12, 3}, {COR_MODEL_LOG, 2.698, 10.83}, 250.0, 326.0},
        {"allreduce", {COR_MODEL_LINEAR, 18, 4}, {COR_MODEL_LOG, 3.219, 16.35}, 365.9, 437.2},
        {"reduce_scatter", {COR_MODEL_LINEAR, -3, 13}, {COR_MODEL_LOG, 9.326, 10.81}, 77.97, 303.2},
        {"scan", {COR_MODEL_LINEAR, -1, 97}, {COR_MODEL_LINEAR, 3.380, 21.62}, 9.671, 42.94},
    };
    static const int ranks[] = {2, 4, 8, 16};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cor_model_primitive whole = *cor_model_primitive_find(rows[i].name);
        whole.has_blocks = 0; /* the papers' n is the whole message */
        cor_model_fit fit = papers_fit(rows[i].t0, (cor_model_law){0}, rows[i].tb);
        cor_model_peaks peaks = cor_model_measure_peaks(&fit, &whole, ranks, 4);
        check_near(rows[i].name, rows[i].specific, 1e3 * peaks.specific, 2e-3);
        check_near(rows[i].name, rows[i].bandwidth, peaks.bandwidth, 2e-3);
        whole.has_blocks = 1;
        cor_model_peaks blocks = cor_model_measure_peaks(&fit, &whole, ranks + 3, 1);
        check_near("blocks", 16 * whole.traffic(16) / cor_model_law_at(&fit.pieces[0].laws[2], 16), blocks.bandwidth,
                   1e-9);
    }
    CHECK(!cor_model_primitive_find("pingpong"));
    static const int logs[][2] = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {1024, 10}, {1025, 11}};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        CHECK_EQUAL(logs[i][1], cor_model_shape_at(COR_MODEL_LOG, logs[i][0]));
}

/* ---- found again ------------------------------------------------------------------------------------------------- */

/* About a normal distribution with deviation 1. */
static double noise(uint64_t *seed)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)(unit_random(seed) >> 11) / 9007199254740992.0;
    return sum - 6;
}

static size_t make_points(const cor_model_fit *truth, const int *ranks, int rank_count, double deviation,
                          uint64_t *seed, cor_model_point *points_p)
{
    size_t count = 0;
    for (int r = 0; r < rank_count; r++)
        for (int k = -2; k <= 44; k++) { /* 0, 1 and twice an octave up to 4 MiB */
            double bytes = k < -1 ? 0 : k < 0 ? 1 : floor(pow(2, k / 2.0) + 0.5);
            points_p[count++] =
                (cor_model_point){.bytes = bytes,
                                  .ranks = ranks[r],
                                  .us = cor_model_time(truth, bytes, ranks[r]) * (1 + deviation * noise(seed))};
        }
    return count;
}

static const cor_model_key key_of_test = {{"pingpong", "corunna", "c", "smdev", "byte", ""}};

static cor_model make(const cor_model_point *points, size_t count)
{
    cor_model model;
    cor_fault fault = {0};
    if (cor_model_make(&model, &key_of_test, points, count, &fault) != COR_OK)
        CHECK_FAIL("%s", fault.text);
    return model;
}

/* Of 400 seeds, none is off by more than half of what is allowed here. */
static void test_recovery(uint64_t *seed)
{
    static const double rows[][3] = {
        {9, 20, 5.330}, {4, 13, 3.890}, {0.15, 0.4, 0.048}, {3, 1, 0.12}, {65, 69, 5.951}};
    int is_broken = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cor_model_point points[POINTS_MAX];
        cor_model_fit truth =
            papers_fit((cor_model_law){.constant = rows[i][0]}, (cor_model_law){.constant = rows[i][1]},
                       (cor_model_law){.constant = rows[i][2]});
        const int two = 2;
        size_t count = make_points(&truth, &two, 1, 0.02, seed, points);
        cor_model model = make(points, count);
        const cor_model_fit *papers = cor_model_find_fit(&model, "papers");
        double values[COR_MODEL_VALUES];
        cor_model_values(papers, 0, 2, values);
        check_near("t0", rows[i][0], values[0], 0.06);
        check_near("ti + t0", rows[i][1] + rows[i][0], values[1] + values[0], 0.3);
        check_near("tb", rows[i][2] * 1e-3, values[2], 0.06);
        double hockney = cor_model_find_fit(&model, "hockney")->fitted_error;
        double loggp = cor_model_find_fit(&model, "loggp")->fitted_error;
        CHECK(papers->fitted_error < 0.03);
        CHECK(hockney >= papers->fitted_error && loggp >= papers->fitted_error);
        const cor_model_fit *pieces = cor_model_find_fit(&model, "piecewise");
        CHECK(pieces->piece_count > 1 || cor_model_best_fit(&model) == papers);
        is_broken += pieces->piece_count > 1;
        for (long bytes = 0; bytes < 4000000; bytes = 2 * bytes + 1)
            check_near("in pieces", cor_model_time(&truth, bytes, 2), cor_model_time(pieces, bytes, 2), 0.15);
        /* The same again, bit for bit. */
        cor_model again = make(points, count);
        for (int k = 0; k < model.fit_count; k++)
            for (long bytes = 0; bytes < 10000000; bytes = 2 * bytes + 1)
                CHECK(cor_model_time(&again.fits[k], bytes, 2) == cor_model_time(&model.fits[k], bytes, 2));
    }
    CHECK(is_broken <= 1); /* noise looks like a break once in hundreds of curves */
}

static void test_collective_recovery(uint64_t *seed)
{
    static const int ranks[] = {2, 3, 4, 6, 8, 12, 16};
    static const cor_model_law rows[][3] = {
        {{COR_MODEL_LOG, 3, 8}, {COR_MODEL_LOG, 17, 23}, {COR_MODEL_LOG, 0.4, 5.649}},
        {{COR_MODEL_LINEAR, 7, 5}, {COR_MODEL_LINEAR, 13, 7}, {COR_MODEL_LOG, 3.782, 0.503}},
        {{COR_MODEL_LINEAR, 1, 10}, {COR_MODEL_LINEAR, 9, 12}, {COR_MODEL_LINEAR, 3.38, 21.62}},
        {{COR_MODEL_CONSTANT, 5, 0}, {COR_MODEL_CONSTANT, 10, 0}, {COR_MODEL_LOG, 1, 2}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cor_model_point points[POINTS_MAX];
        cor_model_fit truth = papers_fit(rows[i][0], rows[i][1], rows[i][2]);
        size_t count = make_points(&truth, ranks, 7, 0.02, seed, points);
        cor_model model = make(points, count);
        const cor_model_fit *papers = cor_model_find_fit(&model, "papers");
        if (rows[i][0].shape != COR_MODEL_CONSTANT) /* a small slope is as good as none */
            CHECK_EQUAL(rows[i][0].shape, papers->pieces[0].laws[0].shape);
        CHECK_EQUAL(rows[i][2].shape, papers->pieces[0].laws[2].shape);
        CHECK(papers->fitted_error < 0.03);
        CHECK(cor_model_find_fit(&model, "hockney")->fitted_error > papers->fitted_error);
        /* Also for numbers of ranks between those that were measured, and twice as many. */
        for (int p = 2; p <= 32; p++)
            for (long bytes = 0; bytes < 10000000; bytes = 3 * bytes + 1)
                check_near("T(n, p)", cor_model_time(&truth, bytes, p), cor_model_time(papers, bytes, p), 0.25);
    }
}

static void test_barrier(void)
{
    cor_model_point points[] = {{0, 5, 2, 0}, {0, 9, 4, 0}, {0, 13, 8, 0}, {0, 17, 16, 0}};
    cor_model model = make(points, 4);
    check_near("barrier on 32 ranks", 21, cor_model_time(cor_model_find_fit(&model, "papers"), 0, 32), 0.01);
    CHECK(model.bytes_high == 0);
    cor_model_point one = {8, 3, 2, 0};
    model = make(&one, 1);
    for (int i = 0; i < model.fit_count; i++)
        check_near(model.fits[i].form->name, 3, cor_model_time(&model.fits[i], 8, 2), 1e-9);
}

/* Two protocols, with a step from 16 KiB on, and a third. */
static double steps_time(double bytes)
{
    if (bytes <= 16384)
        return 0.2 + bytes * 1e-4;
    return bytes <= 262144 ? 3 + bytes * 5e-5 : bytes * 1e-4 - 5;
}

static void test_piecewise(uint64_t *seed)
{
    cor_model_point points[POINTS_MAX];
    size_t count = 0;
    for (int k = 0; k <= 44; k++) {
        double bytes = floor(pow(2, k / 2.0) + 0.5);
        points[count++] =
            (cor_model_point){.bytes = bytes, .ranks = 2, .us = steps_time(bytes) * (1 + 0.01 * noise(seed))};
    }
    cor_model model = make(points, count);
    const cor_model_fit *pieces = cor_model_find_fit(&model, "piecewise");
    CHECK(pieces->piece_count == 3 || pieces->piece_count == 4);
    CHECK(cor_model_best_fit(&model) == pieces);
    int is_found = 0;
    for (int i = 1; i < pieces->piece_count; i++)
        is_found |= pieces->pieces[i].from_bytes == 16385;
    CHECK(is_found);
    CHECK(pieces->fitted_error < 0.015);
    CHECK(pieces->fitted_error < cor_model_find_fit(&model, "papers")->fitted_error / 2);
    for (long bytes = 1; bytes < 4000000; bytes += bytes / 3 + 1)
        if (fabs(log2((double)bytes / 262144)) > 1) /* the break is somewhere between two sizes */
            check_near("in pieces", steps_time(bytes), cor_model_time(pieces, bytes, 2), 0.15);
}

/* ---- errors and held-out points ---------------------------------------------------------------------------------- */

static void test_errors(void)
{
    cor_model_fit fit = {
        .form = &cor_model_form_hockney, .piece_count = 1, .pieces = {{.laws = {{.constant = 10}, {.constant = 1}}}}};
    /* The model says 10, 20, 30, 40. */
    cor_model_point points[] = {{0, 8, 2, 0}, {10, 25, 2, 1}, {20, 30, 2, 0}, {30, 32, 2, 1}};
    check_near("fitted", (0.25 + 0) / 2, cor_model_error(&fit, points, 4, 0), 1e-12);
    check_near("held out", (0.2 + 0.25) / 2, cor_model_error(&fit, points, 4, 1), 1e-12);
    CHECK(cor_model_error(&fit, points, 1, 1) < 0);
    /* Points that are held out have no influence. */
    cor_model_point more[] = {{0, 10, 2, 0}, {10, 20, 2, 0}, {20, 30, 2, 0}, {40, 50, 2, 0}, {30, 1000, 2, 1}};
    cor_model model = make(more, 5);
    CHECK_EQUAL(4, model.point_count);
    CHECK_EQUAL(1, model.held_out_count);
    check_near("line", 40, cor_model_time(cor_model_find_fit(&model, "hockney"), 30, 2), 1e-3);
    check_near("held out", 0.96, cor_model_find_fit(&model, "hockney")->held_out_error, 1e-3);
    cor_fault fault;
    CHECK_EQUAL(COR_ERR_ARG, cor_model_make(&model, &key_of_test, more + 4, 1, &fault));
}

static void test_hold_out(uint64_t seed)
{
    cor_model_point points[90];
    cor_model_curve curve = {.points = points, .count = 90};
    for (int i = 0; i < 90; i++)
        points[i] = (cor_model_point){.bytes = i, .us = 1, .ranks = 2};
    uint64_t state = seed;
    CHECK_EQUAL(20, cor_model_curve_hold_out(&curve, 20, &state));
    int held_out = 0;
    for (int i = 0; i < 90; i++)
        held_out += points[i].is_held_out;
    CHECK_EQUAL(20, held_out);
    CHECK(!points[0].is_held_out && !points[89].is_held_out);
    CHECK_EQUAL(20, cor_model_curve_hold_out(&curve, 5, &state)); /* they are chosen already */
    for (int i = 0; i < 90; i++)
        points[i].is_held_out = 0;
    CHECK_EQUAL(30, cor_model_curve_hold_out(&curve, 1000, &state)); /* a third at most */
    curve.count = 2;
    points[0].is_held_out = points[1].is_held_out = 0;
    CHECK_EQUAL(0, cor_model_curve_hold_out(&curve, 20, &state));
}

/* ---- mathematics, replacements ----------------------------------------------------------------------------------- */

static double valley(const double *x, const void *context)
{
    (void)context;
    double across = x[1] - x[0] * x[0];
    return 100 * across * across + (1 - x[0]) * (1 - x[0]);
}

static void test_minimize(void)
{
    double x[2] = {-1.2, 1}, steps[2] = {0.1, 0.1};
    CHECK(cor_minimize(valley, NULL, 2, x, steps) < 1e-12);
    check_near("x", 1, x[0], 1e-5);
    check_near("y", 1, x[1], 1e-5);
}

static cor_model line_model(const char *test, double t0, double tb)
{
    cor_model model = {.key = {{"", "corunna", "c", "smdev", "double", "apart"}},
                       .ranks = {2, 8},
                       .rank_count = 2,
                       .bytes_low = 8,
                       .bytes_high = 1 << 20,
                       .fit_count = 1};
    strcpy(model.key.words[COR_MODEL_TEST], test);
    model.fits[0] = (cor_model_fit){.form = &cor_model_form_papers,
                                    .piece_count = 1,
                                    .pieces = {{.laws = {{.constant = t0}, {0}, {.constant = tb}}}}};
    return model;
}

static void test_replace(void)
{
    cor_model models[] = {line_model("allreduce", 30, 0.01), line_model("reduce", 5, 0.008),
                          line_model("bcast", 5, 0.006), line_model("scatter", 2, 0.002),
                          line_model("allgather", 8, 0.004)};
    cor_model_set set = {.models = models, .count = 5};
    cor_model_stretch found[COR_MODEL_STRETCHES];
    const cor_model *parts[] = {cor_model_sibling(&set, &models[0], "reduce"),
                                cor_model_sibling(&set, &models[0], "bcast")};
    CHECK(parts[0] == &models[1] && parts[1] == &models[2] && !cor_model_sibling(&set, &models[0], "gather"));
    const cor_model_equivalence both = {"allreduce", {"reduce", "bcast"}};
    /* 30 + 0.01 n > 10 + 0.014 n below n = 5000. */
    CHECK_EQUAL(1, cor_model_find_stretches(&both, &models[0], parts, 8, found));
    CHECK_EQUAL(8, found[0].from_bytes);
    CHECK_EQUAL(4999, found[0].to_bytes);
    CHECK_EQUAL(8, found[0].best_bytes);
    check_near("gain", 1 - 10.112 / 30.08, found[0].best_gain, 1e-9);
    /* A bcast of n bytes is a scatter and an allgather of n/8: 5 + 0.006 n > 10 + 0.006 n / 8 from n = 952.4 on. */
    const cor_model *blocks[] = {&models[3], &models[4]};
    const cor_model_equivalence van_de_geijn = {"bcast", {"scatter", "allgather"}};
    CHECK_EQUAL(1, cor_model_find_stretches(&van_de_geijn, &models[2], blocks, 8, found));
    CHECK_EQUAL(953, found[0].from_bytes);
    CHECK_EQUAL(1 << 20, found[0].to_bytes);
}

int main(void)
{
    uint64_t seed = unit_seed(), first = seed;
    test_minimize();
    test_papers_send();
    test_papers_collectives();
    test_errors();
    test_hold_out(first);
    test_barrier();
    test_replace();
    test_recovery(&seed);
    test_piecewise(&seed);
    test_collective_recovery(&seed);
    return 0;
}
