/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all ranks of a job must have in common: the version of Corunna, word size and byte order, and the settings by
 * which they understand each other and choose alike. Ranks that differ would wait for each other for ever, or take one
 * message for another.
 *
 * Each rank tells it ahead of its first address, so that it costs no exchange of its own:
 *
 *     corunna-<version>,<l|b><bytes of a word>,<host>[,<number of a setting>:<digest>]...;<address>
 *
 * Only settings that are not at their default are told; of a file its contents count. A program that has long doubles,
 * as one in C, tells its kind as one of them. Another version need only be able to read up to the host.
 */
#ifndef COR_MP_TERMS_H
#define COR_MP_TERMS_H

#include "mp/config.h"

enum { COR_COMPAT_MAX = 512 };

/* Write them, with the ';' at their end. long_double_bits: of its mantissa; 0: the program has none. COR_ERR_KNOB: the
 * file of rules cannot be read. */
int cor_compat_write(const cor_config *config, const char *host, int long_double_bits, char text[COR_COMPAT_MAX],
                     cor_fault *fault);

/* Where the address behind them begins; the whole text where there are none. */
const char *cor_compat_end(const char *text);

/* Compare every rank's with rank 0's, so that all ranks find the same difference and tell it alike.
 * COR_ERR_UNREACHABLE: the fault names rank and difference. `config` is this rank's own. */
int cor_compat_compare(const char *const *texts, int size, const cor_config *config, cor_fault *fault);

#endif
