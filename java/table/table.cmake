# SPDX-License-Identifier: Apache-2.0
# The sources that are made from the tables of this folder; see README.md. The target `table_sources` makes them.
#
# COR_TABLE_OUT: the folder they are in, with headers for src/jni in `headers`. COR_TABLE_SOURCES: those in Java.
set(COR_TABLE_OUT ${CMAKE_BINARY_DIR}/java/table)
set(COR_TABLE_SOURCES "")
set(table_generator ${CMAKE_BINARY_DIR}/java/generator)
file(GLOB table_generator_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/generator/*.java)
file(GLOB table_api CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.api)
file(GLOB table_natives CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.natives)
set(table_headers "")
foreach(table ${table_api})
  get_filename_component(name ${table} NAME_WE)
  list(APPEND COR_TABLE_SOURCES ${COR_TABLE_OUT}/mpi/${name}.java)
endforeach()
foreach(table ${table_natives})
  get_filename_component(name ${table} NAME_WE)
  string(TOLOWER ${name} header)
  list(APPEND COR_TABLE_SOURCES ${COR_TABLE_OUT}/corunna/engine/${name}.java)
  list(APPEND table_headers ${COR_TABLE_OUT}/headers/jni_${header}_list.h)
endforeach()
add_custom_command(
  OUTPUT ${COR_TABLE_SOURCES} ${table_headers}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${table_generator}
  COMMAND ${Java_JAVAC_EXECUTABLE} --release 11 -encoding UTF-8 -Xlint:all -Werror -d ${table_generator}
          ${table_generator_sources}
  COMMAND ${Java_JAVA_EXECUTABLE} -cp ${table_generator} table.Generate ${CMAKE_CURRENT_LIST_DIR}/kinds.txt
          ${COR_TABLE_OUT} ${table_api} ${table_natives}
  DEPENDS ${table_generator_sources} ${table_api} ${table_natives} ${CMAKE_CURRENT_LIST_DIR}/kinds.txt
  COMMENT "Writing the sources of java/table"
  VERBATIM)
add_custom_target(table_sources DEPENDS ${COR_TABLE_SOURCES} ${table_headers})
