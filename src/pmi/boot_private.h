/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to boot, each in its own file; boot.c chooses. */
#ifndef COR_PMI_BOOT_PRIVATE_H
#define COR_PMI_BOOT_PRIVATE_H

#include "pmi/boot.h"

/* A job of one rank, without a launcher. */
int cor_boot_alone_open(cor_boot **boot_p, cor_fault *fault);

/* A launcher with PMI-1 on the socket `fd`, which stays open after close so that the same process may boot again where
 * the launcher allows it. */
int cor_boot_pmi1_open(int fd, int rank, int size, int timeout_s, const cor_log *log, cor_boot **boot_p,
                       cor_fault *fault);

/* A launcher with PMIx. `rank` is for messages, until PMIx has returned the number. */
int cor_boot_pmix_open(int rank, int timeout_s, const cor_log *log, cor_boot **boot_p, cor_fault *fault);

#endif
