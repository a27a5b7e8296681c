/* The ways to boot, each in its own file; boot.c chooses. */
#ifndef COR_PMI_BOOT_PRIVATE_H
#define COR_PMI_BOOT_PRIVATE_H

#include "pmi/boot.h"

/* A job of one rank that needs nobody. */
int cor_boot_alone_open(cor_boot **boot_p, cor_fault *fault);

/* A launcher that speaks PMI-1 on the socket `fd`, which stays open beyond the boot's close so that the same process
 * may boot again where the launcher allows it. */
int cor_boot_pmi1_open(int fd, int rank, int size, int timeout_s, const cor_log *log, cor_boot **boot_p,
                       cor_fault *fault);

/* A launcher that speaks PMIx. `rank` is for messages, until PMIx itself has said which one this is. */
int cor_boot_pmix_open(int rank, int timeout_s, const cor_log *log, cor_boot **boot_p, cor_fault *fault);

#endif
