/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: UCX and libfabric say that they are of another version. */
#include <stdint.h>

__attribute__((visibility("default"))) const char *ucp_get_version_string(void);
__attribute__((visibility("default"))) uint32_t fi_version(void);

const char *ucp_get_version_string(void)
{
    return "9.99.1";
}

uint32_t fi_version(void)
{
    return 9u << 16 | 99u;
}
