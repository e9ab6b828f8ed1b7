# SPDX-License-Identifier: Apache-2.0
# What a room, a test, a fuzz target and a benchmark are. Each is one call with a list of files.

set(TILEFIT_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 calls pointers to constexpr objects no constants under these; ASan sees null as well.
  list(APPEND TILEFIT_SANITIZE_FLAGS -fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute)
endif()

if(TILEFIT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "TILEFIT_FUZZ needs clang: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TILEFIT_SANITIZE OR TILEFIT_FUZZ)
  add_compile_options(${TILEFIT_SANITIZE_FLAGS})
  add_link_options(${TILEFIT_SANITIZE_FLAGS})
endif()

# Rooms that clang-tidy reads as they are built; the others are compiled by clang alone until their
# findings are mended.
set(TILEFIT_TIDY_ROOMS model)

# Linked PRIVATE by everything we own, so that nobody who links us inherits our warnings.
add_library(tilefit_warnings INTERFACE)
target_compile_options(tilefit_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Werror>
  # GCC 12 at -O3 sees overlaps in "a" + std::string that are not there (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)

# tilefit_room(plan FILES judge.cpp NEEDS model LIBRARIES fmt::fmt)
# The library tilefit_<room>; without .cpp files it is headers only. Every room also has the twin
# tilefit_<room>_asan (built on demand) for the corpora, so that one tree tests both.
# NEEDS names rooms (those that are not there yet are left out).
function(tilefit_room room)
  cmake_parse_arguments(ARG "" "" "FILES;NEEDS;LIBRARIES" ${ARGN})
  tilefit_room_library(tilefit_${room} "" ${ARGN})
  if(ARG_FILES)
    target_link_libraries(tilefit_${room} PRIVATE $<BUILD_INTERFACE:tilefit_warnings>)
    if(room IN_LIST TILEFIT_TIDY_ROOMS)
      tilefit_tidy(tilefit_${room})
    endif()
  endif()
  add_library(tilefit::${room} ALIAS tilefit_${room})
  if(TILEFIT_SANITIZE OR TILEFIT_FUZZ OR TILEFIT_TIDY OR NOT ARG_FILES)  # no twin needed
    add_library(tilefit_${room}_asan INTERFACE)
    target_link_libraries(tilefit_${room}_asan INTERFACE tilefit_${room})
  else()
    tilefit_room_library(tilefit_${room}_asan _asan ${ARGN})
    target_compile_options(tilefit_${room}_asan PUBLIC ${TILEFIT_SANITIZE_FLAGS} -g1)
    target_link_options(tilefit_${room}_asan PUBLIC ${TILEFIT_SANITIZE_FLAGS})
    set_target_properties(tilefit_${room}_asan PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

function(tilefit_tidy target)
  if(TILEFIT_TIDY)
    find_program(TILEFIT_CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
    set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "${TILEFIT_CLANG_TIDY};--quiet")
  endif()
endfunction()

function(tilefit_room_library name suffix)
  cmake_parse_arguments(ARG "" "" "FILES;NEEDS;LIBRARIES" ${ARGN})
  if(ARG_FILES)
    add_library(${name} STATIC ${ARG_FILES})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} ${scope} ${ARG_LIBRARIES})
  foreach(need IN LISTS ARG_NEEDS)
    if(TARGET tilefit_${need}${suffix})
      target_link_libraries(${name} ${scope} tilefit_${need}${suffix})
    endif()
  endforeach()
endfunction()

# tilefit_tests(plan FILES judge_test.cpp [NEEDS report] [LABELS gpu])
# The GoogleTest program <room>_test; each TEST is one ctest, named <room>.<Suite>.<name>.
# TILEFIT_TESTS_DIR holds the folder tests/ for data files.
function(tilefit_tests room)
  cmake_parse_arguments(ARG "" "" "FILES;NEEDS;LABELS;LIBRARIES" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${room}_test ${ARG_FILES})
  target_compile_definitions(${room}_test PRIVATE TILEFIT_TESTS_DIR="${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${room}_test PRIVATE tilefit_warnings GTest::gmock_main ${ARG_LIBRARIES})
  foreach(need IN ITEMS ${room} LISTS ARG_NEEDS)
    if(TARGET tilefit_${need})
      target_link_libraries(${room}_test PRIVATE tilefit_${need})
    endif()
  endforeach()
  gtest_discover_tests(${room}_test TEST_PREFIX "${room}." PROPERTIES LABELS "${ARG_LABELS}"
                       DISCOVERY_TIMEOUT 60)
endfunction()

# tilefit_fuzz(csv NEEDS plan)
# tests/fuzz/csv_fuzz.cpp defines LLVMFuzzerTestOneInput. Built twice: with replay_main.cpp, as the
# ctest corpus.csv over tests/fuzz/corpus/csv under ASan + UBSan; and, in preset fuzz, as csv_fuzz.
function(tilefit_fuzz name)
  cmake_parse_arguments(ARG "" "" "NEEDS" ${ARGN})
  list(TRANSFORM ARG_NEEDS REPLACE "(.+)" "tilefit_\\1_asan" OUTPUT_VARIABLE rooms)
  set(program ${name}_replay)
  add_executable(${program} ${name}_fuzz.cpp replay_main.cpp)
  target_link_libraries(${program} PRIVATE ${rooms} tilefit_warnings)
  target_compile_options(${program} PRIVATE ${TILEFIT_SANITIZE_FLAGS})
  target_link_options(${program} PRIVATE ${TILEFIT_SANITIZE_FLAGS})
  add_test(NAME corpus.${name} COMMAND ${program} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  set_tests_properties(corpus.${name} PROPERTIES LABELS corpus TIMEOUT 300)
  if(TILEFIT_FUZZ)
    add_executable(${name}_fuzz ${name}_fuzz.cpp)
    add_dependencies(fuzzers ${name}_fuzz)
    target_link_libraries(${name}_fuzz PRIVATE ${rooms} tilefit_warnings)
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

# tilefit_benchmark(plan NEEDS plan): benchmarks/plan_bench.cpp, run by `make bench`.
function(tilefit_benchmark name)
  cmake_parse_arguments(ARG "" "" "NEEDS" ${ARGN})
  list(TRANSFORM ARG_NEEDS PREPEND tilefit_ OUTPUT_VARIABLE rooms)
  add_executable(${name}_bench ${name}_bench.cpp)
  target_link_libraries(${name}_bench PRIVATE ${rooms} tilefit_warnings benchmark::benchmark_main)
  set_property(GLOBAL APPEND PROPERTY TILEFIT_BENCHES ${name}_bench)
endfunction()
