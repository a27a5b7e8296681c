# SPDX-License-Identifier: Apache-2.0
# Plugins (src/xxdev/plugin.h): small shared objects, each built where its library is installed. Without one, its device
# says at run time what is missing.

# ---- mpidev: the same source for each MPI, against that one's own header and library. COR_MPIDEV_LIBRARIES: those there
# are.
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

# ---- ucxdev and ofidev -----------------------------------------------------------------------------------------------
find_path(COR_UCX_INCLUDE ucp/api/ucp.h DOC "The folder with ucp/api/ucp.h")
find_library(COR_UCX_LIBRARY NAMES ucp DOC "UCX's library libucp")
find_library(COR_UCS_LIBRARY NAMES ucs DOC "UCX's library libucs")
find_path(COR_OFI_INCLUDE rdma/fi_tagged.h DOC "The folder with rdma/fi_tagged.h")
find_library(COR_OFI_LIBRARY NAMES fabric DOC "libfabric")

# cor_tagged_plugin(name include libraries...): from src/xxdev/tagged/<name>_*.c, if all of that was found.
function(cor_tagged_plugin name include)
  foreach(path ${include} ${ARGN})
    if(NOT path)
      return()
    endif()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS src/xxdev/tagged/${name}_*.c)
  add_library(corunna_${name} MODULE ${sources})
  target_include_directories(corunna_${name} PRIVATE src)
  target_include_directories(corunna_${name} SYSTEM PRIVATE ${include})
  target_link_libraries(corunna_${name} PRIVATE ${ARGN})
  install(TARGETS corunna_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

cor_tagged_plugin(ucx ${COR_UCX_INCLUDE} ${COR_UCX_LIBRARY} ${COR_UCS_LIBRARY})
cor_tagged_plugin(ofi ${COR_OFI_INCLUDE} ${COR_OFI_LIBRARY})
