# SPDX-License-Identifier: Apache-2.0
# corunna.jar as Maven and IDEs want it, with sources, pages of the API and a POM. The target `maven`, which is no part
# of the default build, lays them out as a repository in ${CMAKE_BINARY_DIR}/maven, and says which machines the jar
# serves; `make maven` copies that to the user's.
if(NOT COR_JAVADOC)
  add_custom_target(maven COMMAND ${CMAKE_COMMAND} -E echo "maven: there is no javadoc beside ${Java_JAVAC_EXECUTABLE}"
                          COMMAND ${CMAKE_COMMAND} -E false)
  return()
endif()

set(COR_MAVEN ${CMAKE_BINARY_DIR}/maven)
set(maven_folder ${COR_MAVEN}/corunna/corunna/${PROJECT_VERSION})
set(maven_name ${maven_folder}/corunna-${PROJECT_VERSION})
set(COR_SOURCES_JAR ${CMAKE_BINARY_DIR}/lib/corunna-sources.jar)
set(COR_JAVADOC_JAR ${CMAKE_BINARY_DIR}/lib/corunna-javadoc.jar)
configure_file(corunna.pom.in corunna.pom @ONLY)
add_custom_target(maven
  COMMAND cd ${CMAKE_CURRENT_SOURCE_DIR} && find mpi mpjbuf mpjdev corunna -name "*.java" | LC_ALL=C sort >
          ${CMAKE_CURRENT_BINARY_DIR}/source_entries
  COMMAND cd ${CMAKE_CURRENT_SOURCE_DIR} && ${Java_JAR_EXECUTABLE} --create --file ${COR_SOURCES_JAR} ${COR_JAR_DATE}
          @${CMAKE_CURRENT_BINARY_DIR}/source_entries
  COMMAND cd ${COR_TABLE_OUT} && find mpi corunna -name "*.java" | LC_ALL=C sort >
          ${CMAKE_CURRENT_BINARY_DIR}/table_entries
  COMMAND cd ${COR_TABLE_OUT} && ${Java_JAR_EXECUTABLE} --update --file ${COR_SOURCES_JAR} ${COR_JAR_DATE}
          @${CMAKE_CURRENT_BINARY_DIR}/table_entries
  COMMAND cd ${CMAKE_BINARY_DIR}/javadoc && find . -type f | LC_ALL=C sort > ${CMAKE_CURRENT_BINARY_DIR}/page_entries
  COMMAND cd ${CMAKE_BINARY_DIR}/javadoc && ${Java_JAR_EXECUTABLE} --create --file ${COR_JAVADOC_JAR} ${COR_JAR_DATE}
          @${CMAKE_CURRENT_BINARY_DIR}/page_entries
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${COR_MAVEN}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${maven_folder}
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/corunna.pom ${maven_name}.pom
  COMMAND ${CMAKE_COMMAND} -E copy ${COR_JAR} ${maven_name}.jar
  COMMAND ${CMAKE_COMMAND} -E copy ${COR_SOURCES_JAR} ${maven_name}-sources.jar
  COMMAND ${CMAKE_COMMAND} -E copy ${COR_JAVADOC_JAR} ${maven_name}-javadoc.jar
  COMMAND ${CMAKE_COMMAND} -E echo "${COR_JAR_SERVES}"
  DEPENDS jar javadoc
  COMMENT "Laying out corunna.jar for Maven"
  VERBATIM)
