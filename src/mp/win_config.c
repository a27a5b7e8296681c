/* SPDX-License-Identifier: Apache-2.0 */
#include "mp/win_config.h"

#include <stddef.h>

static const cor_knob win_rows[] = {
    {"win.progress", COR_KNOB_CHOICE, offsetof(cor_win_config, progress), "calls", "calls|thread", 0, 0,
     "who carries out one-sided operations that reach this rank as messages: its calls of the library, or a thread of "
     "each window, which also serves a program that computes for long; it costs a lock in every call, and matters "
     "only "
     "between hosts and for accumulating into memory of the program (the log says which way each target is reached)"},
};

const cor_knob_table cor_win_knobs = {win_rows, sizeof win_rows / sizeof *win_rows};
