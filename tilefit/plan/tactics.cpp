// SPDX-License-Identifier: Apache-2.0
// A list is built as the tuner builds it: the architecture's tiles with their clusters and
// schedules, then (GEMM 2 only) all of them again with FINALIZE, then all of that again with A and
// B swapped, then kernels of older style. A number is a position, so order is part of the facts.
#include "tilefit/plan/tactics.h"

#include <algorithm>
#include <string>

#include "tilefit/model/nearest.h"
#include "tilefit/plan/cutlass_kinds.h"

namespace tilefit {
namespace {

constexpr std::string_view kNoCase =
    "Unsupported tile shape config: the dispatcher has no case for this tile";
constexpr std::string_view kNoShape =
    "Unsupported tile and cluster shape combination: no such kernel is instantiated";
constexpr std::string_view kNoSmemBlockScaled =
    "the epilogue without shared memory is not supported for block scaled types";
constexpr std::string_view kSm80Variant = "sm_80 kernel";
constexpr std::string_view kPrefill = "single warp group, prefill";
constexpr std::string_view kRolling = "single warp group, rolling";

class Lister {
 public:
  Lister(TacticList list, const Arch& arch, Operands operands)
      : list_(list), arch_(arch), operands_(operands) {}

  std::vector<Tactic> build() {
    std::vector<Tactic> all = of_gemm(1);
    const std::vector<Tactic> second = of_gemm(2);
    all.insert(all.end(), second.begin(), second.end());
    for (std::size_t i = 0; i < all.size(); ++i) all[i].number = static_cast<int>(i);
    return all;
  }

 private:
  bool mixed() const { return arch_.cc == 90 && is_mixed(operands_); }
  int width() const {
    return operands_ == Operands::nvfp4  ? 4
           : operands_ == Operands::bf16 ? 16
           : operands_ == Operands::f32  ? 32
                                         : 8;
  }
  int elements(int bytes) const { return bytes * 8 / width(); }
  bool block_scaled() const { return row(operands_).scale_vector > 0; }

  std::vector<Tactic> of_gemm(int gemm);
  void sm120();
  void sm90_same();
  void sm90_mixed();
  void sm90_single_warp_group();
  void sm100(const Arch& kernel_arch);
  void sm80();
  void append(std::size_t count, const auto& change);
  Tactic& add(int m, int n, int k) {
    Tactic& t = out_.emplace_back();
    t.tile.m = m;
    t.tile.n = n;
    t.tile.k = k;
    t.tile.operands = operands_;
    t.tile.mainloop = mixed() ? Mainloop::mixed : Mainloop::same;
    t.tile.scale_apply =
        operands_ == Operands::fp8xmxfp4 ? ScaleApply::pre_mma_e8m0 : ScaleApply::post_mma;
    if (operands_ == Operands::f32) t.tile.out = Dtype::f32;
    t.kernel_arch = &arch_;
    return t;
  }

  TacticList list_;
  const Arch& arch_;
  Operands operands_;
  std::vector<Tactic> out_;
};

/// The first `count` entries again, each changed.
void Lister::append(std::size_t count, const auto& change) {
  for (std::size_t i = 0; i < count; ++i) {
    Tactic copy = out_[i];
    change(copy);
    out_.push_back(copy);
  }
}

std::vector<Tactic> Lister::of_gemm(int gemm) {
  out_.clear();
  if (arch_.cc / 10 == 12)
    sm120();
  else if (mixed())
    sm90_mixed();
  else if (arch_.cc == 90)
    sm90_same();
  else
    sm100(arch_);
  if (arch_.cc == 103 && operands_ == Operands::nvfp4) sm100(*find_arch(100));

  if (gemm == 2 && !mixed()) {
    append(out_.size(), [](Tactic& t) { t.tile.epilogue = Epilogue::finalize; });
    std::erase_if(out_, [](const Tactic& t) {
      return t.tile.epilogue == Epilogue::finalize &&
             t.tile.epilogue_schedule == EpilogueSchedule::nosmem;
    });
  }
  append(out_.size(), [](Tactic& t) { t.tile.swap_ab = true; });
  if (mixed()) std::erase_if(out_, [](const Tactic& t) { return !t.tile.swap_ab; });
  if (mixed() && operands_ == Operands::fp8xmxfp4) sm90_single_warp_group();
  sm80();
  for (Tactic& t : out_) t.gemm = gemm;
  return out_;
}

void Lister::sm120() {
  using namespace flashinfer;
  const auto tiles = list_ == TacticList::flashinfer_0_6_0
                         ? std::span<const Sm120Tile>(kSm120_0_6_0)
                         : std::span<const Sm120Tile>(kSm120);
  const bool fp8_activations = operands_ != Operands::nvfp4;
  for (const Sm120Tile& tile : tiles) {
    const bool prunes = list_ == TacticList::flashinfer_0_7_4;
    if (prunes && (tile.pruned || (fp8_activations && tile.fp4_only))) continue;
    Tactic& t = add(tile.extent.m, tile.extent.n, elements(tile.extent.k));
    const bool shape =
        t.tile.k == 128 || (t.tile.k == 256 && tile.extent.m == 128 && tile.extent.n <= 128);
    t.no_kernel = !tile.cased ? kNoCase : !shape ? kNoShape : "";
  }
}

void Lister::sm90_same() {
  for (const flashinfer::Extent& e : flashinfer::kSm90Same) {
    const bool along_m = e.m >= 128, along_n = e.n >= 128;
    for (const Cluster& cluster : {Cluster{1, 1}, Cluster{2, 1}, Cluster{1, 2}, Cluster{2, 2}}) {
      if ((cluster.m == 2 && !along_m) || (cluster.n == 2 && !along_n)) continue;
      add(e.m, e.n, elements(e.k)).tile.cluster = cluster;
    }
  }
}

void Lister::sm90_mixed() {
  using namespace flashinfer;
  const bool old = list_ == TacticList::flashinfer_0_6_0;
  const auto tiles =
      old ? std::span<const Extent>(kSm90Mixed_0_6_0) : std::span<const Extent>(kSm90Mixed);
  for (const Extent& e : tiles) {
    const bool cooperative = e.m >= 128 && !(e.m == 128 && e.n == 128 && e.k == 512);
    for (const Schedule schedule : {Schedule::pingpong, Schedule::cooperative}) {
      // 0.6.0 tries pingpong always and cooperative beside it; later releases try one of the two.
      const bool tried = schedule == Schedule::pingpong ? old || !cooperative : cooperative;
      if (!tried) continue;
      for (const Cluster& cluster : {Cluster{1, 1}, Cluster{2, 1}, Cluster{1, 2}, Cluster{2, 2}}) {
        Tactic& t = add(e.m, e.n, e.k);
        t.tile.cluster = cluster;
        // 0.6.0 launches the pingpong kernel for a cooperative 128x128.
        t.tile.schedule = old && e.m == 128 && e.n == 128 ? Schedule::pingpong : schedule;
      }
    }
  }
}

void Lister::sm90_single_warp_group() {
  const std::size_t count =
      list_ == TacticList::flashinfer_0_6_18 ? 4 : flashinfer::kSm90SingleWarpGroupN.size();
  for (std::size_t i = 0; i < count; ++i)
    for (const std::string_view variant : {kPrefill, kRolling}) {
      Tactic& t = add(128, flashinfer::kSm90SingleWarpGroupN[i], 128);
      t.tile.swap_ab = true;
      t.variant = variant;
    }
}

void Lister::sm100(const Arch& kernel_arch) {
  using namespace flashinfer;
  // FP8 activations with FP4 weights take the FP4 list of sm_100 on every GPU of that line.
  const bool fp4 = operands_ == Operands::nvfp4 || operands_ == Operands::wfp4afp8;
  const bool own_sm103 = kernel_arch.cc == 103 && operands_ == Operands::nvfp4;
  std::vector<Sm100Tile> tiles;
  if (fp4)
    tiles.assign(kSm100Fp4.begin() + (own_sm103 ? 2 : 0), kSm100Fp4.end());
  else
    tiles.assign(kSm100Plain.begin(), kSm100Plain.end());
  if (operands_ == Operands::fp8 || operands_ == Operands::mxfp8) tiles.push_back(kSm100Fp8Extra);
  for (const EpilogueSchedule schedule : {EpilogueSchedule::tma, EpilogueSchedule::nosmem}) {
    if (fp4 && !own_sm103 && schedule == EpilogueSchedule::nosmem) continue;
    for (const Extent& launch : kSm100Launches)
      for (const Sm100Tile& tile : tiles) {
        if (tile.sms == 2 && launch.m == 1) continue;
        Tactic& t = add(tile.m, tile.n, elements(128));
        t.kernel_arch = &kernel_arch;
        t.tile.epilogue_schedule = schedule;
        t.tile.cluster = {tile.sms, 1, 1, launch.m != 0};
        if (launch.m != 0) t.launch = {launch.m, launch.n, 1, true};
        const bool small = tile.m != 128 || tile.n < 64;
        if (operands_ == Operands::mxfp8)
          t.no_kernel = small                                  ? kNoShape
                        : schedule == EpilogueSchedule::nosmem ? kNoSmemBlockScaled
                                                               : "";
      }
  }
}

void Lister::sm80() {
  using namespace flashinfer;
  const bool tensor = operands_ == Operands::bf16, simt = operands_ == Operands::f32;
  if (!tensor && !simt) return;
  for (const Extent& e :
       tensor ? std::span<const Extent>(kSm80Tensor) : std::span<const Extent>(kSm80Simt))
    for (int stages = kSm80MinStages; stages <= kSm80MaxStages; ++stages) {
      Tactic& t = add(e.m, e.n, e.k);
      t.tile.stages = stages;
      t.variant = kSm80Variant;
    }
}

/// Why no list was derived for these; empty where one was.
std::string gap(TacticList list, int cc, Operands o) {
  const bool old = list == TacticList::flashinfer_0_6_0;
  const auto among = [&](std::initializer_list<Operands> known) {
    return std::find(known.begin(), known.end(), o) != known.end();
  };
  switch (cc) {
    case 120:
    case 121:
      return among({Operands::nvfp4, Operands::wfp4afp8})
                 ? ""
                 : "the launcher's lists for sm_120 hold nvfp4 and wfp4afp8";
    case 100:
    case 103:
      if (old && o == Operands::mxfp8) return "0.6.0 has no MXFP8 kernels";
      return among({Operands::nvfp4, Operands::wfp4afp8, Operands::mxfp8, Operands::fp8,
                    Operands::bf16})
                 ? ""
                 : "the lists for sm_100 were derived for nvfp4, wfp4afp8, mxfp8, fp8 and bf16";
    case 90:
      if (old && o == Operands::fp8xint4)
        return "in 0.6.0 the K of an fp8xint4 tile follows the problem's K";
      if (old && o == Operands::fp8xmxfp4) return "0.6.0 has no fp8xmxfp4 kernels for sm_90";
      return among({Operands::bf16, Operands::fp8, Operands::f32, Operands::bf16xmxfp4,
                    Operands::fp8xint4, Operands::fp8xmxfp4})
                 ? ""
                 : "the lists for sm_90 were derived for bf16, fp8, f32, bf16xmxfp4, fp8xint4 and "
                   "fp8xmxfp4";
    default:
      return "lists were derived for sm_90, sm_100, sm_103, sm_120 and sm_121";
  }
}

}  // namespace

Result<TacticList> find_tactic_list(std::string_view text) {
  std::vector<std::string_view> known;
  for (const TacticListRow& r : kTacticLists) {
    if (r.name == text) return r.list;
    known.push_back(r.name);
  }
  return Error{"unknown list of tiles '" + std::string(text) + "'", "--tiles",
               suggest(text, known)};
}

Result<std::vector<Tactic>> tactics_of(TacticList list, const Arch& arch, Operands operands) {
  if (const std::string why = gap(list, arch.cc, operands); !why.empty())
    return Error{"the list of " + std::string(row(list).name) + " is not known for " +
                     std::string(name(operands)) + " on " + std::string(arch.name),
                 "--tiles", why};
  return Lister(list, arch, operands).build();
}

}  // namespace tilefit
