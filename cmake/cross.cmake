# SPDX-License-Identifier: Apache-2.0
# Included by the toolchain files, which name the machine: Debian's cross compiler for it, and its emulator, under which
# tests run. The programs and the Java compiler that the build itself runs are those of this machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH /usr/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(COR_EMULATOR NAMES qemu-${CMAKE_SYSTEM_PROCESSOR}-static qemu-${CMAKE_SYSTEM_PROCESSOR})
if(COR_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${COR_EMULATOR} -L ${CMAKE_FIND_ROOT_PATH})
endif()
