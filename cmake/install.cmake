# SPDX-License-Identifier: Apache-2.0
# What is installed beside the programs, libraries and headers that their own folders install: the package files by
# which CMake and pkg-config find us, the pages and the licence. All of them find their place at run time, so the
# installation may be moved.
include(CMakePackageConfigHelpers)

set(COR_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/corunna)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/corunna-config.cmake.in
                              ${PROJECT_BINARY_DIR}/cmake/corunna-config.cmake INSTALL_DESTINATION ${COR_CMAKE_DIR}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR
                                        CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/corunna-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/corunna-config.cmake
              ${PROJECT_BINARY_DIR}/cmake/corunna-config-version.cmake DESTINATION ${COR_CMAKE_DIR})

# mpi.pc, which the C face installs, is for programs that want any MPI; corunna.pc for those that want this one.
file(RELATIVE_PATH COR_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/corunna.pc.in ${PROJECT_BINARY_DIR}/cmake/corunna.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/corunna.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# README.md and what it links to, as they lie in the source tree. docs/man is installed where man looks.
foreach(page README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN man EXCLUDE PATTERN target EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/results DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
