// SPDX-License-Identifier: Apache-2.0
// docs/gpus.md is kArchs, kGpus and kSources in readable form. TILEFIT_REGEN=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tilefit/model/arch.h"
#include "tilefit/model/gpu.h"

namespace tilefit {
namespace {

/// Numbers the sources in the order in which the tables mention them.
class Footnotes {
 public:
  std::string mark(Source source) {
    if (source == Source::none) return "";
    std::size_t i = 0;
    while (i < cited_.size() && cited_[i] != source) ++i;
    if (i == cited_.size()) cited_.push_back(source);
    return "[" + std::to_string(i + 1) + "]";
  }
  std::string list() const {
    std::string out;
    for (std::size_t i = 0; i < cited_.size(); ++i) {
      const SourceRow& source = row(cited_[i]);
      const bool link =
          source.where.starts_with("https://") && source.where.find(' ') == std::string_view::npos;
      out += std::to_string(i + 1) + ". " + std::string(source.title) + ": " + (link ? "<" : "") +
             std::string(source.where) + (link ? ">\n" : "\n");
    }
    return out;
  }

 private:
  std::vector<Source> cited_;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

template <class T>
std::string cell(const Stated<T>& n, Footnotes& notes, double unit = 1) {
  return n ? " " + number(static_cast<double>(n.value) / unit) + " " + notes.mark(n.source) + " |"
           : std::string(" – |");
}

std::string cell(double value, const Sources& from, Footnotes& notes) {
  if (value == 0) return " – |";
  std::string out = " " + number(value) + " ";
  for (const Source s : from) out += notes.mark(s);
  return out + " |";
}

std::string arch_table(Footnotes& notes) {
  std::string out =
      "| arch | bytes a block can opt in to | bytes per SM | of them the driver's, per block | "
      "rounded up to | threads per SM | blocks per SM | cluster, portable | cluster, most |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Arch& a : kArchs) {
    out += "| " + std::string(a.name) + " |";
    out += cell(static_cast<double>(a.smem_per_block), a.smem_from, notes);
    out += " " + std::to_string(a.smem_per_sm) + " | " + std::to_string(a.smem_reserved) + " |";
    out += cell(static_cast<double>(a.smem_granularity), a.granularity_from, notes);
    out += cell(a.threads_per_sm, a.threads_from, notes);
    out += " " + std::to_string(a.blocks_per_sm) + " |";
    out += cell(a.cluster_portable, a.cluster_from, notes);
    out += a.cluster_max == 0 ? " – |\n" : " " + std::to_string(a.cluster_max) + " |\n";
  }
  return out;
}

std::string gpu_table(Footnotes& notes) {
  constexpr double kMiB = 1024 * 1024;
  std::string out =
      "| GPU | short name | arch | SMs | memory GB | GB/s | L2 MiB | boost MHz | W | "
      "BF16 | FP8 | FP4 |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Gpu& g : kGpus) {
    out += "| " + std::string(g.name) + " | `" + std::string(g.aliases[0]) + "` | sm_" +
           std::to_string(g.cc) + " |" + cell(g.sms, notes) + cell(g.memory_gb, notes) +
           cell(g.bandwidth_gbps, notes) + cell(g.l2_bytes, notes, kMiB) +
           cell(g.boost_mhz, notes) + cell(g.power_w, notes) + cell(g.bf16_tflops, notes) +
           cell(g.fp8_tflops, notes) + cell(g.fp4_tflops, notes) + "\n";
  }
  return out;
}

std::string document() {
  Footnotes notes;
  std::string out =
      "<!-- Written by tests/model/gpus_doc_test.cpp from tilefit/model/arch.h and gpu.h. -->\n"
      "# Architectures and GPUs\n\n"
      "Every number with its source. A dash is a number that no source gives, or about which "
      "public sources differ;\nthe comments in `tilefit/model/gpu.h` say which.\n\n"
      "## What an architecture allows\n\n"
      "A block's bytes are static + dynamic shared memory; the limit is inclusive and "
      "needs an opt-in above 49152.\n\n";
  out += arch_table(notes);
  out +=
      "\nEvery row: 65536 registers per SM and per block, 255 per thread, 1024 threads per block.\n"
      "\n## GPUs\n\n"
      "Peaks are dense TFLOPS (FP8 with FP32 accumulation). Compute capabilities are from "
      "<https://developer.nvidia.com/cuda-gpus>.\n\n";
  out += gpu_table(notes);
  return out + "\n## Sources\n\n" + notes.list();
}

TEST(GpusDoc, IsCurrent) {
  const std::string path = std::string(TILEFIT_TESTS_DIR) + "/../docs/gpus.md";
  const std::string expected = document();
  if (std::getenv("TILEFIT_REGEN") != nullptr) std::ofstream(path) << expected;
  std::ifstream in(path);
  const std::string found{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(found, expected) << "docs/gpus.md is old: run TILEFIT_REGEN=1 model_test";
}

}  // namespace
}  // namespace tilefit
