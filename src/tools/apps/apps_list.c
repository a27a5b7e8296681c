/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/apps/apps.h"

#include <string.h>
#include <strings.h>

const apps_app apps_apps[] = {
    {"cg", "npb.CG", "npb_cg", "cg.c cg_*.c npb.c", "npb", "SWABC", "W", 2, APPS_RANKS_POWER,
     "NPB: eigenvalue of a sparse matrix; vectors between pairs"},
    {"dt", "npb.DT", "npb_dt", "dt.c dt_*.c npb.c", "npb", "SWABC", "S", 12, APPS_RANKS_TWELVE,
     "NPB: a graph of tasks (BH, WH or SH after the name); arrays along its edges"},
    {"ep", "npb.EP", "npb_ep", "ep.c npb.c", "npb", "SWABC", "S", 2, APPS_RANKS_ANY,
     "NPB: random deviates, counted; hardly any messages"},
    {"ft", "npb.FT", "npb_ft", "ft.c ft_*.c fft.c npb.c", "npb", "SWABC", "W", 2, APPS_RANKS_POWER,
     "NPB: 3-D Fourier transforms; all-to-all of all data"},
    {"is", "npb.IS", "npb_is", "is.c npb.c", "npb", "SWABC", "W", 2, APPS_RANKS_POWER,
     "NPB: sort of integers; all-to-all of all keys"},
    {"mg", "npb.MG", "npb_mg", "mg.c mg_*.c npb.c", "npb", "SWABC", "W", 2, APPS_RANKS_POWER,
     "NPB: multigrid; halos, from large to tiny"},
    {"sp", "npb.SP", "npb_sp", "sp.c flow*.c npb.c", "npb", "SWABC", "S", 4, APPS_RANKS_SQUARE,
     "NPB: flow, lines of five diagonals; halos and sweeps"},
    {"bt", "npb.BT", "npb_bt", "bt.c flow*.c npb.c", "npb", "SWABC", "S", 4, APPS_RANKS_SQUARE,
     "NPB: flow, lines of blocks; halos and sweeps"},
    {"lu", "npb.LU", "npb_lu", "lu.c lu_*.c flow*.c npb.c", "npb", "SWABC", "S", 2, APPS_RANKS_POWER,
     "NPB: flow, over-relaxation; a wave of small messages"},
    {"fdtd", "fdtd.Fdtd", "fdtd", "fdtd*.c ../../common/c/app_*.c", "fdtd", "SWABC", "W", 2, APPS_RANKS_ANY,
     "waves in a box, drawn with -- --animation FILE; halos, with derived types"},
    {"series", "grande.Series", NULL, NULL, "grande", "ABC", "A", 2, APPS_RANKS_ANY,
     "Grande: Fourier coefficients; one gather"},
    {"lufact", "grande.LUFact", NULL, NULL, "grande", "ABC", "A", 2, APPS_RANKS_ANY,
     "Grande: a dense system; a broadcast for each column"},
    {"crypt", "grande.Crypt", NULL, NULL, "grande", "ABC", "A", 2, APPS_RANKS_ANY, "Grande: IDEA; scatter and gather"},
    {"sor", "grande.SOR", NULL, NULL, "grande", "ABC", "A", 2, APPS_RANKS_ANY,
     "Grande: over-relaxation; rows to both neighbours"},
    {"sparse", "grande.SparseMatmult", NULL, NULL, "grande", "ABC", "A", 2, APPS_RANKS_ANY,
     "Grande: sparse products; all-reduce of a vector"},
    {"moldyn", "grande.MolDyn", NULL, NULL, "grande", "AB", "A", 2, APPS_RANKS_ANY,
     "Grande: argon atoms; all-reduce of all forces"},
    {"montecarlo", "grande.MonteCarlo", NULL, NULL, "grande", "AB", "A", 2, APPS_RANKS_ANY,
     "Grande: paths of a share; one gather"},
    {"raytracer", "grande.RayTracer", NULL, NULL, "grande", "AB", "A", 2, APPS_RANKS_ANY,
     "Grande: a picture of spheres; one gather"},
    {"section1", "grande.Section1", NULL, NULL, "grande", "ABC", "A", 2, APPS_RANKS_TWO,
     "Grande: transfers (pingpong, barrier, bcast, gather, scatter, reduce, alltoall: some, or all)"},
    {"nbody", "nbody.NBody", "nbody", "nbody*.c ../../common/c/app_*.c", "nbody", "SWABC", "S", 2, APPS_RANKS_ANY,
     "two galaxies meet, drawn with -- --animation FILE; all-to-all of bodies and of parts of the tree"},
};

const int apps_app_count = sizeof apps_apps / sizeof apps_apps[0];

const apps_app *apps_app_find(const char *name)
{
    for (int i = 0; i < apps_app_count; i++)
        if (strcasecmp(apps_apps[i].name, name) == 0)
            return &apps_apps[i];
    return NULL;
}

int apps_app_takes(const apps_app *app, int ranks)
{
    int side = 1;
    switch (app->ranks_are) {
    case APPS_RANKS_POWER:
        return (ranks & (ranks - 1)) == 0;
    case APPS_RANKS_SQUARE:
        while (side * side < ranks)
            side++;
        return side * side == ranks;
    case APPS_RANKS_TWO:
        return ranks >= 2;
    case APPS_RANKS_TWELVE:
        return ranks >= 12;
    default:
        return 1;
    }
}

const char *apps_ranks_text(apps_ranks ranks)
{
    static const char *const texts[] = {"any", "a power of two", "a square", "2 or more",
                                        "12 or more; class S with BH or WH 5"};
    return texts[ranks];
}
