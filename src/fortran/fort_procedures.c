/* SPDX-License-Identifier: Apache-2.0 */
/* All procedures of Fortran. The build compiles this file twice, the second time with FORT_IS_PMPI. */
#include "fort.h"

/* Nothing declares them for C: their interfaces are in the modules. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* clang-format off: arguments in one line */
#include "fort_entries.inc"
/* clang-format on */
#include "fort_by_hand.inc"
