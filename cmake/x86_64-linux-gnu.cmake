# Build on another machine for Linux on x86_64, with Debian's cross compiler (gcc-x86-64-linux-gnu):
#
#   cmake -G Ninja -B build-x86_64 -DCMAKE_TOOLCHAIN_FILE=cmake/x86_64-linux-gnu.cmake
#
# The programs and the Java compiler that the build itself runs are those of this machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
