// SPDX-License-Identifier: Apache-2.0
// The space of tiles that properties are tested over: every kind of kernel on every architecture,
// by extents, operands, epilogues, schedules, types, stages, builders and clusters, good and bad.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tilefit/plan/request_text.h"

namespace tilefit {

inline void PrintTo(Outcome o, std::ostream* out) { *out << name(o); }
inline void PrintTo(Builds b, std::ostream* out) { *out << name(b); }
inline void PrintTo(Part p, std::ostream* out) { *out << name(p); }

/// A request as the flags that ask for it, GPU and tile first.
inline std::vector<std::pair<std::string, std::string>> flags_of(const TileRequest& r) {
  const Tile& t = r.tile;
  const auto word = [](auto value) { return std::string(name(value)); };
  std::vector<std::pair<std::string, std::string>> out{
      {"--gpu", std::string(r.arch->name)},
      {"--family", word(r.family)},
      {"--builder", word(r.builder)},
      {"--kernel", word(t.kernel)},
      {"--dtype", word(t.operands)},
      {"--tile", tile_text(t)},
      {"--cluster", std::to_string(t.cluster.m) + "x" + std::to_string(t.cluster.n) + "x" +
                        std::to_string(t.cluster.k)},
      {"--cluster-mode", t.cluster.dynamic ? "dynamic" : "static"},
      {"--schedule", word(t.schedule)},
      {"--epilogue-schedule", word(t.epilogue_schedule)},
      {"--epilogue", word(t.epilogue)},
      {"--scale-apply", word(t.scale_apply)},
      {"--swap-ab", t.swap_ab ? "true" : "false"},
      {"--d-layout", word(t.d_layout)},
      {"--scale-granularity",
       std::to_string(t.scale_granularity.m) + "x" + std::to_string(t.scale_granularity.n)},
      {"--scale-major", word(t.scale_major)},
      {"--stages", t.stages == 0 ? "auto" : std::to_string(t.stages)},
      {"--epilogue-tile", t.epilogue_tile.automatic() ? "auto"
                                                      : std::to_string(t.epilogue_tile.m) + "x" +
                                                            std::to_string(t.epilogue_tile.n)},
      {"--out", word(t.out)}};
  if (t.c != Dtype::automatic) out.emplace_back("--c-type", word(t.c));
  if (t.d != Dtype::automatic) out.emplace_back("--d-type", word(t.d));
  if (r.limit > 0) out.emplace_back("--limit", std::to_string(r.limit));
  if (r.static_bytes > 0) out.emplace_back("--static", std::to_string(r.static_bytes));
  return out;
}

inline std::string describe(const TileRequest& r) {
  std::string out = "tilefit plan";
  for (const auto& [flag, value] : flags_of(r)) out += " " + flag + "=" + value;
  return out;
}

class TileSpace {
 public:
  explicit TileSpace(std::function<void(const TileRequest&)> visit) : visit_(std::move(visit)) {}

  void all() {
    sm120();
    sm90();
    sm100();
    elsewhere();
  }

 private:
  using Change = std::function<void(TileRequest&)>;

  /// `base` itself, then with each change alone.
  void variants(const TileRequest& base, const std::vector<Change>& changes) {
    visit_(base);
    for (const Change& change : changes) {
      TileRequest r = base;
      change(r);
      visit_(r);
    }
  }

  static std::vector<Change> stage_counts() {
    std::vector<Change> out;
    for (int n = 1; n <= 16; ++n) out.push_back([n](TileRequest& r) { r.tile.stages = n; });
    return out;
  }

  static std::vector<Change> common() {
    return {
        [](TileRequest& r) { r.builder = Builder::cutlass_4_2; },
        [](TileRequest& r) { r.tile.schedule = Schedule::pingpong; },
        [](TileRequest& r) { r.tile.schedule = Schedule::cooperative; },
        [](TileRequest& r) { r.tile.epilogue_schedule = EpilogueSchedule::nosmem; },
        [](TileRequest& r) {
          r.tile.cluster = {2, 1, 1, false};
        },
        [](TileRequest& r) {
          r.tile.cluster = {1, 2, 1, true};
        },
        [](TileRequest& r) { r.tile.out = Dtype::fp16; },
        [](TileRequest& r) { r.tile.out = Dtype::f32; },
        [](TileRequest& r) { r.tile.d_layout = DLayout::col; },
        [](TileRequest& r) { r.static_bytes = 1008; },
        [](TileRequest& r) { r.limit = 65536; },
        [](TileRequest& r) { r.family = Family::tilefit; },
    };
  }

  static std::vector<Change> sm120_types() {
    std::vector<Change> out;
    for (const Dtype c : {Dtype::none, Dtype::bf16, Dtype::f32})
      for (const Dtype d : {Dtype::bf16, Dtype::f32, Dtype::e4m3, Dtype::e2m1})
        out.push_back([c, d](TileRequest& r) { r.tile.c = c, r.tile.d = d; });
    for (const EpilogueTile e :
         {EpilogueTile{64, 32}, EpilogueTile{32, 32}, EpilogueTile{64, 16}, EpilogueTile{32, 16},
          EpilogueTile{128, 32}, EpilogueTile{128, 64}, EpilogueTile{64, 4}})
      out.push_back([e](TileRequest& r) { r.tile.epilogue_tile = e; });
    return out;
  }

  void extents(std::initializer_list<int> ms, std::initializer_list<int> ns,
               std::initializer_list<int> ks, const std::function<void(int, int, int)>& at) {
    for (const int m : ms)
      for (const int n : ns)
        for (const int k : ks) at(m, n, k);
  }

  TileRequest request(int cc, Operands operands, int m, int n, int k) {
    return {.arch = find_arch(cc), .tile = {.m = m, .n = n, .k = k, .operands = operands}};
  }

  void sm120() {
    std::vector<Change> changes = common();
    for (const auto& more : {stage_counts(), sm120_types()})
      changes.insert(changes.end(), more.begin(), more.end());
    for (const Operands o : {Operands::nvfp4, Operands::mxfp4, Operands::mxfp8, Operands::wfp4afp8,
                             Operands::mxfp8xmxfp4})
      extents({64, 128, 192, 256}, {8, 32, 48, 64, 96, 128, 192, 256, 384}, {32, 64, 128, 256, 512},
              [&](int m, int n, int k) {
                for (const Epilogue e : {Epilogue::none, Epilogue::finalize, Epilogue::lincomb})
                  for (const bool swap : {false, true}) {
                    TileRequest r = request(n == 128 ? 121 : 120, o, m, n, k);
                    r.tile.epilogue = e;
                    r.tile.swap_ab = swap;
                    variants(r, changes);
                  }
              });
    changes = stage_counts();
    changes.push_back([](TileRequest& r) { r.tile.schedule = Schedule::pingpong; });
    changes.push_back([](TileRequest& r) { r.tile.c = Dtype::none, r.tile.d = Dtype::f32; });
    changes.push_back([](TileRequest& r) { r.tile.scale_granularity = {128, 128}; });
    changes.push_back([](TileRequest& r) { r.tile.scale_major = ScaleMajor::mn; });
    for (const Operands o : {Operands::nvfp4, Operands::mxfp8, Operands::fp8blockwise})
      for (const KernelKind kernel : {KernelKind::dense, KernelKind::grouped})
        extents({64, 128, 256}, {64, 128, 256}, {128, 256}, [&](int m, int n, int k) {
          TileRequest r = request(120, o, m, n, k);
          r.family = Family::cutlass;
          r.tile.kernel = kernel;
          variants(r, changes);
        });
  }

  void sm90() {
    std::vector<Change> changes = common();
    const std::vector<Change> more = stage_counts();
    changes.insert(changes.end(), more.begin(), more.end());
    for (const Operands o : {Operands::bf16, Operands::fp8, Operands::f32})
      extents({64, 128, 256}, {8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 256},
              {16, 32, 64, 128}, [&](int m, int n, int k) {
                for (const Epilogue e : {Epilogue::none, Epilogue::finalize, Epilogue::activation})
                  for (const bool swap : {false, true}) {
                    TileRequest r = request(90, o, m, n, k);
                    r.tile.epilogue = e;
                    r.tile.swap_ab = swap;
                    r.tile.out = o == Operands::f32 ? Dtype::f32 : Dtype::bf16;
                    variants(r, changes);
                  }
              });
    for (const Operands o : {Operands::bf16xmxfp4, Operands::fp8xint4, Operands::fp8xmxfp4})
      extents({64, 128, 256}, {8, 16, 32, 64, 128, 256}, {64, 128, 256, 512},
              [&](int m, int n, int k) {
                TileRequest r = request(90, o, m, n, k);
                r.tile.mainloop = Mainloop::mixed;
                r.tile.scale_apply =
                    o == Operands::fp8xmxfp4 ? ScaleApply::pre_mma_e8m0 : ScaleApply::post_mma;
                variants(r, changes);
              });
  }

  void sm100() {
    std::vector<Change> changes = common();
    const std::vector<Change> more = stage_counts();
    changes.insert(changes.end(), more.begin(), more.end());
    for (const int cc : {100, 103})
      for (const Operands o :
           {Operands::nvfp4, Operands::mxfp8, Operands::wfp4afp8, Operands::bf16, Operands::fp8})
        extents({64, 128, 256}, {16, 32, 64, 128, 256}, {64, 128, 256}, [&](int m, int n, int k) {
          for (const Epilogue e : {Epilogue::none, Epilogue::finalize, Epilogue::activation})
            for (const bool swap : {false, true}) {
              TileRequest r = request(cc, o, m, n, k);
              r.tile.epilogue = e;
              r.tile.swap_ab = swap;
              variants(r, changes);
            }
        });
  }

  /// Architectures without such kernels, and operands that none has.
  void elsewhere() {
    for (const Arch& arch : kArchs)
      for (const OperandsRow& o : kOperands)
        visit_({.arch = &arch, .tile = {.operands = o.operands}});
  }

  std::function<void(const TileRequest&)> visit_;
};

}  // namespace tilefit
