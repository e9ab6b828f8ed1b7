# SPDX-License-Identifier: Apache-2.0
# Finds nvcc: on the path, in the usual place, or in .venv (`make kernels`). Sanitized builds and
# builds with another compiler than GCC test the host's half only, unless CUDA is asked for.
if(TILEFIT_CUDA STREQUAL "AUTO")
  set(wanted ON)
  if(TILEFIT_SANITIZE OR TILEFIT_FUZZ OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(wanted OFF)
  endif()
else()
  set(wanted ${TILEFIT_CUDA})
endif()

if(wanted)
  file(GLOB from_pypi ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/bin)
  find_program(TILEFIT_NVCC nvcc HINTS /usr/local/cuda/bin ${from_pypi})
  if(TILEFIT_NVCC)
    set(CMAKE_CUDA_COMPILER ${TILEFIT_NVCC})
    set(CMAKE_CUDA_ARCHITECTURES 90a-real)  # nvcc's own test program; targets set theirs
    enable_language(CUDA)
    # CMake 3.25 does not know how CUDA 13's nvcc is asked for a language level.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
  elseif(NOT TILEFIT_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "TILEFIT_CUDA is ${TILEFIT_CUDA} and there is no nvcc: make kernels, or -DTILEFIT_CUDA=OFF")
  endif()
endif()
