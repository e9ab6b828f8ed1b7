# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the program, the C++ library with one public header, the C
# library, their CMake package and pkg-config files. `make package` packs the same.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(tilefit_c SHARED tilefit/tilefit_c.cpp)
target_link_libraries(tilefit_c PRIVATE tilefit_plan tilefit_model tilefit_warnings)
target_link_options(tilefit_c PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/tilefit_c.map)  # only the C functions are visible
set_target_properties(tilefit_c PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/tilefit_c.map)
set_target_properties(tilefit_c PROPERTIES
  OUTPUT_NAME tilefit VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

if(TARGET tilefit)
  install(TARGETS tilefit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS tilefit_c LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tilefit_model tilefit_plan ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES tilefit/tilefit.h tilefit/tilefit_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilefit)
foreach(room model plan)
  install(DIRECTORY tilefit/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilefit
          FILES_MATCHING PATTERN "*.h")
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilefit)
configure_package_config_file(cmake/tilefitConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tilefitConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilefitConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilefitConfig.cmake
              ${PROJECT_BINARY_DIR}/tilefitConfigVersion.cmake DESTINATION ${package_dir})
configure_file(cmake/tilefit.pc.in ${PROJECT_BINARY_DIR}/tilefit.pc @ONLY)
configure_file(cmake/tilefit-c.pc.in ${PROJECT_BINARY_DIR}/tilefit-c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tilefit.pc ${PROJECT_BINARY_DIR}/tilefit-c.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CONTACT "the tilefit maintainers <tilefit@example.org>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
