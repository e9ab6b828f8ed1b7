// SPDX-License-Identifier: Apache-2.0
// From a symbol to what its name says.
#include "tilefit/read/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilefit/plan/layout_named.h"
#include "tilefit/read/demangled.h"
#include "tilefit/read/mangled.h"
#include "tilefit/read/short_name.h"

namespace tilefit {
namespace {

struct NamespaceFamily {
  std::string_view family;
  std::string_view space;  // a namespace around the kernel, or around the type that it carries
};

// Whose kernel it is, by the namespaces in its name.
constexpr std::array kKernelFamilies{
    NamespaceFamily{"cutlass", "cutlass"},
    NamespaceFamily{"machete", "machete"},
    NamespaceFamily{"marlin", "marlin"},
    NamespaceFamily{"marlin", "marlin_moe_wna16"},
    NamespaceFamily{"flash-attention", "flash"},
    NamespaceFamily{"deepgemm", "deep_gemm"},
    NamespaceFamily{"tilefit", "tilefit"},
    NamespaceFamily{"tensorrt-llm", "tensorrt_llm"},
    NamespaceFamily{"flashinfer", "flashinfer"},
    NamespaceFamily{"xformers", "PyTorchMemEffAttention"},
    NamespaceFamily{"cub", "cub"},
    NamespaceFamily{"thrust", "thrust"},
    NamespaceFamily{"torch", "at"},
    NamespaceFamily{"vllm", "vllm"},
};

// Names that are not C++ at all, by how they begin: FlashInfer's prebuilt cubins.
constexpr std::array kPlainFamilies{
    NamespaceFamily{"trtllm-gen", "fmhaSm"},
    NamespaceFamily{"trtllm-gen", "bmm_"},
    NamespaceFamily{"trtllm-gen", "gemm_"},
};

bool is_space(const NamespaceFamily& row, std::string_view part) {
  return part == row.space || (row.space == "flash" && part == "pytorch_flash") ||
         (row.space == "cutlass" && part.starts_with("cutlass_"));
}

std::string_view family_in_scopes(const TypeTree& tree, NodeId id) {
  std::string_view found;
  for (int i = 0; i < 32 && tree.has(id); ++i, id = tree.scope(id)) {
    for (const NamespaceFamily& row : kKernelFamilies) {
      if (is_space(row, tree.last_name(id))) found = row.family;
    }
  }
  return found;
}

// device_kernel<X>, Kernel<X>: CUTLASS launches kernels of others too, so X decides.
std::string_view family_of(const TypeTree& tree, NodeId kernel) {
  NodeId id = kernel;
  std::string_view family;
  for (int i = 0; i < 4 && tree.has(id); ++i) {
    const std::string_view here = family_in_scopes(tree, id);
    if (family == "cutlass" && tree.last_name(id) == "GemmKernel") break;  // a wrapper's GEMM
    if (!here.empty() && (family.empty() || family == "cutlass")) family = here;
    if (!tree.last_name(id).starts_with("enable_") && family != "cutlass") break;
    const std::vector<NodeId> arguments = tree.arguments(id);
    if (arguments.empty()) break;
    id = arguments[0];
  }
  return family;
}

// "Sm90", "sm90_", "sm_100": what code is written for shows in names from sm_90 on.
int arch_in(std::string_view text) {
  for (std::size_t at = 0; at + 3 < text.size(); ++at) {
    if ((text[at] != 'S' && text[at] != 's') || text[at + 1] != 'm') continue;
    if (text[at] == 's' && at > 0 && text[at - 1] >= 'a' && text[at - 1] <= 'z') continue;
    std::size_t digit = at + 2;
    if (text[digit] == '_') ++digit;
    int arch = 0;
    while (digit < text.size() && text[digit] >= '0' && text[digit] <= '9' && arch < 1000) {
      arch = arch * 10 + (text[digit++] - '0');
    }
    if (arch == 90 || (arch >= 100 && arch <= 121)) return arch;
  }
  return 0;
}

int arch_of(const TypeTree& tree, NodeId kernel) {
  NodeId id = kernel;
  for (int i = 0; i < 3 && tree.has(id); ++i) {
    for (NodeId scope = id; tree.has(scope); scope = tree.scope(scope)) {
      const std::string_view part = tree.last_name(scope);
      if (part.starts_with("enable_")) break;  // what it may be compiled for, not what it is for
      if (const int arch = arch_in(part)) return arch;
    }
    const std::string_view name = tree.last_name(id);
    if (name != "device_kernel" && !name.starts_with("enable_")) break;
    const std::vector<NodeId> arguments = tree.arguments(id);
    if (arguments.empty()) break;
    id = arguments[0];
  }
  return 0;
}

DynamicSmem unknown(std::string why) {
  DynamicSmem smem;
  smem.why = std::move(why);
  return smem;
}

void read_tree(const TypeTree& tree, KernelName& out) {
  NodeId kernel = tree.root;
  if (tree[kernel].kind == TypeKind::encoding) kernel = tree.children(kernel)[0];
  out.family = family_of(tree, kernel);
  if (const NodeId gemm = find_gemm_universal(tree, kernel); gemm != kNoNode) {
    out.family = "cutlass";
    out.cutlass = read_cutlass_name(tree, gemm);
    out.arch = out.cutlass->arch;
    out.short_name = short_name(*out.cutlass);
    out.dynamic = named_smem(*out.cutlass);
    return;
  }
  out.arch = arch_of(tree, kernel);
  out.short_name = short_name(tree);
  out.dynamic = unknown(out.family == "cutlass" ? "the name does not spell the kernel's type"
                                                : "no model of this kernel's shared memory");
}

bool is_plain(std::string_view symbol) {
  return !symbol.empty() && std::all_of(symbol.begin(), symbol.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

DynamicSmem named_smem(const CutlassName& name) {
  if (!name.why.empty()) return unknown(name.why);
  const Bytes old_bytes = named_storage(name.gemm, Builder::cutlass_4_2).plan.total;
  const Bytes new_bytes = named_storage(name.gemm, Builder::cutlass_4_5).plan.total;
  if (old_bytes == 0 || new_bytes == 0) return unknown("no storage can be laid out for this type");
  DynamicSmem smem;
  smem.provenance = Provenance::read;
  smem.from = ReadFrom::name;
  if (old_bytes == new_bytes) {
    smem.bytes = {new_bytes};
  } else if (name.arch_tag) {
    smem.bytes = {new_bytes};
    smem.builder = tilefit::name(Builder::cutlass_4_5);
  } else {
    smem.bytes = {old_bytes, new_bytes};
    smem.why = fmt::format("{} B as {} lays it out, {} B as {} does; the name fits both", old_bytes,
                           tilefit::name(Builder::cutlass_4_2), new_bytes,
                           tilefit::name(Builder::cutlass_4_5));
  }
  return smem;
}

KernelName read_kernel_name(std::string_view symbol) {
  KernelName out;
  const Result<TypeTree> tree =
      is_mangled(symbol) ? parse_mangled(symbol) : parse_demangled(symbol);
  if (tree) {
    read_tree(*tree, out);
  } else {
    out.readable = false;
    out.short_name = printable(symbol.substr(0, kShortNameBytes));
    out.dynamic = unknown(printable(tree.error().what));
  }
  if (is_plain(symbol)) {
    for (const NamespaceFamily& row : kPlainFamilies) {
      if (symbol.starts_with(row.space)) out.family = row.family;
    }
  }
  return out;
}

}  // namespace tilefit
