// SPDX-License-Identifier: Apache-2.0
// ScanReport: what was found in files, and what becomes of each kernel on each GPU.
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/arch.h"
#include "tilefit/model/facts.h"
#include "tilefit/model/verdict.h"

namespace tilefit {

/// Something in a file that was not read; the rest of it was.
struct ScanNote {
  Bytes at = 0;  // in the file
  std::string what;
  bool damage = true;  // false: sound, but of a kind that is not read
};

struct ScannedFile {
  std::string path;  // "torch.whl:torch/lib/libtorch_cuda.so" for what lies in an archive
  std::string kind;
  int entries = 0;                   // cubins and PTX texts
  std::vector<std::string> targets;  // of all entries, also of PTX that was left packed
  int kernels = 0;                   // distinct symbols
  std::vector<ScanNote> notes;
};

struct ScanGpu {
  std::string name;  // as asked for, or "sm_120"
  const Arch* arch = nullptr;
};

/// What becomes of one kernel on one GPU.
struct KernelVerdict {
  int gpu = 0;  // index into the report's GPUs
  Outcome outcome = Outcome::unknown;
  int image = -1;   // the code that the GPU would run; -1: none
  Bytes needs = 0;  // bytes or registers of one block, whatever the outcome speaks of; 0: unknown
  int blocks_per_sm = 0;  // 0: unknown
  bool known = false;     // hidden by a baseline
};

struct ScannedKernel {
  KernelFacts facts;
  std::vector<KernelVerdict> verdicts;  // one for each GPU
};

struct ScanReport {
  std::vector<ScannedFile> files;
  std::vector<ScanGpu> gpus;
  std::vector<ScannedKernel> kernels;  // by file, in the order of the symbols' first appearance
};

constexpr bool is_finding(Outcome outcome) {
  return outcome != Outcome::fits && outcome != Outcome::unknown;
}

}  // namespace tilefit
