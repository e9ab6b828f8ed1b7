// SPDX-License-Identifier: Apache-2.0
// Field by field what `tilefit name` prints.
#include "tilefit/cli/name_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tilefit/read/short_name.h"

namespace tilefit {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kReplace = Json::error_handler_t::replace;  // names may hold any bytes

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json positive_or_null(std::int64_t number) { return number > 0 ? Json(number) : Json(); }

Json smem_json(const DynamicSmem& smem) {
  Json bytes;
  if (smem.bytes.size() == 1)
    bytes = smem.bytes.front();
  else if (!smem.bytes.empty())
    bytes = smem.bytes;
  Json out{{"bytes", std::move(bytes)}, {"provenance", name(smem.provenance)}};
  if (smem.from != ReadFrom::none) out["from"] = name(smem.from);
  if (!smem.builder.empty()) out["builder"] = smem.builder;
  if (!smem.why.empty()) out["why"] = smem.why;
  return out;
}

Json epilogue_policy_json(const CutlassName& name) {
  const EpilogueSpec& e = name.gemm.epilogue;
  return Json{{"name", name.epilogue_policy},
              {"stages_c", e.stages_c},
              {"stages_d", e.stages_d},
              {"fragment", e.fragment},
              {"reuse_c", e.reuse_c},
              {"delay_store", e.delay_store},
              {"warp_groups", positive_or_null(e.warp_groups)}};
}

Json tile_json(const CutlassName& name) {
  const NamedGemm& g = name.gemm;
  Json tile{{"m", g.m}, {"n", g.n}, {"k", g.k}, {"cta_m", g.cta_m}, {"cta_n", g.cta_n}};
  const auto side = [&](int extent) { return extent > 0 ? Json(extent) : Json("dynamic"); };
  tile["cluster"] = Json::array({side(g.cluster.m), side(g.cluster.n), side(g.cluster.k)});
  return tile;
}

void add_cutlass(Json& out, const CutlassName& name) {
  const NamedGemm& g = name.gemm;
  out["kernel"] = name.grouped ? "grouped" : "dense";
  out["mainloop"] = name.mainloop_policy;
  out["schedule"] = tilefit::name(g.schedule);
  out["schedule_tag"] = text_or_null(name.schedule);
  out["scheduler"] = tilefit::name(g.scheduler);
  out["stages"] = positive_or_null(g.stages);
  out["scheduler_stages"] = positive_or_null(g.scheduler_stages);
  out["accumulator_stages"] = positive_or_null(g.accumulator_stages);
  out["tile"] = g.m > 0 ? tile_json(name) : Json();
  out["operands"] = g.a.element.empty() ? Json() : Json(operands_name(g));
  out["a"] = text_or_null(g.a.element);
  out["b"] = text_or_null(g.b.element);
  out["scale"] = text_or_null(g.scale);
  out["scale_vector"] = positive_or_null(g.scale_vector);
  out["epilogue"] = text_or_null(name.fusion);
  out["epilogue_policy"] = name.epilogue_policy.empty() ? Json() : epilogue_policy_json(name);
  out["epilogue_tile"] =
      g.epilogue.tile_m > 0 ? Json{{"m", g.epilogue.tile_m}, {"n", g.epilogue.tile_n}} : Json();
  out["c"] = text_or_null(name.c);
  out["d"] = text_or_null(name.d);
  out["d_layout"] = name.d.empty() ? Json() : Json(name.column_major_d ? "col" : "row");
}

std::string smem_text(const DynamicSmem& smem) {
  if (smem.bytes.empty()) return fmt::format("unknown: {}", printable(smem.why));
  std::string out = fmt::format("{} B", fmt::join(smem.bytes, " or "));
  if (!smem.builder.empty()) out += fmt::format(", as {} lays it out", smem.builder);
  if (smem.bytes.size() > 1) out += fmt::format(" ({})", printable(smem.why));
  return out;
}

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("  {:<15} {}\n", label, text);
}

std::string cutlass_text(const CutlassName& name) {
  const NamedGemm& g = name.gemm;
  std::string out;
  if (g.m > 0) {
    std::string tile = fmt::format("{}x{}x{}", g.m, g.n, g.k);
    if (g.two_sm()) tile += fmt::format(", {}x{} a block", g.cta_m, g.cta_n);
    out += line("tile", tile);
  }
  out += line("mainloop", fmt::format("{}, {} stages, {}", printable(name.mainloop_policy),
                                      g.stages, tilefit::name(g.schedule)));
  if (!g.a.element.empty()) {
    std::string types = fmt::format("{} x {}", printable(g.a.element), printable(g.b.element));
    if (!g.scale.empty()) types += fmt::format(", scales {}", g.scale);
    if (g.scale_vector > 0) types += fmt::format(" for each {} of K", g.scale_vector);
    out += line("operands", types);
  }
  if (!name.fusion.empty()) {
    out += line("epilogue", fmt::format("{}, C {}, D {}, stages {} + {}, tile {}x{}",
                                        printable(name.fusion), name.c, name.d, g.epilogue.stages_c,
                                        g.epilogue.stages_d, g.epilogue.tile_m, g.epilogue.tile_n));
  }
  return out;
}

}  // namespace

std::string name_json(std::string_view symbol, const KernelName& name) {
  Json out{{"schema", "tilefit.name/1"},
           {"symbol", symbol},
           {"short", name.short_name},
           {"family", text_or_null(name.family)},
           {"arch", name.arch > 0 ? Json(fmt::format("sm_{}", name.arch)) : Json()},
           {"readable", name.readable}};
  if (name.cutlass) add_cutlass(out, *name.cutlass);
  out["dynamic_smem"] = smem_json(name.dynamic);
  return out.dump(-1, ' ', false, kReplace);
}

std::string name_text(std::string_view symbol, const KernelName& name) {
  if (!name.readable) {
    return fmt::format("{}\n{}", printable(symbol.substr(0, 160)),
                       line("not read", printable(name.dynamic.why)));
  }
  std::string out = name.short_name + "\n";
  if (!name.family.empty()) {
    const std::string arch = name.arch > 0 ? fmt::format(", for sm_{}", name.arch) : "";
    out += line("family", std::string(name.family) + arch);
  }
  if (name.cutlass) out += cutlass_text(*name.cutlass);
  return out + line("dynamic memory", smem_text(name.dynamic));
}

}  // namespace tilefit
