// SPDX-License-Identifier: Apache-2.0
#include "tilefit/model/gpu_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace tilefit {
namespace {

const Gpu* gpu_named(std::string_view name) {
  const Result<Target> found = find_target(name);
  return found ? found->gpu : nullptr;
}

std::string_view name_of(std::string_view name) {
  const Gpu* gpu = gpu_named(name);
  return gpu == nullptr ? std::string_view("none") : gpu->name;
}

int arch_named(std::string_view name) {
  const Result<Target> found = find_target(name);
  return found && found->gpu == nullptr ? found->arch->cc : 0;
}

Error error_of(std::string_view name) {
  const Result<Target> found = find_target(name);
  return found ? Error{"found " + std::string(found->arch->name), "", ""} : found.error();
}

bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

TEST(Gpu, EachRowHasAnArchitecture) {
  for (const Gpu& gpu : kGpus) EXPECT_NE(find_arch(gpu.cc), nullptr) << gpu.name;
}

TEST(Gpu, VariantsOfAProductStandTogetherAndShareTheArchitecture) {
  std::map<std::string_view, const Gpu*> last;
  for (const Gpu& gpu : kGpus) {
    const auto [at, is_first] = last.try_emplace(gpu.product, &gpu);
    if (is_first) continue;
    EXPECT_EQ(at->second->cc, gpu.cc) << gpu.name;
    EXPECT_EQ(at->second + 1, &gpu) << gpu.name << " stands apart from its product";
    at->second = &gpu;
  }
}

template <class T>
void expect_stated(const Stated<T>& number, std::string_view gpu) {
  EXPECT_EQ(number.value > 0, static_cast<bool>(number)) << gpu;
  if (number) {
    EXPECT_FALSE(row(number.source).where.empty()) << gpu;
  }
}

TEST(Gpu, EveryNumberNamesItsSource) {
  for (const Gpu& gpu : kGpus) {
    expect_stated(gpu.sms, gpu.name);
    expect_stated(gpu.memory_gb, gpu.name);
    expect_stated(gpu.bandwidth_gbps, gpu.name);
    expect_stated(gpu.l2_bytes, gpu.name);
    expect_stated(gpu.boost_mhz, gpu.name);
    expect_stated(gpu.power_w, gpu.name);
    expect_stated(gpu.bf16_tflops, gpu.name);
    expect_stated(gpu.fp8_tflops, gpu.name);
    expect_stated(gpu.fp4_tflops, gpu.name);
  }
}

TEST(Gpu, PeaksGrowAsTypesShrinkAndExistWhereTheTypeDoes) {
  for (const Gpu& gpu : kGpus) {
    SCOPED_TRACE(gpu.name);
    if (gpu.fp8_tflops) {
      EXPECT_GE(gpu.cc, 89);
    }
    if (gpu.fp4_tflops) {
      EXPECT_GE(gpu.cc, 100);
    }
    if (gpu.bf16_tflops) {
      EXPECT_GE(gpu.cc, 80);
    }
    if (gpu.bf16_tflops && gpu.fp8_tflops) {
      EXPECT_NEAR(gpu.fp8_tflops.value / gpu.bf16_tflops.value, 2, 0.05);
    }
    if (gpu.fp8_tflops && gpu.fp4_tflops) {
      EXPECT_GT(gpu.fp4_tflops.value / gpu.fp8_tflops.value, 1.95);
    }
  }
}

TEST(GpuNames, EveryRowIsFoundByItsNameAsPeopleWriteIt) {
  for (const Gpu& gpu : kGpus) {
    std::string underscored(gpu.name), upper(gpu.name), dense;
    std::replace(underscored.begin(), underscored.end(), ' ', '_');
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (const char c : gpu.name)
      if (c != ' ' && c != '-') dense += c;
    EXPECT_EQ(name_of(gpu.name), gpu.name);
    EXPECT_EQ(name_of(underscored), gpu.name);
    EXPECT_EQ(name_of(upper), gpu.name);
    EXPECT_EQ(name_of(dense), gpu.name);
    EXPECT_EQ(name_of("  " + std::string(gpu.name) + "\t"), gpu.name);
    EXPECT_EQ(find_target(gpu.name)->arch, find_arch(gpu.cc));
  }
}

TEST(GpuNames, EveryAliasFindsItsRowOrSaysThatItIsAmbiguous) {
  for (const Gpu& gpu : kGpus) {
    for (const std::string_view alias : gpu.aliases) {
      if (alias.empty()) continue;
      const Result<Target> found = find_target(alias);
      if (found) {
        EXPECT_EQ(found->gpu, &gpu) << alias;
      } else {
        EXPECT_EQ(found.error().what, "ambiguous GPU '" + std::string(alias) + "'");
        EXPECT_NE(found.error().fix.find(gpu.product), std::string::npos) << found.error().fix;
      }
    }
  }
}

TEST(GpuNames, AProductStandsForItsFirstVariant) {
  EXPECT_EQ(name_of("rtx pro 6000"), "NVIDIA RTX PRO 6000 Blackwell Workstation Edition");
  EXPECT_EQ(name_of("RTX PRO 6000 Blackwell"), "NVIDIA RTX PRO 6000 Blackwell Workstation Edition");
  EXPECT_EQ(name_of("NVIDIA_RTX_PRO_6000_Blackwell_Workstation_Edition"),
            "NVIDIA RTX PRO 6000 Blackwell Workstation Edition");
  EXPECT_EQ(name_of("h100"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(name_of("A100"), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(name_of("a100 pcie"), "NVIDIA A100 80GB PCIe");
  EXPECT_EQ(name_of("gb10"), "NVIDIA GB10");
  EXPECT_EQ(name_of("DGX Spark"), "NVIDIA GB10");
  EXPECT_EQ(name_of("Orin"), "NVIDIA Jetson AGX Orin 64GB");
}

TEST(GpuNames, AlikeNamesStayApart) {
  EXPECT_EQ(name_of("a10"), "NVIDIA A10");
  EXPECT_EQ(name_of("a10g"), "NVIDIA A10G");
  EXPECT_EQ(name_of("l40"), "NVIDIA L40");
  EXPECT_EQ(name_of("l40s"), "NVIDIA L40S");
  EXPECT_EQ(name_of("h20"), "NVIDIA H20");
  EXPECT_EQ(name_of("b200"), "NVIDIA B200");
  EXPECT_EQ(name_of("gb200"), "NVIDIA GB200");
  EXPECT_EQ(name_of("rtx 4090 d"), "none");
  EXPECT_EQ(name_of("NVIDIA GeForce RTX 5090 Laptop GPU"), "none");
  EXPECT_EQ(name_of("rtx 50"), "none");
}

TEST(GpuNames, AnOpenProductIsAnErrorThatListsTheProducts) {
  EXPECT_EQ(error_of("rtx 6000"), (Error{"ambiguous GPU 'rtx 6000'", "",
                                         "say which: RTX PRO 6000, RTX 6000 Ada; "
                                         "`tilefit gpus` lists all"}));
  EXPECT_EQ(error_of("jetson").what, "ambiguous GPU 'jetson'");
  EXPECT_EQ(error_of("RTX").what, "ambiguous GPU 'RTX'");
  EXPECT_EQ(error_of("rtx pro").what, "ambiguous GPU 'rtx pro'");
}

TEST(GpuNames, ArchitecturesInEveryForm) {
  for (const char* name : {"sm_120", "sm120", "SM120", "sm 120", "sm_120a", "sm_120f",
                           "compute_120", "Compute_120a", "12.0", "12.0a", "120", "cc 12.0"})
    EXPECT_EQ(arch_named(name), 120) << name;
  for (const Arch& a : kArchs) {
    const std::string digits = std::to_string(a.cc);
    const std::string dotted = digits.substr(0, digits.size() - 1) + "." + digits.back();
    EXPECT_EQ(arch_named(a.name), a.cc);
    EXPECT_EQ(arch_named(digits), a.cc);
    EXPECT_EQ(arch_named(dotted), a.cc) << dotted;
  }
  EXPECT_EQ(arch_named("sm_90a"), 90);
  EXPECT_EQ(arch_named("sm_90f"), 0) << "families begin with sm_100";
  EXPECT_EQ(arch_named("sm_80a"), 0) << "architecture-specific code begins with sm_90";
  for (const char* name : {"-120", "1 2 0", "sm", "sm_", "12.", ".0", "0120", "012", "sm_12_0",
                           "12.0.0", "sm90mixed", "a", "120x"})
    EXPECT_EQ(arch_named(name), 0) << name;
}

TEST(GpuNames, UnknownNamesSuggestTheNearest) {
  EXPECT_EQ(error_of("rtx pro 600"),
            (Error{"unknown GPU 'rtx pro 600'", "",
                   "did you mean 'rtx pro 6000'? `tilefit gpus` lists all"}));
  EXPECT_EQ(error_of("rtx5091").fix, "did you mean 'rtx 5090'? `tilefit gpus` lists all");
  EXPECT_EQ(error_of("a101").fix, "did you mean 'a100'? `tilefit gpus` lists all");
  EXPECT_EQ(error_of("h300").fix, "did you mean 'h100'? `tilefit gpus` lists all");
  EXPECT_EQ(error_of("sm_99"), (Error{"unknown architecture 'sm_99'", "",
                                      "did you mean 'sm_90'? `tilefit gpus` lists all"}));
  EXPECT_EQ(error_of("sm_12").fix, "did you mean 'sm_120'? `tilefit gpus` lists all");
  EXPECT_EQ(error_of("xyz"), (Error{"unknown GPU 'xyz'", "", "`tilefit gpus` lists all"}));
  EXPECT_EQ(error_of("").what, "unknown GPU ''");
  EXPECT_EQ(error_of("nvidia").fix, "`tilefit gpus` lists all");
}

TEST(GpuNames, AnyBytesGiveAnAnswerThatPrints) {
  using std::string_literals::operator""s;
  EXPECT_EQ(error_of("sm_120\0"s).what, "unknown GPU 'sm_120\\x00'");
  EXPECT_EQ(error_of("\xff\xfe").what, "unknown GPU '\\xff\\xfe'");
  EXPECT_EQ(error_of("h200\n").what, "unknown GPU 'h200\\x0a'");
  const Error huge = error_of(std::string(1 << 20, 'h'));
  EXPECT_EQ(huge.what, "unknown GPU '" + std::string(60, 'h') + "...'");
  for (int byte = 0; byte < 256; ++byte) {
    const Error error = error_of("rtx" + std::string(3, static_cast<char>(byte)));
    EXPECT_TRUE(is_text(error.what) && is_text(error.fix)) << byte;
  }
}

}  // namespace
}  // namespace tilefit
