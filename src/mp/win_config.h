/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of one-sided communication. */
#ifndef COR_MP_WIN_CONFIG_H
#define COR_MP_WIN_CONFIG_H

#include "base/knob.h"

enum { COR_WIN_PROGRESS_CALLS, COR_WIN_PROGRESS_THREAD };

typedef struct cor_win_config {
    int progress; /* who carries out operations that come as messages: COR_WIN_PROGRESS_... */
} cor_win_config;

extern const cor_knob_table cor_win_knobs;

#endif
