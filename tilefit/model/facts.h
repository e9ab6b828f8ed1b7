// SPDX-License-Identifier: Apache-2.0
// KernelFacts: what a binary says of one kernel, one KernelImage for each code that it holds.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/smem_plan.h"
#include "tilefit/model/verdict.h"

namespace tilefit {

/// What a value of provenance `read` was read from.
enum class ReadFrom : std::uint8_t { none, host_code, name, embedded, sidecar, log };
inline constexpr std::array<std::string_view, 6> kReadFromNames{"",         "host_code", "name",
                                                                "embedded", "sidecar",   "log"};
constexpr std::string_view name(ReadFrom s) { return kReadFromNames[static_cast<std::size_t>(s)]; }

/// Dynamic shared memory that launches of a kernel ask for.
struct DynamicSmem {
  std::vector<Bytes> bytes;  // none: unknown; several: launches or builder versions differ
  Provenance provenance = Provenance::unknown;
  ReadFrom from = ReadFrom::none;
  std::string builder;  // builder version that the bytes hold for; empty if it makes no difference
  std::string why;      // why unknown, or why several
  bool disagrees = false;  // two ways of reading gave different bytes; all are in `bytes`
  bool partial = false;    // some launches ask for what `bytes` names, others could not be followed
  bool no_opt_in = false;  // nothing raises what launches may ask for: no more than 48 KiB in all
  bool operator==(const DynamicSmem&) const = default;
};

/// What code was compiled for: sm 120 with suffix 'a' (this chip only), 'f' (its family) or 0.
struct CodeTarget {
  int sm = 0;
  char suffix = 0;
  auto operator<=>(const CodeTarget&) const = default;
};

enum class CodeKind : std::uint8_t { cubin, ptx };
inline constexpr std::array<std::string_view, 2> kCodeKindNames{"cubin", "ptx"};
constexpr std::string_view name(CodeKind k) { return kCodeKindNames[static_cast<std::size_t>(k)]; }

/// stub: the kernel was compiled for a chip that it was not written for, and its body does nothing
/// but stop.
enum class Body : std::uint8_t { real, stub };
inline constexpr std::array<std::string_view, 2> kBodyNames{"real", "stub"};
constexpr std::string_view name(Body b) { return kBodyNames[static_cast<std::size_t>(b)]; }

using Dim3 = std::array<int, 3>;  // all 0: not stated

struct ConstantBank {
  int bank = 0;
  Bytes bytes = 0;
  bool operator==(const ConstantBank&) const = default;
};

/// One compiled or PTX form of a kernel. Fields that the code does not state are empty: PTX has no
/// registers yet, and only compiler logs name spills.
struct ImageFacts {
  CodeKind code = CodeKind::cubin;
  Body body = Body::real;
  bool is_kernel = true;  // false: a device function that was not inlined
  bool traps = false;     // of a stub: launching it is an error, not just without effect
  std::optional<int> registers, barriers, min_blocks_per_sm;
  std::optional<Bytes> spill_bytes;
  Bytes stack = 0, local = 0, text_bytes = 0;
  Bytes static_smem = 0;    // without what the driver reserves
  Bytes reserved_smem = 0;  // what the file adds to it for the driver: 1024 from sm_90 on
  Dim3 max_threads{}, required_threads{}, cluster{};
  std::optional<Bytes> constant0;            // parameters
  std::vector<ConstantBank> more_constants;  // other banks that are the function's own
  std::optional<Bytes> embedded_smem;        // dynamic bytes that the code itself names
  bool operator==(const ImageFacts&) const = default;
};

struct KernelImage {
  CodeTarget target;
  ImageFacts facts;
  int entry = 0;  // index among the file's images, in file order
};

/// One kernel of one file. `symbol` as the file spells it.
struct KernelFacts {
  std::string symbol;
  std::string short_name;
  std::string_view family;  // of a static table: whose kernel it is; empty where not recognised
  int file = 0;             // index into the scan's files
  std::vector<KernelImage> images;
  DynamicSmem dynamic;
};

/// "sm_120f"; "compute_90" for PTX.
inline std::string text(const CodeTarget& target, CodeKind code = CodeKind::cubin) {
  std::string s = code == CodeKind::ptx ? "compute_" : "sm_";
  s += std::to_string(target.sm);
  if (target.suffix != 0) s += target.suffix;
  return s;
}

}  // namespace tilefit
