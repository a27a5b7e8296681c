# SPDX-License-Identifier: Apache-2.0
# Plugins (src/xxdev/plugin.h): small shared objects, each built where its library is installed. Without one, its device
# says at run time what is missing.

# ---- mpidev: the same source for each MPI, against that one's own header and library. COR_MPIDEV_LIBRARIES: those
# there are.
find_path(COR_OPENMPI_INCLUDE mpi.h NO_DEFAULT_PATH DOC "The folder with Open MPI's mpi.h"
          PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openmpi/include /usr/include/openmpi-${CMAKE_SYSTEM_PROCESSOR}
                /usr/lib64/openmpi/include)
find_library(COR_OPENMPI_LIBRARY NAMES libmpi.so.40 NO_DEFAULT_PATH DOC "Open MPI's library"
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64/openmpi/lib)
find_path(COR_MPICH_INCLUDE mpi.h NO_DEFAULT_PATH DOC "The folder with MPICH's mpi.h"
          PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich /usr/include/mpich-${CMAKE_SYSTEM_PROCESSOR})
find_library(COR_MPICH_LIBRARY NAMES libmpich.so.12 libmpi.so.12 NO_DEFAULT_PATH DOC "MPICH's library"
             PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64/mpich/lib)

set(COR_MPIDEV_LIBRARIES "")
foreach(name openmpi mpich)
  string(TOUPPER ${name} upper)
  # The sanitizers cannot be in a library that is loaded before the program's own functions (RTLD_DEEPBIND).
  if(NOT COR_${upper}_INCLUDE OR NOT COR_${upper}_LIBRARY OR COR_SANITIZE)
    continue()
  endif()
  add_library(corunna_mpi_${name} MODULE src/xxdev/mpi/mpidev_bridge.c)
  target_include_directories(corunna_mpi_${name} SYSTEM PRIVATE ${COR_${upper}_INCLUDE})
  target_link_libraries(corunna_mpi_${name} PRIVATE ${COR_${upper}_LIBRARY})
  target_link_options(corunna_mpi_${name} PRIVATE -Wl,-z,defs)
  install(TARGETS corunna_mpi_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  list(APPEND COR_MPIDEV_LIBRARIES ${name})
endforeach()

# ---- wires over libraries of fabrics (src/xxdev/soft/fabric), each of which calls this from its own folder ------------
# cor_fabric_bridge(name include libraries...): from the folder's <name>_*.c but the settings, if all of that was found.
function(cor_fabric_bridge name include)
  foreach(path ${include} ${ARGN})
    if(NOT path)
      return()
    endif()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${name}_*.c)
  list(FILTER sources EXCLUDE REGEX "_knobs\\.c$")
  add_library(corunna_${name} MODULE ${sources})
  target_include_directories(corunna_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(corunna_${name} SYSTEM PRIVATE ${include})
  target_link_libraries(corunna_${name} PRIVATE ${ARGN})
  install(TARGETS corunna_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
