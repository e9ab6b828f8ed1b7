// SPDX-License-Identifier: Apache-2.0
// From a GemmUniversal type to a NamedGemm. Positions of template arguments are those of CUTLASS
// 3.x and 4.x: gemm/collective/collective_mma_decl.hpp, epilogue/collective/collective_epilogue.hpp
// and the partial specialisations that the dispatch policies select.
#include "tilefit/read/cutlass_name.h"

#include <algorithm>
#include <vector>

#include "tilefit/read/cute_types.h"
#include "tilefit/read/fusion_storage.h"

namespace tilefit {
namespace {

constexpr std::size_t kCollectiveMmaArguments = 15, kCollectiveEpilogueArguments = 16;
constexpr int kMaxWrappers = 8;

struct Schedules {
  std::string_view tag;
  NamedScheduler scheduler;
};

constexpr std::array kSchedulers{
    Schedules{"void", NamedScheduler::automatic},
    Schedules{"PersistentScheduler", NamedScheduler::persistent},
    Schedules{"StaticPersistentScheduler", NamedScheduler::static_persistent},
    Schedules{"StreamKScheduler", NamedScheduler::stream_k},
};

class Reader {
 public:
  Reader(const TypeTree& tree, CutlassName& out) : tree_(tree), out_(out), gemm_(out.gemm) {}
  void read(NodeId gemm_universal);

 private:
  using Nodes = std::vector<NodeId>;

  void mainloop_policy(NodeId policy);
  void mainloop(const Nodes& a);
  void operand(NamedOperand& operand, NodeId element, NodeId atom);
  void block_scales(NodeId strides);
  void blockwise_scales(NodeId strides_a, NodeId strides_b);
  void mixed_scales(NodeId elements);
  void epilogue_policy(NodeId policy);
  void epilogue(const Nodes& e);
  void scheduler(NodeId tag);
  NodeId first_of_tuple(NodeId id) const;
  NodeId second_of_tuple(NodeId id) const;
  void fail(std::string why) {
    if (out_.why.empty()) out_.why = std::move(why);
  }

  const TypeTree& tree_;
  CutlassName& out_;
  NamedGemm& gemm_;
};

int arch_of(std::string_view policy) {
  const std::size_t at = policy.find("Sm");
  int arch = 0;
  if (at == std::string_view::npos) return 0;
  for (const char c : policy.substr(at + 2)) {
    if (c < '0' || c > '9' || arch > 999) break;
    arch = arch * 10 + (c - '0');
  }
  return arch;
}

NodeId Reader::first_of_tuple(NodeId id) const {
  if (tree_.last_name(id) != "tuple") return id;
  const Nodes parts = tree_.arguments(id);
  return parts.empty() ? id : parts[0];
}

NodeId Reader::second_of_tuple(NodeId id) const {
  const Nodes parts = tree_.last_name(id) == "tuple" ? tree_.arguments(id) : Nodes{};
  return parts.size() < 2 ? kNoNode : parts[1];
}

// <stages [, scheduler stages [, accumulator stages]], cluster [, schedule] [, architecture]>
void Reader::mainloop_policy(NodeId policy) {
  out_.mainloop_policy = tree_.last_name(policy);
  out_.arch = arch_of(out_.mainloop_policy);
  for (const NamedMainloop& row : kNamedMainloops) {
    if (row.policy == out_.mainloop_policy) gemm_.mainloop = &row;
  }
  std::vector<int> numbers;
  for (const NodeId argument : tree_.arguments(policy)) {
    const std::string_view name = tree_.last_name(argument);
    if (const auto value = tree_.integer(argument)) {
      numbers.push_back(static_cast<int>(std::clamp<std::int64_t>(*value, -1, 1 << 20)));
    } else if (name == "tuple") {
      const Nodes sides = tree_.arguments(argument);
      int* const cluster[] = {&gemm_.cluster.m, &gemm_.cluster.n, &gemm_.cluster.k};
      for (std::size_t i = 0; i < 3 && i < sides.size(); ++i) {
        const auto side = cute_constant(tree_, sides[i]);
        *cluster[i] = side.value_or(0);
        if (!side) gemm_.cluster.dynamic = true;
      }
    } else if (name.starts_with("Kernel")) {
      out_.schedule = name;
    } else if (arch_of(name) > 0) {
      out_.arch_tag = true;
    }
  }
  if (numbers.empty()) return fail("no stages in " + std::string(out_.mainloop_policy));
  gemm_.stages = numbers[0];
  if (numbers.size() > 1) gemm_.scheduler_stages = numbers[1];
  if (numbers.size() > 2) gemm_.accumulator_stages = numbers[2];
  gemm_.schedule =
      out_.schedule.find("Cooperative") != std::string_view::npos ? NamedSchedule::cooperative
      : out_.schedule.find("Pingpong") != std::string_view::npos  ? NamedSchedule::pingpong
                                                                  : NamedSchedule::single;
  if (gemm_.mainloop == nullptr) {
    return fail("the mainloop " + std::string(out_.mainloop_policy) + " is not modelled");
  }
  const std::size_t expected = out_.arch == 90 ? 1 : out_.arch == 100 ? 3 : 2;
  if (numbers.size() != expected) {
    fail(std::string(out_.mainloop_policy) + " with " + std::to_string(numbers.size()) +
         " numbers");
  }
}

void Reader::operand(NamedOperand& operand, NodeId element, NodeId atom) {
  element = first_of_tuple(element);
  if (const ElementType* type = element_type(tree_, element))
    operand.element = type->short_name;
  else
    operand.element = tree_.last_name(tree_.bare(element));
  const auto layout = smem_atom(tree_, first_of_tuple(atom));
  if (!layout) return fail("an operand without a known shared memory layout");
  operand.smem_bits = layout->bits;
  operand.swizzle = layout->alignment;
}

// tuple<stride, Layout<tuple<tuple<tuple<32, 4>, int>, tuple<tuple<VEC, 4>, int>, ..>, ..>>
void Reader::block_scales(NodeId strides) {
  NodeId layout = tree_.bare(second_of_tuple(tree_.bare(strides)));
  const Nodes shape = tree_.arguments(layout);
  const Nodes modes = shape.empty() ? Nodes{} : tree_.arguments(shape[0]);
  const Nodes along_k = modes.size() < 2 ? Nodes{} : tree_.arguments(modes[1]);
  const Nodes atom = along_k.empty() ? Nodes{} : tree_.arguments(along_k[0]);
  const auto vector = atom.empty() ? std::nullopt : cute_constant(tree_, atom[0]);
  if (!vector || *vector <= 0) return fail("scale factors of an unknown layout");
  gemm_.scale_vector = *vector;
}

// tuple<stride, Layout<tuple<tuple<ROWS, int>, tuple<K, int>, int>, ..>> for A, and B's columns.
void Reader::blockwise_scales(NodeId strides_a, NodeId strides_b) {
  int* const covered[] = {&gemm_.scale_m, &gemm_.scale_n};
  const NodeId sides[] = {strides_a, strides_b};
  for (std::size_t side = 0; side < 2; ++side) {
    const NodeId layout = tree_.bare(second_of_tuple(tree_.bare(sides[side])));
    const Nodes shape = tree_.arguments(layout);
    const Nodes modes = shape.empty() ? Nodes{} : tree_.arguments(shape[0]);
    const Nodes rows = modes.size() < 2 ? Nodes{} : tree_.arguments(modes[0]);
    const Nodes along_k = modes.size() < 2 ? Nodes{} : tree_.arguments(modes[1]);
    if (rows.empty() || along_k.empty()) return fail("block scales of an unknown layout");
    const auto extent = cute_constant(tree_, rows[0]), k = cute_constant(tree_, along_k[0]);
    if (!extent || !k || *extent <= 0 || *k <= 0) return fail("block scales of an unknown layout");
    *covered[side] = *extent;
    gemm_.scale_k = *k;
  }
}

// tuple<narrow element, scale [, zero point]>; a scale can be an Array of values.
void Reader::mixed_scales(NodeId elements) {
  const Nodes parts =
      tree_.last_name(elements) == "tuple" ? tree_.arguments(elements) : Nodes{elements};
  if (parts.size() > 2) return fail("zero points are not modelled");
  if (parts.size() < 2) return;
  int count = 1;
  NodeId scale = parts[1];
  if (tree_.last_name(scale) == "Array") {
    const Nodes array = tree_.arguments(scale);
    const auto length = array.size() < 2 ? std::nullopt : cute_constant(tree_, array[1]);
    if (!length || *length <= 0) return fail("an Array of unknown length");
    count = *length;
    scale = array[0];
  }
  const ElementType* type = element_type(tree_, scale);
  if (type == nullptr || type->bits < 8) return fail("a scale of an unknown type");
  gemm_.scale = type->short_name;
  gemm_.scale_bytes = Bytes{type->bits} / 8 * count;
}

void Reader::mainloop(const Nodes& a) {
  mainloop_policy(a[0]);
  const auto tile = cute_constants(tree_, a[1]);
  if (!tile || tile->size() < 3) return fail("a tile that is not constant");
  gemm_.m = gemm_.cta_m = (*tile)[0];
  gemm_.n = gemm_.cta_n = (*tile)[1];
  gemm_.k = (*tile)[2];
  operand(gemm_.a, a[2], a[8]);
  operand(gemm_.b, a[4], a[12]);
  if (gemm_.mainloop == nullptr) return;
  switch (gemm_.mainloop->form) {
    case NamedForm::plain:
      break;
    case NamedForm::block_scaled:
      if (const ElementType* scale = element_type(tree_, second_of_tuple(a[2]))) {
        gemm_.scale = scale->short_name;
      }
      block_scales(a[3]);
      break;
    case NamedForm::blockwise:
      gemm_.scale = "f32";
      blockwise_scales(a[3], a[5]);
      break;
    case NamedForm::mixed:
      mixed_scales(a[2]);
      break;
  }
}

// <stages C, stages D, fragment, reuse C, delay store [, warp groups]>
void Reader::epilogue_policy(NodeId policy) {
  out_.epilogue_policy = tree_.last_name(policy);
  EpilogueSpec& e = gemm_.epilogue;
  std::vector<int> v;
  for (const NodeId argument : tree_.arguments(policy)) {
    if (const auto value = cute_constant(tree_, argument)) v.push_back(*value);
  }
  const std::string_view name = out_.epilogue_policy;
  const bool sm90_array = name == "Sm90PtrArrayTmaWarpSpecialized";
  const bool sm100_array = name == "Sm100PtrArrayTmaWarpSpecialized";
  const bool dense = name == "Sm90TmaWarpSpecialized" || name == "Sm100TmaWarpSpecialized";
  if (!sm90_array && !sm100_array && !dense) {
    return fail("the epilogue " + std::string(name) + " is not modelled");
  }
  if (v.size() != (sm90_array ? 6u : 5u)) {
    return fail(std::string(name) + " with " + std::to_string(v.size()) + " numbers");
  }
  e.stages_c = v[0];
  e.stages_d = v[1];
  e.fragment = v[2];
  e.reuse_c = v[3] != 0;
  e.delay_store = v[4] != 0;
  e.warp_groups = sm90_array ? v[5] : 0;
  e.tensormaps = sm90_array ? Bytes{128} * (1 + e.warp_groups) : sm100_array ? 256 : 0;
  if (e.stages_c < 0 || e.stages_d < 0 || e.warp_groups < 0) fail("an epilogue of negative stages");
}

void Reader::epilogue(const Nodes& e) {
  epilogue_policy(e[0]);
  EpilogueSpec& spec = gemm_.epilogue;
  if (const auto cta = cute_constants(tree_, e[1]); cta && cta->size() >= 2) {
    gemm_.cta_m = (*cta)[0];
    gemm_.cta_n = (*cta)[1];
  } else {
    fail("an epilogue tile that is not constant");
  }
  const Nodes sides = tree_.arguments(e[2]);
  const auto rows = sides.size() == 2 ? cute_size(tree_, sides[0]) : std::nullopt;
  const auto columns = sides.size() == 2 ? cute_size(tree_, sides[1]) : std::nullopt;
  if (!rows || !columns) return fail("an epilogue tile that is not constant");
  spec.tile_m = *rows;
  spec.tile_n = *columns;
  const ElementType *c = element_type(tree_, e[3]), *d = element_type(tree_, e[5]);
  if (c != nullptr) out_.c = c->short_name;
  if (d != nullptr) out_.d = d->short_name;
  if (c == nullptr || d == nullptr) return fail("an output of an unknown element type");
  spec.d_void = is_void(tree_, e[5]);
  const Nodes stride = tree_.arguments(tree_.bare(e[6]));
  out_.column_major_d = !stride.empty() && cute_constant(tree_, stride[0]) == 1;
  const FusionStorage fusion = fusion_storage(tree_, e[7], gemm_.cta_n);
  out_.fusion = fusion.finalize                      ? "FINALIZE"
                : fusion.name == "LinearCombination" ? "NONE"
                                                     : fusion.name;
  out_.output = spec.d_void ? fusion.output : out_.d;
  if (!fusion.why.empty()) fail(fusion.why);
  spec.thread = {fusion.align, fusion.bytes};
  const bool sm100 = out_.epilogue_policy.starts_with("Sm100");
  const auto atom_c = smem_atom(tree_, e[sm100 ? 10 : 9]),
             atom_d = smem_atom(tree_, e[sm100 ? 13 : 12]);
  if (!atom_c || !atom_d) return fail("an epilogue without a known shared memory layout");
  spec.c_bits = is_void(tree_, e[3]) ? 0 : atom_c->bits;
  spec.d_bits = atom_d->bits;
  spec.swizzle_c = atom_c->alignment;
  spec.swizzle_d = atom_d->alignment;
}

void Reader::scheduler(NodeId tag) {
  gemm_.scheduler = NamedScheduler::other;
  for (const Schedules& row : kSchedulers) {
    if (row.tag == tree_.last_name(tag)) gemm_.scheduler = row.scheduler;
  }
  if (gemm_.scheduler == NamedScheduler::other) {
    fail("the tile scheduler " + std::string(tree_.last_name(tag)) + " is not modelled");
  }
}

void Reader::read(NodeId gemm_universal) {
  const Nodes parts = tree_.arguments(gemm_universal);
  if (parts.size() < 3) return fail("a GemmUniversal with fewer arguments than known");
  out_.grouped = tree_.last_name(parts[0]) == "GroupProblemShape" ||
                 tree_.last_name(parts[0]) == "MoEProblemShape";
  const Nodes mma = tree_.arguments(parts[1]), epilogue_arguments = tree_.arguments(parts[2]);
  const std::string_view collective = tree_.last_name(parts[1]);
  if (collective != "CollectiveMma" || mma.size() != kCollectiveMmaArguments) {
    if (!mma.empty()) mainloop_policy(mma[0]);
    return fail("the collective " + std::string(collective) + " is not modelled");
  }
  mainloop(mma);
  const std::string_view epilogue_name = tree_.last_name(parts[2]);
  if (epilogue_name != "CollectiveEpilogue" ||
      epilogue_arguments.size() != kCollectiveEpilogueArguments) {
    return fail("the epilogue " + std::string(epilogue_name) + " is not modelled");
  }
  epilogue(epilogue_arguments);
  if (parts.size() > 3) scheduler(parts[3]);
  if (gemm_.mainloop != nullptr && gemm_.grouped() != out_.grouped) {
    fail("a grouped mainloop for a problem that is not, or the reverse");
  }
}

}  // namespace

NodeId find_gemm_universal(const TypeTree& tree, NodeId kernel) {
  NodeId id = kernel;
  for (int i = 0; i < kMaxWrappers; ++i) {
    const std::vector<NodeId> arguments = tree.arguments(id);
    if (arguments.empty()) return kNoNode;
    if (tree.last_name(id) == "GemmUniversal") return id;
    id = arguments[0];
  }
  return kNoNode;
}

CutlassName read_cutlass_name(const TypeTree& tree, NodeId gemm_universal) {
  CutlassName out;
  Reader(tree, out).read(gemm_universal);
  return out;
}

}  // namespace tilefit
