// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/request_text.h"

#include <span>
#include <string>

#include "tilefit/model/gpu_names.h"
#include "tilefit/plan/cutlass_kinds.h"
#include "tilefit/plan/value_text.h"

namespace tilefit {
namespace {

MaybeError set_gpu(RequestDraft& d, std::string_view text) {
  // Two spellings of the ground truth name an architecture and a kind of kernel at once.
  d.dense_by_arch = text == "sm120dense";
  d.mixed_by_arch = text == "sm90mixed";
  if (d.dense_by_arch || d.mixed_by_arch) {
    d.request.arch = find_arch(d.dense_by_arch ? 120 : 90);
    d.request.gpu = nullptr;
    return {};
  }
  const Result<Target> target = find_target(text);
  if (!target) return target.error();
  d.request.arch = target->arch;
  d.request.gpu = target->gpu;
  return {};
}

MaybeError set_family(RequestDraft& d, std::string_view text) {
  static constexpr Word<Family> kWords[] = {{"cutlass-moe", Family::cutlass_moe},
                                            {"cutlass", Family::cutlass},
                                            {"tilefit", Family::tilefit},
                                            {"triton", Family::triton},
                                            {"deepgemm", Family::deepgemm}};
  d.family_given = true;
  return set_word<Family>(d.request.family, "family", text, kWords);
}

MaybeError set_builder(RequestDraft& d, std::string_view text) {
  std::string_view version = text.starts_with("cutlass-") ? text.substr(8) : text;
  const std::size_t dot = version.find('.');
  const auto major = number(version.substr(0, dot), 99);
  std::string_view rest = dot == std::string_view::npos ? "" : version.substr(dot + 1);
  const std::size_t patch = rest.find('.');
  const auto minor = number(rest.substr(0, patch), 99);
  const bool patch_ok =
      patch == std::string_view::npos ||
      rest.substr(patch + 1).find_first_not_of("0123456789.") == std::string_view::npos;
  if (major == 4 && minor && patch_ok && *minor >= 2 && *minor <= 5) {
    d.request.builder = *minor == 2 ? Builder::cutlass_4_2 : Builder::cutlass_4_5;
    return {};
  }
  return Error{"unknown builder " + quoted(text), "",
               "modelled are cutlass-4.2 and cutlass-4.5 (also 4.3, 4.4; x.y.z is accepted)"};
}

MaybeError set_kernel(RequestDraft& d, std::string_view text) {
  static constexpr Word<KernelKind> kWords[] = {{"grouped", KernelKind::grouped},
                                                {"dense", KernelKind::dense}};
  d.kernel_given = true;
  return set_word<KernelKind>(d.request.tile.kernel, "kernel", text, kWords);
}

MaybeError set_mainloop(RequestDraft& d, std::string_view text) {
  static constexpr Word<Mainloop> kWords[] = {{"same", Mainloop::same}, {"mixed", Mainloop::mixed}};
  Mainloop value{};
  MaybeError error = set_word<Mainloop>(value, "mainloop", text, kWords);
  if (!error) d.mainloop = value;
  return error;
}

MaybeError set_dtype(RequestDraft& d, std::string_view text) {
  for (const OperandsRow& o : kOperands)
    if (o.name == text) {
      d.request.tile.operands = o.operands;
      return {};
    }
  std::vector<std::string_view> known;
  for (const OperandsRow& o : kOperands) known.push_back(o.name);
  return Error{"unknown dtype " + quoted(text), "", suggest(text, known)};
}

MaybeError set_sf_vec(RequestDraft& d, std::string_view text) {
  if (text == "0") {
    d.sf_vec = 0;
    return {};
  }
  const auto value = number(text, kMaxExtent);
  if (!value) return number_error("scale vector", text, kMaxExtent, "16");
  d.sf_vec = value;
  return {};
}

MaybeError set_tile(RequestDraft& d, std::string_view text) {
  int v[3]{};
  if (MaybeError error = set_extents(v, {"tile", "MxNxK", "128x256x128", kMaxExtent}, text))
    return error;
  d.request.tile.m = v[0];
  d.request.tile.n = v[1];
  d.request.tile.k = v[2];
  d.m_given = d.n_given = d.k_given = true;
  return {};
}

MaybeError set_extent(int& to, bool& given, std::string_view what, std::string_view text) {
  const auto value = number(text, kMaxExtent);
  if (!value) return number_error(what, text, kMaxExtent, "128");
  to = *value;
  given = true;
  return {};
}
MaybeError set_warps(RequestDraft& d, std::string_view text) {
  bool given = false;
  return set_extent(d.request.tile.warps, given, "number of warps", text);
}
MaybeError set_problem_k(RequestDraft& d, std::string_view text) {
  bool given = false;
  return set_extent(d.request.tile.problem_k, given, "problem's K", text);
}
MaybeError set_tile_m(RequestDraft& d, std::string_view text) {
  return set_extent(d.request.tile.m, d.m_given, "tile M", text);
}
MaybeError set_tile_n(RequestDraft& d, std::string_view text) {
  return set_extent(d.request.tile.n, d.n_given, "tile N", text);
}
MaybeError set_tile_k(RequestDraft& d, std::string_view text) {
  return set_extent(d.request.tile.k, d.k_given, "tile K", text);
}

MaybeError set_cluster(RequestDraft& d, std::string_view text) {
  int v[3]{};
  Cluster cluster = d.request.tile.cluster;
  if (text.ends_with("dyn")) {
    cluster.dynamic = true;
    text.remove_suffix(3);
  }
  if (MaybeError error = set_extents(v, {"cluster", "MxNxK", "2x1x1", 64}, text)) return error;
  cluster.m = v[0];
  cluster.n = v[1];
  cluster.k = v[2];
  d.request.tile.cluster = cluster;
  return {};
}

MaybeError set_cluster_mode(RequestDraft& d, std::string_view text) {
  static constexpr Word<bool> kWords[] = {{"static", false}, {"dynamic", true}};
  return set_word<bool>(d.request.tile.cluster.dynamic, "cluster mode", text, kWords);
}

MaybeError set_schedule(RequestDraft& d, std::string_view text) {
  // The ground truth writes an epilogue schedule here for sm_100 and marks dense pingpong kernels.
  if (text == "tma" || text == "nosmem") {
    d.request.tile.epilogue_schedule =
        text == "tma" ? EpilogueSchedule::tma : EpilogueSchedule::nosmem;
    return {};
  }
  static constexpr Word<Schedule> kWords[] = {{"auto", Schedule::automatic},
                                              {"cooperative", Schedule::cooperative},
                                              {"pingpong", Schedule::pingpong},
                                              {"coop", Schedule::cooperative},
                                              {"dpingpong", Schedule::pingpong}};
  return set_word<Schedule>(d.request.tile.schedule, "schedule", text, kWords);
}

MaybeError set_epilogue_schedule(RequestDraft& d, std::string_view text) {
  static constexpr Word<EpilogueSchedule> kWords[] = {{"tma", EpilogueSchedule::tma},
                                                      {"nosmem", EpilogueSchedule::nosmem}};
  return set_word<EpilogueSchedule>(d.request.tile.epilogue_schedule, "epilogue schedule", text,
                                    kWords);
}

MaybeError set_scale_apply(RequestDraft& d, std::string_view text) {
  static constexpr Word<ScaleApply> kWords[] = {{"post-mma", ScaleApply::post_mma},
                                                {"pre-mma-e8m0", ScaleApply::pre_mma_e8m0},
                                                {"kPostMma", ScaleApply::post_mma},
                                                {"kPreMmaE8M0", ScaleApply::pre_mma_e8m0}};
  ScaleApply value{};
  MaybeError error = set_word<ScaleApply>(value, "scale application", text, kWords);
  if (!error) d.scale_apply = value;
  return error;
}

MaybeError set_epilogue(RequestDraft& d, std::string_view text) {
  if (text == "kPostMma" || text == "kPreMmaE8M0") return set_scale_apply(d, text);
  static constexpr Word<Epilogue> kWords[] = {
      {"none", Epilogue::none},       {"finalize", Epilogue::finalize},
      {"lincomb", Epilogue::lincomb}, {"activation", Epilogue::activation},
      {"NONE", Epilogue::none},       {"FINALIZE", Epilogue::finalize},
      {"LINCOMB", Epilogue::lincomb}, {"ACTIVATION", Epilogue::activation}};
  return set_word<Epilogue>(d.request.tile.epilogue, "epilogue", text, kWords);
}

MaybeError set_swap_ab(RequestDraft& d, std::string_view text) {
  static constexpr Word<bool> kWords[] = {{"true", true}, {"false", false}, {"1", true},
                                          {"0", false},   {"yes", true},    {"no", false}};
  return set_word<bool>(d.request.tile.swap_ab, "value of swap-AB", text, kWords);
}

MaybeError set_d_layout(RequestDraft& d, std::string_view text) {
  static constexpr Word<DLayout> kWords[] = {{"auto", DLayout::automatic},
                                             {"row", DLayout::row},
                                             {"col", DLayout::col},
                                             {"Drow", DLayout::row},
                                             {"Dcol", DLayout::col}};
  return set_word<DLayout>(d.request.tile.d_layout, "layout of D", text, kWords);
}

MaybeError set_scale_major(RequestDraft& d, std::string_view text) {
  static constexpr Word<ScaleMajor> kWords[] = {
      {"k", ScaleMajor::k}, {"mn", ScaleMajor::mn}, {"K", ScaleMajor::k}, {"MN", ScaleMajor::mn}};
  return set_word<ScaleMajor>(d.request.tile.scale_major, "scale major", text, kWords);
}

/// "1x128", or the ground truth's "g1x128MN" that names the major side too.
MaybeError set_scale_granularity(RequestDraft& d, std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('g')) rest.remove_prefix(1);
  for (const std::string_view major : {"MN", "K"})
    if (rest.ends_with(major)) {
      rest.remove_suffix(major.size());
      if (MaybeError error = set_scale_major(d, major)) return error;
      break;
    }
  int v[2]{};
  if (MaybeError error = set_extents(v, {"scale granularity", "MxN", "1x128", kMaxExtent}, rest))
    return error;
  d.request.tile.scale_granularity = {v[0], v[1]};
  return {};
}

MaybeError set_variant(RequestDraft& d, std::string_view text) {
  return text.starts_with('D') ? set_d_layout(d, text) : set_scale_granularity(d, text);
}

MaybeError set_stages(RequestDraft& d, std::string_view text) {
  if (text == "auto") {
    d.request.tile.stages = 0;
    return {};
  }
  const auto value = number(text, kMaxStages);
  if (!value)
    return Error{"stages " + number_problem(text, kMaxStages), "",
                 "write auto or a whole number from 1 to " + std::to_string(kMaxStages)};
  d.request.tile.stages = *value;
  return {};
}

MaybeError set_epilogue_tile(RequestDraft& d, std::string_view text) {
  if (text == "auto") {
    d.request.tile.epilogue_tile = {};
    return {};
  }
  int v[2]{};
  if (MaybeError error = set_extents(v, {"epilogue tile", "MxN", "64x32", kMaxExtent}, text))
    return error;
  d.request.tile.epilogue_tile = {v[0], v[1]};
  return {};
}

constexpr Word<Dtype> kOutputWords[] = {
    {"void", Dtype::none}, {"bf16", Dtype::bf16}, {"fp16", Dtype::fp16}, {"f32", Dtype::f32},
    {"e4m3", Dtype::e4m3}, {"half", Dtype::fp16}, {"float", Dtype::f32}};

MaybeError set_c_type(RequestDraft& d, std::string_view text) {
  return set_word<Dtype>(d.request.tile.c, "type of C", text, std::span(kOutputWords).first(4));
}
MaybeError set_d_type(RequestDraft& d, std::string_view text) {
  return set_word<Dtype>(d.request.tile.d, "type of D", text, std::span(kOutputWords).subspan(1));
}

/// "bf16", or the ground truth's "CvoidDbf16" that names C and D.
MaybeError set_out(RequestDraft& d, std::string_view text) {
  const std::size_t split = text.find('D');
  if (text.starts_with('C') && split != std::string_view::npos) {
    if (MaybeError error = set_c_type(d, text.substr(1, split - 1))) return error;
    return set_d_type(d, text.substr(split + 1));
  }
  return set_word<Dtype>(d.request.tile.out, "output type", text,
                         std::span(kOutputWords).subspan(1));
}

MaybeError set_limit(RequestDraft& d, std::string_view text) {
  MaybeError error = set_bytes(d.request.limit, "limit", text);
  if (!error && d.request.limit == 0)
    return Error{"a limit of 0 bytes lets nothing launch", "",
                 "leave --limit out for the GPU's own"};
  return error;
}
MaybeError set_static(RequestDraft& d, std::string_view text) {
  return set_bytes(d.request.static_bytes, "static size", text);
}

}  // namespace

// clang-format off
constexpr std::array<RequestField, kRequestFieldCount> kRequestFields{
    RequestField{"--gpu", "arch", set_gpu, "NAME|ARCH", "a GPU or an architecture: 'rtx pro 6000', h200, sm_120, 12.0"},
    RequestField{"--family", "", set_family, "NAME", "whose kernel: cutlass-moe (default), cutlass, triton, deepgemm"},
    RequestField{"--builder", "cutlass", set_builder, "VERSION", "whose stage arithmetic: cutlass-4.5 (default), cutlass-4.2"},
    RequestField{"--kernel", "kernel", set_kernel, "KIND", "grouped (default) or dense"},
    RequestField{"--mainloop", "", set_mainloop, "KIND", "same or mixed; follows --dtype"},
    RequestField{"--dtype", "dtypes", set_dtype, "TYPES", "operands: nvfp4 (default), mxfp8, wfp4afp8, bf16, bf16xmxfp4, ..."},
    RequestField{"--sf-vec", "sf_vec", set_sf_vec, "N", "elements of K a scale; only checked against --dtype"},
    RequestField{"--tile", "", set_tile, "MxNxK", "tile of one CTA in elements"},
    RequestField{"", "tile_m", set_tile_m, "", ""},
    RequestField{"", "tile_n", set_tile_n, "", ""},
    RequestField{"", "tile_k", set_tile_k, "", ""},
    RequestField{"--cluster", "cluster", set_cluster, "MxNxK", "CTAs of a cluster: 1x1x1 (default); M of 2 is 2SM on sm_100, sm_103"},
    RequestField{"--cluster-mode", "", set_cluster_mode, "MODE", "static (default) or dynamic"},
    RequestField{"--schedule", "schedule", set_schedule, "NAME", "auto (default), cooperative, pingpong"},
    RequestField{"--epilogue-schedule", "", set_epilogue_schedule, "NAME", "tma (default) or nosmem"},
    RequestField{"--epilogue", "epilogue", set_epilogue, "NAME", "none (default), finalize, lincomb, activation"},
    RequestField{"--scale-apply", "", set_scale_apply, "WHEN", "mixed input: post-mma or pre-mma-e8m0; follows --dtype"},
    RequestField{"--swap-ab", "swap_ab", set_swap_ab, "", "weights as operand A, tokens as operand B"},
    RequestField{"--d-layout", "", set_d_layout, "row|col", "layout of D; follows --swap-ab"},
    RequestField{"--scale-granularity", "", set_scale_granularity, "MxN", "fp8 blockwise: 1x128 (default) or 128x128"},
    RequestField{"--scale-major", "", set_scale_major, "k|mn", "fp8 blockwise: contiguous side of the scales"},
    RequestField{"", "variant", set_variant, "", ""},
    RequestField{"--stages", "stage_request", set_stages, "auto|N", "pipeline depth; auto lets the builder choose"},
    RequestField{"--epilogue-tile", "epi_tile_request", set_epilogue_tile, "auto|MxN", "accumulators staged at a time"},
    RequestField{"--out", "out", set_out, "TYPE", "output: bf16 (default), fp16, f32"},
    RequestField{"--c-type", "", set_c_type, "TYPE", "C: void, bf16, fp16, f32; follows --out"},
    RequestField{"--d-type", "", set_d_type, "TYPE", "D: bf16, fp16, f32, e4m3; follows --out"},
    RequestField{"--warps", "", set_warps, "N", "triton: num_warps"},
    RequestField{"--problem-k", "", set_problem_k, "N", "deepgemm: K of the whole problem"},
    RequestField{"--limit", "", set_limit, "BYTES", "bytes a block may have, instead of the GPU's own"},
    RequestField{"--static", "", set_static, "BYTES", "static shared memory beside the planned dynamic bytes"},
};
// clang-format on

const RequestField* find_column(std::string_view column) {
  for (const RequestField& f : kRequestFields)
    if (!column.empty() && f.column == column) return &f;
  return nullptr;
}

Result<TileRequest> finish(const RequestDraft& draft) {
  TileRequest r = draft.request;
  Tile& t = r.tile;
  if (r.arch == nullptr)
    return Error{"no GPU named", "--gpu", "name one, such as --gpu 'rtx pro 6000' or --gpu sm_120"};
  if (!draft.m_given || !draft.n_given || !draft.k_given)
    return Error{"no tile named", "--tile",
                 "give M x N x K in elements, such as --tile 128x256x128"};
  if (draft.dense_by_arch) {
    if (draft.kernel_given && t.kernel == KernelKind::grouped)
      return Error{"sm120dense names a dense kernel, --kernel a grouped one", "--kernel",
                   "use --gpu sm_120 --kernel grouped"};
    t.kernel = KernelKind::dense;
  }
  const bool mixed = is_mixed(t.operands);
  const bool says_mixed = draft.mixed_by_arch || draft.mainloop == Mainloop::mixed;
  if ((says_mixed && !mixed) || (draft.mainloop == Mainloop::same && mixed))
    return Error{"dtype '" + std::string(name(t.operands)) + "' is " +
                     (mixed ? "a mixed pair" : "no mixed pair"),
                 "--mainloop", "mixed pairs are bf16xmxfp4, fp8xint4 and fp8xmxfp4"};
  t.mainloop = mixed ? Mainloop::mixed : Mainloop::same;
  t.scale_apply = draft.scale_apply.value_or(
      t.operands == Operands::fp8xmxfp4 ? ScaleApply::pre_mma_e8m0 : ScaleApply::post_mma);
  const int vector = t.operands == Operands::fp8blockwise ? 128 : row(t.operands).scale_vector;
  if (draft.sf_vec && *draft.sf_vec != vector)
    return Error{std::string(name(t.operands)) +
                     (vector == 0 ? " has no block scales"
                                  : " shares a scale over " + std::to_string(vector) +
                                        " elements, not " + std::to_string(*draft.sf_vec)),
                 "--sf-vec",
                 vector == 0 ? "leave --sf-vec out"
                             : "leave --sf-vec out or give " + std::to_string(vector)};
  const bool plain = t.kernel == KernelKind::dense || t.operands == Operands::fp8blockwise;
  if (!draft.family_given && plain) r.family = Family::cutlass;
  return r;
}

std::string tile_text(const Tile& t) {
  return std::to_string(t.m) + "x" + std::to_string(t.n) + "x" + std::to_string(t.k);
}

}  // namespace tilefit
