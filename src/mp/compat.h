/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all ranks of a job must have in common: the version of Corunna, word size and byte order, and the settings that
 * the protocols and the choice of algorithms depend on. Ranks that differ would wait for each other for ever, or take
 * one message for another.
 *
 * Each rank publishes this in front of its first address, which saves a separate exchange:
 *
 *     corunna-<version>,<l|b><bytes of a word>,<host>[,<number of a setting>:<digest>]...;<address>
 *
 * Only settings that differ from their default are published; a file is compared by its contents. A program that has
 * long doubles, as one in C has, publishes their kind as one more setting. Another version must only be able to read
 * the text up to the host.
 */
#ifndef COR_MP_TERMS_H
#define COR_MP_TERMS_H

#include "mp/config.h"

enum { COR_COMPAT_MAX = 512, COR_COMPAT_HOST_MAX = 40 };

/* Write this text, with the ';' at its end. long_double_bits: bits of the mantissa; 0: the program has no long double.
 * COR_ERR_KNOB: the file of rules cannot be read. */
int cor_compat_write(const cor_config *config, const char *host, int long_double_bits, char text[COR_COMPAT_MAX],
                     cor_fault *fault);

/* Must the setting of this name be the same on all ranks? */
int cor_compat_is_common(const char *name);

/* Where the address behind this text begins; `text` itself if there is only an address. */
const char *cor_compat_end(const char *text);

/* Copy the name of the host, as it was written; 0: the text has none. */
int cor_compat_host(const char *text, char host[COR_COMPAT_HOST_MAX]);

/* Compare every rank's text with rank 0's, so that all ranks find and report the same difference. COR_ERR_UNREACHABLE:
 * the fault names rank and difference. `config` is this rank's own. */
int cor_compat_compare(const char *const *texts, int size, const cor_config *config, cor_fault *fault);

#endif
