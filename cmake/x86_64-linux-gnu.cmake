# SPDX-License-Identifier: Apache-2.0
# Build on another machine for Linux on x86_64, with Debian's cross compiler (gcc-x86-64-linux-gnu):
#
#   cmake -G Ninja -B build-x86_64 -DCMAKE_TOOLCHAIN_FILE=cmake/x86_64-linux-gnu.cmake
set(CMAKE_SYSTEM_PROCESSOR x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
