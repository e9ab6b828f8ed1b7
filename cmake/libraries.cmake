# SPDX-License-Identifier: Apache-2.0
# Other people's libraries, all from the system's packages (tools/setup_debian.sh). Imported
# targets are SYSTEM, so our warning flags do not reach their headers.
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)

# Those without a usable CMake package come by pkg-config, once the room that reads binaries is
# there: PkgConfig::zstd, PkgConfig::lz4, PkgConfig::libzip, PkgConfig::capstone.
if(EXISTS ${PROJECT_SOURCE_DIR}/tilefit/read/CMakeLists.txt)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
  pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
  pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
  pkg_check_modules(capstone REQUIRED IMPORTED_TARGET capstone)
endif()

# Matching in time linear in the text, for the room that reads logs; zstd for compressed ones.
if(EXISTS ${PROJECT_SOURCE_DIR}/tilefit/doctor/CMakeLists.txt)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
  if(NOT TARGET PkgConfig::zstd)
    pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
  endif()
endif()
