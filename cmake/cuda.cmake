# SPDX-License-Identifier: Apache-2.0
# CUDA only for tilefit/kernels, only where nvcc is. Sets TILEFIT_HAS_CUDA; all else builds without.
set(TILEFIT_HAS_CUDA OFF)
if(TILEFIT_CUDA STREQUAL OFF OR NOT EXISTS ${PROJECT_SOURCE_DIR}/tilefit/kernels/CMakeLists.txt)
  return()
endif()
find_program(TILEFIT_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATH_SUFFIXES bin
             PATHS /usr/local/cuda/bin)
if(TILEFIT_NVCC)
  set(CMAKE_CUDA_COMPILER ${TILEFIT_NVCC} CACHE FILEPATH "nvcc")
  set(CMAKE_CUDA_ARCHITECTURES OFF)  # each tilefit_kernels() names its own
  enable_language(CUDA)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")  # CMake 3.25 knows nvcc up to C++17
  set(CMAKE_CUDA_STANDARD 20)
  find_package(CUDAToolkit REQUIRED)
  set(TILEFIT_HAS_CUDA ON)
elseif(TILEFIT_CUDA STREQUAL ON)
  message(FATAL_ERROR "TILEFIT_CUDA is ON and nvcc is nowhere: set TILEFIT_NVCC, or drop the option")
else()
  message(STATUS "no nvcc: the kernels are left out, everything else is built")
endif()

# tilefit_kernels(sm90 ARCHITECTURE 90a-real FILES moe_sm90.cu)
# One OBJECT library per architecture, since CUDA_ARCHITECTURES belongs to a target, not to a file.
function(tilefit_kernels name)
  cmake_parse_arguments(ARG "" "ARCHITECTURE" "FILES" ${ARGN})
  add_library(tilefit_kernels_${name} OBJECT ${ARG_FILES})
  set_target_properties(tilefit_kernels_${name} PROPERTIES CUDA_ARCHITECTURES ${ARG_ARCHITECTURE})
  target_link_libraries(tilefit_kernels_${name} PRIVATE tilefit_model tilefit_plan CUDA::cudart_static)
endfunction()
