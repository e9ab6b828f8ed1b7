// SPDX-License-Identifier: Apache-2.0
// Source: where a number about hardware was read. Every row of kArchs and kGpus names its sources.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

// clang-format off
enum class Source : std::uint8_t {
  none,
  // Architectures
  cuda_guide, cuda_guide_11, occupancy_h, cccl_traits, ptxas, driver_types_h,
  hopper_tuning, blackwell_tuning, sm101_renamed, measured_h200,
  // GPUs
  device_reports, cuda_gpus, vgpu_docs,
  volta_paper, v100_datasheet, turing_paper, t4_datasheet,
  ampere_paper, a100_datasheet, ga102_paper, a10_datasheet, a10g_datasheet, a30_datasheet,
  a40_datasheet, ada_paper, l4_page, l40_datasheet, l40s_page,
  hopper_paper, h100_page, h200_datasheet, gh200_datasheet,
  blackwell_brief, blackwell_datasheet,
  rtx_blackwell_paper, rtx_pro_paper, rtx_pro_pages, rtx_pro_server_page,
  dgx_spark_docs, jetson_thor_page, jetson_orin_page,
};
// clang-format on

struct SourceRow {
  Source id;
  std::string_view title;
  std::string_view where;
};

// clang-format off
/// One row per Source, in the order of the enum.
inline constexpr std::array kSources{
    SourceRow{Source::none, "", ""},
    SourceRow{Source::cuda_guide, "CUDA Programming Guide 13, tables 30 to 32",
              "https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/compute-capabilities.html"},
    SourceRow{Source::cuda_guide_11, "CUDA C++ Programming Guide 11, technical specifications per compute capability",
              "https://docs.nvidia.com/cuda/archive/11.7.0/cuda-c-programming-guide/"},
    SourceRow{Source::occupancy_h, "CUDA Toolkit 13.0, occupancy calculator", "include/cuda_occupancy.h"},
    SourceRow{Source::cccl_traits, "CUDA Core Compute Libraries, architecture traits",
              "https://github.com/NVIDIA/cccl libcudacxx/include/cuda/__device/arch_traits.h"},
    SourceRow{Source::ptxas, "ptxas 13.0.88: the largest static array that it accepts",
              "nvcc -arch=sm_XXa, \"uses too much shared data (..., 0x18c00 max)\""},
    SourceRow{Source::driver_types_h, "CUDA Toolkit 13.0, nonPortableClusterSizeAllowed", "include/driver_types.h"},
    SourceRow{Source::hopper_tuning, "NVIDIA Hopper Tuning Guide, thread block clusters",
              "https://docs.nvidia.com/cuda/hopper-tuning-guide/"},
    SourceRow{Source::blackwell_tuning, "NVIDIA Blackwell Tuning Guide 13.3",
              "https://docs.nvidia.com/cuda/blackwell-tuning-guide/"},
    SourceRow{Source::sm101_renamed, "nvCOMPDx release notes: sm_101 is named sm_110 since CUDA 13.0",
              "https://docs.nvidia.com/cuda/nvcompdx/release_notes.html"},
    SourceRow{Source::measured_h200, "measured on an H200, driver 580.159.04, CUDA 13.0",
              "device attributes; launches and occupancy at every dynamic size"},
    SourceRow{Source::device_reports, "properties that CUDA itself reports, printed in several public repositories",
              "cudaDeviceProp, nvidia-smi"},
    SourceRow{Source::cuda_gpus, "NVIDIA, compute capability of each GPU", "https://developer.nvidia.com/cuda-gpus"},
    SourceRow{Source::vgpu_docs, "NVIDIA AI Enterprise 6.2, vGPU (C-Series)",
              "https://docs.nvidia.com/ai-enterprise/release-6/6.2/appendix/vgpu.html"},
    SourceRow{Source::volta_paper, "NVIDIA Tesla V100 GPU Architecture",
              "https://images.nvidia.com/content/volta-architecture/pdf/volta-architecture-whitepaper.pdf"},
    SourceRow{Source::v100_datasheet, "NVIDIA V100 datasheet", "https://www.nvidia.com/en-us/data-center/v100/"},
    SourceRow{Source::turing_paper, "NVIDIA Turing GPU Architecture",
              "https://images.nvidia.com/aem-dam/en-zz/Solutions/design-visualization/technologies/turing-architecture/NVIDIA-Turing-Architecture-Whitepaper.pdf"},
    SourceRow{Source::t4_datasheet, "NVIDIA T4 datasheet",
              "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/tesla-t4/t4-tensor-core-datasheet-951643.pdf"},
    SourceRow{Source::ampere_paper, "NVIDIA A100 Tensor Core GPU Architecture",
              "https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf"},
    SourceRow{Source::a100_datasheet, "NVIDIA A100 datasheet", "https://www.nvidia.com/en-us/data-center/a100/"},
    SourceRow{Source::ga102_paper, "NVIDIA Ampere GA102 GPU Architecture",
              "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf"},
    SourceRow{Source::a10_datasheet, "NVIDIA A10 datasheet",
              "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a10/pdf/datasheet-new/nvidia-a10-datasheet.pdf"},
    SourceRow{Source::a10g_datasheet, "NVIDIA A10G datasheet", "published by Amazon Web Services for its G5 instances"},
    SourceRow{Source::a30_datasheet, "NVIDIA A30 datasheet",
              "https://www.nvidia.com/content/dam/en-zz/Solutions/data-center/products/a30-gpu/pdf/a30-datasheet.pdf"},
    SourceRow{Source::a40_datasheet, "NVIDIA A40 datasheet", "https://www.nvidia.com/en-us/data-center/a40/"},
    SourceRow{Source::ada_paper, "NVIDIA Ada GPU Architecture",
              "https://images.nvidia.com/aem-dam/Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf"},
    SourceRow{Source::l4_page, "NVIDIA L4, specifications", "https://www.nvidia.com/en-us/data-center/l4/"},
    SourceRow{Source::l40_datasheet, "NVIDIA L40 datasheet", "https://www.nvidia.com/en-us/data-center/l40/"},
    SourceRow{Source::l40s_page, "NVIDIA L40S, specifications", "https://www.nvidia.com/en-us/data-center/l40s/"},
    SourceRow{Source::hopper_paper, "NVIDIA H100 Tensor Core GPU Architecture, table 3",
              "https://resources.nvidia.com/en-us-hopper-architecture/nvidia-h100-tensor-c"},
    SourceRow{Source::h100_page, "NVIDIA H100, specifications", "https://www.nvidia.com/en-us/data-center/h100/"},
    SourceRow{Source::h200_datasheet, "NVIDIA H200, specifications", "https://www.nvidia.com/en-us/data-center/h200/"},
    SourceRow{Source::gh200_datasheet, "NVIDIA GH200 Grace Hopper Superchip datasheet",
              "https://www.nvidia.com/en-us/data-center/grace-hopper-superchip/"},
    SourceRow{Source::blackwell_brief, "NVIDIA Blackwell Architecture Technical Brief, tables 2 and 3",
              "https://resources.nvidia.com/en-us-blackwell-architecture"},
    SourceRow{Source::blackwell_datasheet, "NVIDIA Blackwell datasheet, individual GPU specifications",
              "https://nvdam.widen.net/s/wwnsxrhm2w/blackwell-datasheet-3384703"},
    SourceRow{Source::rtx_blackwell_paper, "NVIDIA RTX Blackwell GPU Architecture 1.1, appendices",
              "https://images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf"},
    SourceRow{Source::rtx_pro_paper, "NVIDIA RTX PRO Blackwell GPU Architecture 1.0, table 4",
              "https://www.nvidia.com/content/dam/en-zz/Solutions/design-visualization/quadro-product-literature/NVIDIA-RTX-Blackwell-PRO-GPU-Architecture-v1.0.pdf"},
    SourceRow{Source::rtx_pro_pages, "NVIDIA RTX PRO desktop GPUs, specifications",
              "https://www.nvidia.com/en-us/products/workstations/professional-desktop-gpus/"},
    SourceRow{Source::rtx_pro_server_page, "NVIDIA RTX PRO 6000 Blackwell Server Edition, specifications",
              "https://www.nvidia.com/en-us/data-center/rtx-pro-6000-blackwell-server-edition/"},
    SourceRow{Source::dgx_spark_docs, "NVIDIA DGX Spark, hardware overview",
              "https://docs.nvidia.com/dgx/dgx-spark/hardware.html"},
    SourceRow{Source::jetson_thor_page, "NVIDIA Jetson Thor, specifications",
              "https://www.nvidia.com/en-us/autonomous-machines/embedded-systems/jetson-thor/"},
    SourceRow{Source::jetson_orin_page, "NVIDIA Jetson Orin, specifications",
              "https://www.nvidia.com/en-us/autonomous-machines/embedded-systems/jetson-orin/"},
};
// clang-format on

constexpr const SourceRow& row(Source s) { return kSources[static_cast<std::size_t>(s)]; }

/// Up to three sources that agree; unused places are `none`.
using Sources = std::array<Source, 3>;

/// A number and where it was read; unknown without a source.
template <class T>
struct Stated {
  T value{};
  Source source = Source::none;
  constexpr explicit operator bool() const { return source != Source::none; }
  bool operator==(const Stated&) const = default;
};

namespace source_check {
consteval bool in_order() {
  for (std::size_t i = 0; i < kSources.size(); ++i)
    if (static_cast<std::size_t>(kSources[i].id) != i) return false;
  return true;
}
static_assert(in_order(), "kSources follows the enum Source");
}  // namespace source_check

}  // namespace tilefit
