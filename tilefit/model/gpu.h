// SPDX-License-Identifier: Apache-2.0
// Gpu: what one product is, as far as NVIDIA or the device itself says. kGpus has a row for each.
//
// Every number carries its source (tilefit/model/source.h); a number without one is unknown, and
// stays unknown where public sources differ: the comment above the row says how. `cc` is from
// https://developer.nvidia.com/cuda-gpus. Peaks are dense; where a page states the rate with 2:4
// sparsity only, half of it. FP8 peaks are those with FP32 accumulation. SMs of products whose page
// states CUDA cores are cores / 128. The first row of a product is its commonest variant.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tilefit/model/source.h"

namespace tilefit {

struct Gpu {
  std::string_view name;                      // as the driver prints it
  std::string_view product;                   // what its variants share
  int cc = 0;                                 // 120; a row of kArchs
  std::array<std::string_view, 6> aliases{};  // what people write; the first is the short name

  Stated<int> sms{};
  Stated<int> memory_gb{};          // as its maker counts
  Stated<double> bandwidth_gbps{};  // GB/s of its memory
  Stated<std::int64_t> l2_bytes{};
  Stated<int> boost_mhz{};  // where a paper gives two, the one of tensor core operations
  Stated<int> power_w{};    // the highest that its maker states for the board or module
  Stated<double> bf16_tflops{}, fp8_tflops{}, fp4_tflops{};
};

namespace gpu_rows {
using enum Source;
inline constexpr std::int64_t kMiB = 1 << 20;

// clang-format off
inline constexpr std::array kTable{
    Gpu{.name = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
        .product = "RTX PRO 6000", .cc = 120,
        .aliases = {"rtx pro 6000", "pro 6000", "rtx 6000 pro", "rtx 6000 blackwell", "rtx 6000"},
        .sms = {188, rtx_pro_paper}, .memory_gb = {96, rtx_pro_paper},
        .bandwidth_gbps = {1792, rtx_pro_paper}, .l2_bytes = {128 * kMiB, rtx_pro_paper},
        .boost_mhz = {2617, rtx_pro_paper}, .power_w = {600, rtx_pro_paper},
        .bf16_tflops = {503.8, rtx_pro_paper}, .fp8_tflops = {1007.6, rtx_pro_paper},
        .fp4_tflops = {2015.2, rtx_pro_paper}},
    Gpu{.name = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
        .product = "RTX PRO 6000", .cc = 120,
        .aliases = {"rtx pro 6000 max-q", "pro 6000 max-q"},
        .sms = {188, rtx_pro_paper}, .memory_gb = {96, rtx_pro_paper},
        .bandwidth_gbps = {1792, rtx_pro_paper}, .l2_bytes = {128 * kMiB, rtx_pro_paper},
        .boost_mhz = {2280, rtx_pro_paper}, .power_w = {300, rtx_pro_paper},
        .bf16_tflops = {438.9, rtx_pro_paper}, .fp8_tflops = {877.9, rtx_pro_paper},
        .fp4_tflops = {1755.7, rtx_pro_paper}},
    // Peaks: the page does not say whether its tensor rates are dense.
    Gpu{.name = "NVIDIA RTX PRO 6000 Blackwell Server Edition",
        .product = "RTX PRO 6000", .cc = 120,
        .aliases = {"rtx pro 6000 server", "pro 6000 server", "rtx pro 6000 se"},
        .sms = {188, rtx_pro_server_page}, .memory_gb = {96, rtx_pro_server_page},
        .bandwidth_gbps = {1597, rtx_pro_server_page}, .power_w = {600, rtx_pro_server_page}},
    // Public sources differ about all of its numbers (84 or 96 GB, 1398 to 1800 GB/s).
    Gpu{.name = "NVIDIA RTX 6000D", .product = "RTX 6000D", .cc = 120,
        .aliases = {"rtx pro 6000d", "6000d"}},
    Gpu{.name = "NVIDIA RTX PRO 5000 Blackwell", .product = "RTX PRO 5000", .cc = 120,
        .aliases = {"rtx pro 5000", "pro 5000"}, .sms = {110, rtx_pro_pages},
        .memory_gb = {48, rtx_pro_pages}, .bandwidth_gbps = {1344, rtx_pro_pages},
        .power_w = {300, rtx_pro_pages}, .fp4_tflops = {1032, rtx_pro_pages}},
    Gpu{.name = "NVIDIA RTX PRO 5000 72GB Blackwell", .product = "RTX PRO 5000", .cc = 120,
        .aliases = {"rtx pro 5000 72gb"}, .sms = {110, rtx_pro_pages},
        .memory_gb = {72, rtx_pro_pages}, .bandwidth_gbps = {1344, rtx_pro_pages},
        .power_w = {300, rtx_pro_pages}},
    Gpu{.name = "NVIDIA RTX PRO 4500 Blackwell", .product = "RTX PRO 4500", .cc = 120,
        .aliases = {"rtx pro 4500", "pro 4500"}, .sms = {82, rtx_pro_pages},
        .memory_gb = {32, rtx_pro_pages}, .bandwidth_gbps = {896, rtx_pro_pages},
        .power_w = {200, rtx_pro_pages}, .fp4_tflops = {843.5, rtx_pro_pages}},
    Gpu{.name = "NVIDIA RTX PRO 4000 Blackwell", .product = "RTX PRO 4000", .cc = 120,
        .aliases = {"rtx pro 4000", "pro 4000"}, .sms = {70, rtx_pro_pages},
        .memory_gb = {24, rtx_pro_pages}, .bandwidth_gbps = {672, rtx_pro_pages},
        .power_w = {140, rtx_pro_pages}},
    Gpu{.name = "NVIDIA GeForce RTX 5090", .product = "RTX 5090", .cc = 120,
        .aliases = {"rtx 5090", "5090"}, .sms = {170, rtx_blackwell_paper},
        .memory_gb = {32, rtx_blackwell_paper}, .bandwidth_gbps = {1792, rtx_blackwell_paper},
        .l2_bytes = {96 * kMiB, rtx_blackwell_paper}, .boost_mhz = {2407, rtx_blackwell_paper},
        .power_w = {575, rtx_blackwell_paper}, .bf16_tflops = {209.5, rtx_blackwell_paper},
        .fp8_tflops = {419, rtx_blackwell_paper}, .fp4_tflops = {1676, rtx_blackwell_paper}},
    Gpu{.name = "NVIDIA GeForce RTX 5080", .product = "RTX 5080", .cc = 120,
        .aliases = {"rtx 5080", "5080"}, .sms = {84, rtx_blackwell_paper},
        .memory_gb = {16, rtx_blackwell_paper}, .bandwidth_gbps = {960, rtx_blackwell_paper},
        .l2_bytes = {64 * kMiB, rtx_blackwell_paper}, .boost_mhz = {2617, rtx_blackwell_paper},
        .power_w = {360, rtx_blackwell_paper}, .bf16_tflops = {112.6, rtx_blackwell_paper},
        .fp8_tflops = {225.1, rtx_blackwell_paper}, .fp4_tflops = {900.5, rtx_blackwell_paper}},
    Gpu{.name = "NVIDIA GeForce RTX 5070 Ti", .product = "RTX 5070 Ti", .cc = 120,
        .aliases = {"rtx 5070 ti", "5070 ti"}, .sms = {70, rtx_blackwell_paper},
        .memory_gb = {16, rtx_blackwell_paper}, .bandwidth_gbps = {896, rtx_blackwell_paper},
        .l2_bytes = {48 * kMiB, rtx_blackwell_paper}, .boost_mhz = {2452, rtx_blackwell_paper},
        .power_w = {300, rtx_blackwell_paper}, .bf16_tflops = {87.9, rtx_blackwell_paper},
        .fp8_tflops = {175.8, rtx_blackwell_paper}, .fp4_tflops = {703, rtx_blackwell_paper}},
    // Peaks: stated as "up to 1 PFLOP FP4 with sparsity" only.
    Gpu{.name = "NVIDIA GB10", .product = "GB10", .cc = 121,
        .aliases = {"gb10", "dgx spark", "spark", "dgx spark gb10"}, .sms = {48, device_reports},
        .memory_gb = {128, dgx_spark_docs}, .bandwidth_gbps = {273, dgx_spark_docs},
        .power_w = {140, dgx_spark_docs}},
    // Bandwidth: 7.7 TB/s in the datasheet, 8 TB/s on the HGX page.
    Gpu{.name = "NVIDIA B200", .product = "B200", .cc = 100,
        .aliases = {"b200", "b200 sxm", "hgx b200"}, .sms = {148, device_reports},
        .memory_gb = {180, blackwell_datasheet}, .power_w = {1000, blackwell_datasheet},
        .bf16_tflops = {2250, blackwell_datasheet}, .fp8_tflops = {4500, blackwell_datasheet},
        .fp4_tflops = {9000, blackwell_datasheet}},
    Gpu{.name = "NVIDIA GB200", .product = "GB200", .cc = 100,
        .aliases = {"gb200", "gb200 nvl72", "grace blackwell"}, .sms = {152, device_reports},
        .memory_gb = {186, blackwell_datasheet}, .bandwidth_gbps = {8000, blackwell_datasheet},
        .l2_bytes = {126 * kMiB, blackwell_tuning}, .power_w = {1200, blackwell_datasheet},
        .bf16_tflops = {2500, blackwell_datasheet}, .fp8_tflops = {5000, blackwell_datasheet},
        .fp4_tflops = {10000, blackwell_datasheet}},
    // Pages differ: memory 270 or 288 GB; bandwidth 7.7 or 8 TB/s; FP4 13.5, 14 or 15 PFLOPS.
    Gpu{.name = "NVIDIA B300 SXM6 AC", .product = "B300", .cc = 103,
        .aliases = {"b300", "b300 sxm", "hgx b300"}, .sms = {148, device_reports},
        .power_w = {1100, blackwell_brief}, .bf16_tflops = {2250, blackwell_brief},
        .fp8_tflops = {4500, blackwell_brief}},
    // Memory: 278, 279 or 288 GB in NVIDIA's pages.
    Gpu{.name = "NVIDIA GB300", .product = "GB300", .cc = 103,
        .aliases = {"gb300", "gb300 nvl72"}, .sms = {152, device_reports},
        .bandwidth_gbps = {8000, blackwell_brief}, .bf16_tflops = {2500, blackwell_brief},
        .fp8_tflops = {5000, blackwell_brief}, .fp4_tflops = {15000, blackwell_brief}},
    Gpu{.name = "NVIDIA Thor", .product = "Jetson AGX Thor", .cc = 110,
        .aliases = {"jetson thor", "thor", "jetson agx thor", "jetson t5000", "jetson", "jetson agx"},
        .sms = {20, device_reports}, .memory_gb = {128, jetson_thor_page},
        .bandwidth_gbps = {273, jetson_thor_page}, .l2_bytes = {32 * kMiB, device_reports},
        .power_w = {130, jetson_thor_page}, .fp4_tflops = {1035, jetson_thor_page}},
    Gpu{.name = "NVIDIA H100 80GB HBM3", .product = "H100", .cc = 90,
        .aliases = {"h100", "h100 sxm", "h100 sxm5", "h100 sxm 80gb"}, .sms = {132, hopper_paper},
        .memory_gb = {80, hopper_paper}, .bandwidth_gbps = {3350, h100_page},
        .l2_bytes = {50 * kMiB, hopper_paper}, .boost_mhz = {1830, hopper_paper},
        .power_w = {700, hopper_paper}, .bf16_tflops = {989.4, hopper_paper},
        .fp8_tflops = {1978.9, hopper_paper}},
    Gpu{.name = "NVIDIA H100 PCIe", .product = "H100", .cc = 90,
        .aliases = {"h100 pcie", "h100 pcie 80gb"}, .sms = {114, hopper_paper},
        .memory_gb = {80, hopper_paper}, .bandwidth_gbps = {2039, hopper_paper},
        .l2_bytes = {50 * kMiB, hopper_paper}, .boost_mhz = {1620, hopper_paper},
        .power_w = {350, hopper_paper}, .bf16_tflops = {756, hopper_paper},
        .fp8_tflops = {1513, hopper_paper}},
    Gpu{.name = "NVIDIA H100 NVL", .product = "H100", .cc = 90,
        .aliases = {"h100 nvl", "h100 nvl 94gb"}, .sms = {132, device_reports},
        .memory_gb = {94, h100_page}, .bandwidth_gbps = {3900, h100_page},
        .power_w = {400, h100_page}, .bf16_tflops = {835.5, h100_page},
        .fp8_tflops = {1670.5, h100_page}},
    Gpu{.name = "NVIDIA H200", .product = "H200", .cc = 90,
        .aliases = {"h200", "h200 sxm", "h200 sxm 141gb"}, .sms = {132, measured_h200},
        .memory_gb = {141, h200_datasheet}, .bandwidth_gbps = {4800, h200_datasheet},
        .power_w = {700, h200_datasheet}, .bf16_tflops = {989.5, h200_datasheet},
        .fp8_tflops = {1979, h200_datasheet}},
    Gpu{.name = "NVIDIA H200 NVL", .product = "H200", .cc = 90,
        .aliases = {"h200 nvl"}, .sms = {132, device_reports}, .memory_gb = {141, h200_datasheet},
        .bandwidth_gbps = {4800, h200_datasheet}, .power_w = {600, h200_datasheet},
        .bf16_tflops = {835.5, h200_datasheet}, .fp8_tflops = {1670.5, h200_datasheet}},
    // NVIDIA publishes no specification of it but the memory.
    Gpu{.name = "NVIDIA H20", .product = "H20", .cc = 90,
        .aliases = {"h20", "h20 sxm", "h20 96gb"}, .sms = {78, device_reports},
        .memory_gb = {96, vgpu_docs}},
    Gpu{.name = "NVIDIA H20-3e", .product = "H20", .cc = 90,
        .aliases = {"h20 141gb", "h20 3e"}, .memory_gb = {141, vgpu_docs}},
    Gpu{.name = "NVIDIA H800", .product = "H800", .cc = 90,
        .aliases = {"h800", "h800 sxm"}, .memory_gb = {80, device_reports}},
    Gpu{.name = "NVIDIA H800 PCIe", .product = "H800", .cc = 90,
        .aliases = {"h800 pcie"}, .sms = {114, device_reports}, .memory_gb = {80, device_reports}},
    // 480 GB is the memory of the CPU; power is stated for CPU and GPU together.
    Gpu{.name = "NVIDIA GH200 480GB", .product = "GH200", .cc = 90,
        .aliases = {"gh200", "gh200 96gb", "grace hopper"}, .sms = {132, device_reports},
        .memory_gb = {96, gh200_datasheet}, .bandwidth_gbps = {4000, gh200_datasheet},
        .bf16_tflops = {990, gh200_datasheet}, .fp8_tflops = {1979, gh200_datasheet}},
    Gpu{.name = "NVIDIA GH200 144G HBM3e", .product = "GH200", .cc = 90,
        .aliases = {"gh200 144gb"}, .sms = {132, device_reports},
        .memory_gb = {144, gh200_datasheet}, .bandwidth_gbps = {4900, gh200_datasheet},
        .bf16_tflops = {990, gh200_datasheet}, .fp8_tflops = {1979, gh200_datasheet}},
    // BF16 as its page states it, dense; the L40, the same chip 1 % slower, states half as much.
    Gpu{.name = "NVIDIA L40S", .product = "L40S", .cc = 89,
        .aliases = {"l40s"}, .sms = {142, l40s_page}, .memory_gb = {48, l40s_page},
        .bandwidth_gbps = {864, l40s_page}, .power_w = {350, l40s_page},
        .bf16_tflops = {362.05, l40s_page}, .fp8_tflops = {733, l40s_page}},
    Gpu{.name = "NVIDIA L40", .product = "L40", .cc = 89,
        .aliases = {"l40"}, .sms = {142, l40_datasheet}, .memory_gb = {48, l40_datasheet},
        .bandwidth_gbps = {864, l40_datasheet}, .power_w = {300, l40_datasheet},
        .bf16_tflops = {181.05, l40_datasheet}},
    Gpu{.name = "NVIDIA L4", .product = "L4", .cc = 89,
        .aliases = {"l4"}, .sms = {58, device_reports}, .memory_gb = {24, l4_page},
        .bandwidth_gbps = {300, l4_page}, .power_w = {72, l4_page}, .bf16_tflops = {121, l4_page},
        .fp8_tflops = {242.5, l4_page}},
    Gpu{.name = "NVIDIA GeForce RTX 4090", .product = "RTX 4090", .cc = 89,
        .aliases = {"rtx 4090", "4090"}, .sms = {128, ada_paper}, .memory_gb = {24, ada_paper},
        .bandwidth_gbps = {1008, ada_paper}, .l2_bytes = {72 * kMiB, ada_paper},
        .boost_mhz = {2520, ada_paper}, .power_w = {450, ada_paper},
        .bf16_tflops = {165.2, ada_paper}, .fp8_tflops = {330.3, ada_paper}},
    Gpu{.name = "NVIDIA RTX 6000 Ada Generation", .product = "RTX 6000 Ada", .cc = 89,
        .aliases = {"rtx 6000 ada", "6000 ada", "rtx 6000"}, .sms = {142, rtx_pro_paper},
        .memory_gb = {48, rtx_pro_paper}, .bandwidth_gbps = {960, rtx_pro_paper},
        .l2_bytes = {96 * kMiB, rtx_pro_paper}, .boost_mhz = {2505, rtx_pro_paper},
        .power_w = {300, rtx_pro_paper}, .bf16_tflops = {364, rtx_pro_paper},
        .fp8_tflops = {728.5, rtx_pro_paper}},
    Gpu{.name = "NVIDIA A100-SXM4-80GB", .product = "A100", .cc = 80,
        .aliases = {"a100", "a100 80gb", "a100 sxm", "a100 sxm 80gb", "a100 80gb sxm"},
        .sms = {108, ampere_paper}, .memory_gb = {80, a100_datasheet},
        .bandwidth_gbps = {2039, a100_datasheet}, .l2_bytes = {40 * kMiB, ampere_paper},
        .power_w = {400, a100_datasheet}, .bf16_tflops = {312, a100_datasheet}},
    Gpu{.name = "NVIDIA A100 80GB PCIe", .product = "A100", .cc = 80,
        .aliases = {"a100 pcie", "a100 pcie 80gb"}, .sms = {108, ampere_paper},
        .memory_gb = {80, a100_datasheet}, .bandwidth_gbps = {1935, a100_datasheet},
        .l2_bytes = {40 * kMiB, ampere_paper}, .power_w = {300, a100_datasheet},
        .bf16_tflops = {312, a100_datasheet}},
    Gpu{.name = "NVIDIA A100-SXM4-40GB", .product = "A100", .cc = 80,
        .aliases = {"a100 40gb", "a100 sxm 40gb", "a100 40gb sxm"}, .sms = {108, ampere_paper},
        .memory_gb = {40, ampere_paper}, .bandwidth_gbps = {1555, ampere_paper},
        .l2_bytes = {40 * kMiB, ampere_paper}, .boost_mhz = {1410, ampere_paper},
        .power_w = {400, ampere_paper}, .bf16_tflops = {312, ampere_paper}},
    Gpu{.name = "NVIDIA A100-PCIE-40GB", .product = "A100", .cc = 80,
        .aliases = {"a100 pcie 40gb", "a100 40gb pcie"}, .sms = {108, ampere_paper},
        .memory_gb = {40, a100_datasheet}, .bandwidth_gbps = {1555, a100_datasheet},
        .l2_bytes = {40 * kMiB, ampere_paper}, .power_w = {250, a100_datasheet},
        .bf16_tflops = {312, a100_datasheet}},
    Gpu{.name = "NVIDIA A30", .product = "A30", .cc = 80,
        .aliases = {"a30"}, .sms = {56, device_reports}, .memory_gb = {24, a30_datasheet},
        .bandwidth_gbps = {933, a30_datasheet}, .power_w = {165, a30_datasheet},
        .bf16_tflops = {165, a30_datasheet}},
    Gpu{.name = "NVIDIA A10", .product = "A10", .cc = 86,
        .aliases = {"a10"}, .sms = {72, device_reports}, .memory_gb = {24, a10_datasheet},
        .bandwidth_gbps = {600, a10_datasheet}, .power_w = {150, a10_datasheet},
        .bf16_tflops = {125, a10_datasheet}},
    // SMs: devices report 80, a public table 72. Power: 150 or 300 W.
    Gpu{.name = "NVIDIA A10G", .product = "A10G", .cc = 86,
        .aliases = {"a10g"}, .memory_gb = {24, a10g_datasheet},
        .bandwidth_gbps = {600, a10g_datasheet}, .bf16_tflops = {70, a10g_datasheet}},
    Gpu{.name = "NVIDIA A40", .product = "A40", .cc = 86,
        .aliases = {"a40"}, .sms = {84, ga102_paper}, .memory_gb = {48, a40_datasheet},
        .bandwidth_gbps = {696, a40_datasheet}, .power_w = {300, a40_datasheet},
        .bf16_tflops = {149.7, a40_datasheet}},
    Gpu{.name = "NVIDIA RTX A6000", .product = "RTX A6000", .cc = 86,
        .aliases = {"rtx a6000", "a6000"}, .sms = {84, rtx_pro_paper},
        .memory_gb = {48, rtx_pro_paper}, .bandwidth_gbps = {768, rtx_pro_paper},
        .l2_bytes = {6 * kMiB, rtx_pro_paper}, .boost_mhz = {1800, rtx_pro_paper},
        .power_w = {300, rtx_pro_paper}, .bf16_tflops = {154.8, rtx_pro_paper}},
    Gpu{.name = "NVIDIA GeForce RTX 3090", .product = "RTX 3090", .cc = 86,
        .aliases = {"rtx 3090", "3090"}, .sms = {82, ga102_paper}, .memory_gb = {24, ga102_paper},
        .bandwidth_gbps = {936, ga102_paper}, .l2_bytes = {6 * kMiB, ga102_paper},
        .boost_mhz = {1695, ga102_paper}, .power_w = {350, ga102_paper},
        .bf16_tflops = {71, ga102_paper}},
    Gpu{.name = "NVIDIA Jetson AGX Orin 64GB", .product = "Jetson AGX Orin", .cc = 87,
        .aliases = {"jetson agx orin", "jetson orin", "orin", "agx orin", "jetson", "jetson agx"},
        .sms = {16, jetson_orin_page}, .memory_gb = {64, jetson_orin_page},
        .bandwidth_gbps = {204.8, jetson_orin_page}, .boost_mhz = {1300, jetson_orin_page},
        .power_w = {60, jetson_orin_page}},
    Gpu{.name = "NVIDIA Jetson AGX Orin 32GB", .product = "Jetson AGX Orin", .cc = 87,
        .aliases = {"jetson orin 32gb", "agx orin 32gb"}, .sms = {14, jetson_orin_page},
        .memory_gb = {32, jetson_orin_page}, .bandwidth_gbps = {204.8, jetson_orin_page},
        .boost_mhz = {930, jetson_orin_page}, .power_w = {40, jetson_orin_page}},
    // Bandwidth: 300 GB/s in the datasheet, 320 GB/s in the whitepaper.
    Gpu{.name = "Tesla T4", .product = "T4", .cc = 75,
        .aliases = {"t4"}, .sms = {40, turing_paper}, .memory_gb = {16, t4_datasheet},
        .l2_bytes = {4 * kMiB, device_reports}, .boost_mhz = {1590, turing_paper},
        .power_w = {70, t4_datasheet}},
    Gpu{.name = "Tesla V100-SXM2-16GB", .product = "V100", .cc = 70,
        .aliases = {"v100", "v100 sxm", "v100 sxm2", "v100 16gb"}, .sms = {80, volta_paper},
        .memory_gb = {16, volta_paper}, .bandwidth_gbps = {900, volta_paper},
        .l2_bytes = {6 * kMiB, volta_paper}, .boost_mhz = {1530, volta_paper},
        .power_w = {300, volta_paper}},
    Gpu{.name = "Tesla V100-SXM2-32GB", .product = "V100", .cc = 70,
        .aliases = {"v100 32gb", "v100 sxm 32gb"}, .sms = {80, volta_paper},
        .memory_gb = {32, v100_datasheet}, .bandwidth_gbps = {900, v100_datasheet},
        .l2_bytes = {6 * kMiB, volta_paper}, .power_w = {300, v100_datasheet}},
    Gpu{.name = "Tesla V100-PCIE-16GB", .product = "V100", .cc = 70,
        .aliases = {"v100 pcie"}, .sms = {80, volta_paper}, .memory_gb = {16, v100_datasheet},
        .bandwidth_gbps = {900, v100_datasheet}, .l2_bytes = {6 * kMiB, volta_paper},
        .power_w = {250, v100_datasheet}},
    Gpu{.name = "Tesla V100-PCIE-32GB", .product = "V100", .cc = 70,
        .aliases = {"v100 pcie 32gb"}, .sms = {80, volta_paper}, .memory_gb = {32, v100_datasheet},
        .bandwidth_gbps = {900, v100_datasheet}, .l2_bytes = {6 * kMiB, volta_paper},
        .power_w = {250, v100_datasheet}},
};
// clang-format on
}  // namespace gpu_rows

inline constexpr const auto& kGpus = gpu_rows::kTable;

}  // namespace tilefit
