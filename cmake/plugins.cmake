# SPDX-License-Identifier: Apache-2.0
# Plugins (src/xxdev/plugin.h): small shared objects, each built where its library is installed. Without one, its device
# says at run time what is missing.

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
