# SPDX-License-Identifier: Apache-2.0
# The native library for the other kind of machine that Corunna knows, x86_64 or aarch64: built by a cross compiler, if
# there is one, in a build folder of its own, so that one jar serves both.
#
# COR_OTHER_LIBRARY: the file, or empty. COR_OTHER_COMMANDS: what copies it among the classes when the jar is written.
# COR_JAR_MACHINES, for tests: which machines the jar serves. COR_JAR_SERVES: a sentence that says so, and why not both.
option(COR_JAR_BOTH "corunna.jar carries natives for x86_64 and aarch64, if there is a cross compiler" ON)
set(COR_OTHER_LIBRARY "")
set(COR_OTHER_COMMANDS "")
set(COR_JAR_MACHINES ${CMAKE_SYSTEM_PROCESSOR} CACHE INTERNAL "")
set(COR_JAR_SERVES "corunna.jar serves ${CMAKE_SYSTEM_PROCESSOR} only")
if(NOT COR_JAR_BOTH OR CMAKE_CROSSCOMPILING OR COR_SANITIZE)
  string(APPEND COR_JAR_SERVES ": the build is one for tests, for another machine, or has COR_JAR_BOTH=OFF")
  return()
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(other x86_64)
  set(other_packages "gcc-x86-64-linux-gnu and libc6-dev-amd64-cross")
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(other aarch64)
  set(other_packages "gcc-aarch64-linux-gnu and libc6-dev-arm64-cross")
else()
  string(APPEND COR_JAR_SERVES ": there is no other machine that it could serve")
  return()
endif()

# A compiler without its C library is none.
find_program(COR_OTHER_CC ${other}-linux-gnu-gcc)
find_program(COR_OTHER_STRIP ${other}-linux-gnu-strip)
find_file(COR_OTHER_LIBC libc.so PATHS /usr/${other}-linux-gnu/lib NO_DEFAULT_PATH)
if(NOT COR_OTHER_CC OR NOT COR_OTHER_STRIP OR NOT COR_OTHER_LIBC)
  string(APPEND COR_JAR_SERVES ": there is no cross compiler for ${other} (Debian packages ${other_packages})")
  message(STATUS "${COR_JAR_SERVES}")
  return()
endif()

# The headers of RDMA are the same for both; their folder is full of headers that are not.
set(other_build ${CMAKE_BINARY_DIR}/${other})
set(other_options "")
if(COR_RDMA_INCLUDE)
  set(rdma ${CMAKE_CURRENT_BINARY_DIR}/rdma_headers)
  file(MAKE_DIRECTORY ${rdma})
  foreach(folder rdma infiniband)
    file(CREATE_LINK ${COR_RDMA_INCLUDE}/${folder} ${rdma}/${folder} SYMBOLIC)
  endforeach()
  set(other_options -DCOR_RDMA_INCLUDE=${rdma})
endif()

set(COR_JAR_MACHINES "${CMAKE_SYSTEM_PROCESSOR} ${other}" CACHE INTERNAL "")
set(COR_JAR_SERVES "corunna.jar serves ${CMAKE_SYSTEM_PROCESSOR} and ${other}")
# Whatever makes our own library anew makes this one anew.
set(COR_OTHER_LIBRARY ${other_build}/lib/libcorunna.so)
add_custom_command(
  OUTPUT ${COR_OTHER_LIBRARY}
  COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${PROJECT_SOURCE_DIR} -B ${other_build} --log-level=WARNING
          -DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/${other}-linux-gnu.cmake
          -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}
          -DCOR_WERROR=${COR_WERROR} -DCOR_TESTS=OFF ${other_options}
  COMMAND ${CMAKE_COMMAND} --build ${other_build} --target corunna_jni
  COMMAND ${CMAKE_COMMAND} -E touch ${COR_OTHER_LIBRARY}
  DEPENDS corunna_jni
  COMMENT "Building libcorunna.so for ${other}"
  VERBATIM)
set(other_natives ${COR_CLASSES}/natives/linux-${other})
set(COR_OTHER_COMMANDS
    COMMAND ${CMAKE_COMMAND} -E make_directory ${other_natives}
    COMMAND ${COR_OTHER_STRIP} --strip-debug -o ${other_natives}/libcorunna.so ${COR_OTHER_LIBRARY})
