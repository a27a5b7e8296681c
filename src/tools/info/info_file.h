/* SPDX-License-Identifier: Apache-2.0 */
/* `corunna info --file`: where a file is, and how parallel accesses to it would be carried out. */
#ifndef COR_TOOLS_INFO_FILE_H
#define COR_TOOLS_INFO_FILE_H

/* 0 members: some usual numbers of them. Returns the exit status. */
int cor_info_file(const char *path, int members);

#endif
