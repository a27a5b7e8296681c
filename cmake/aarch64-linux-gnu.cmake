# SPDX-License-Identifier: Apache-2.0
# Build on another machine for Linux on aarch64, with Debian's cross compiler (gcc-aarch64-linux-gnu):
#
#   cmake -G Ninja -B build-aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
