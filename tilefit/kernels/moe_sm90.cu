// SPDX-License-Identifier: Apache-2.0
// Host side of the SM90 grouped GEMM: arguments -> tensor maps and parameters -> launch.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "tilefit/kernels/cuda_error.cuh"
#include "tilefit/kernels/finalize_sm90.cuh"
#include "tilefit/kernels/moe.h"
#include "tilefit/kernels/moe_sm90_kernels.cuh"
#include "tilefit/kernels/moe_sm90_params.cuh"

namespace tilefit::moe_sm90 {
namespace {

std::int64_t rows_of_a(const moe::Gemm& g) {
  return g.layout == moe::RowLayout::masked ? g.max_rows * g.weights.experts : g.total_rows;
}

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// The driver's encoder, found without linking libcuda.
Result<EncodeTiled> encoder() {
  static std::atomic<void*> found{nullptr};
  if (void* f = found.load()) return reinterpret_cast<EncodeTiled>(f);
  void* f = nullptr;
  cudaDriverEntryPointQueryResult status{};
  TILEFIT_TRY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000,
                                               cudaEnableDefault, &status));
  if (f == nullptr || status != cudaDriverEntryPointSuccess)
    return Error{"the driver has no cuTensorMapEncodeTiled", "CUDA driver", "update the driver"};
  found.store(f);
  return reinterpret_cast<EncodeTiled>(f);
}

/// Boxes of 64 of K x `tokens` rows, 128-byte swizzled. Outside of the tensor reads as zero.
Result<CUtensorMap> activation_map(const moe::Gemm& g, int tokens) {
  const auto encode = encoder();
  if (!encode) return encode.error();
  const cuuint64_t size[2] = {static_cast<cuuint64_t>(g.weights.k),
                              static_cast<cuuint64_t>(std::max<std::int64_t>(rows_of_a(g), 1))};
  const cuuint64_t stride[1] = {static_cast<cuuint64_t>(g.a_stride) * 2};
  const cuuint32_t box[2] = {64, static_cast<cuuint32_t>(tokens)}, step[2] = {1, 1};
  const CUtensorMapDataType type = g.weights.activation == Dtype::fp16
                                       ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                       : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  CUtensorMap map;
  const CUresult code =
      (*encode)(&map, type, 2, const_cast<void*>(g.a), size, stride, box, step,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (code != CUDA_SUCCESS)
    return Error{"tensor map of a: CUresult " + std::to_string(static_cast<int>(code)), "a",
                 "16-byte aligned rows within the driver's limits"};
  return map;
}

Store store_type(Dtype t) {
  return t == Dtype::f32 ? Store::f32 : t == Dtype::fp16 ? Store::fp16 : Store::bf16;
}
BiasType bias_type(const moe::Gemm& g) {
  if (g.bias == nullptr) return BiasType::none;
  return g.bias_type == Dtype::f32    ? BiasType::f32
         : g.bias_type == Dtype::fp16 ? BiasType::fp16
                                      : BiasType::bf16;
}
Result<Params> parameters(const moe::Gemm& g, const Kernel& kernel) {
  const packed_sm90::Shape shape{g.weights.experts, g.weights.n, g.weights.k};
  const bool masked = g.layout == moe::RowLayout::masked;
  const bool two_passes = g.finalize == moe::Finalize::deterministic;
  Params p{};
  for (std::size_t i = 0; i < kernel.token_widths.size() && kernel.token_widths[i] != 0; ++i) {
    const auto map = activation_map(g, kernel.token_widths[i]);
    if (!map) return map.error();
    p.activations[i] = *map;
  }
  p.weights = static_cast<const std::byte*>(g.weights.packed);
  p.global_scales = reinterpret_cast<const float*>(p.weights + shape.global_scales_offset());
  p.rows = g.rows;
  p.max_rows = masked ? static_cast<std::int32_t>(g.max_rows) : -1;
  p.total_rows = static_cast<std::int32_t>(g.total_rows);
  p.experts = g.weights.experts;
  p.n = g.weights.n;
  p.split = g.weights.split;
  p.weight_groups = shape.groups();
  p.k_blocks = shape.k_blocks();
  const int tile_groups = kernel.tile.m / sm90_w4a16::kGroupRows;
  p.n_tiles = (p.weight_groups + tile_groups - 1) / tile_groups;
  p.out = two_passes ? g.workspace : g.out;
  p.out_stride = two_passes ? g.weights.n : g.out_stride;
  p.bias = g.bias;
  p.row_token = g.row_token;
  p.row_weight = g.row_weight;
  p.tokens = static_cast<std::int32_t>(g.tokens);
  p.store = store_type(g.out_type);
  p.bias_type = bias_type(g);
  p.add = g.finalize == moe::Finalize::atomic;
  return p;
}

/// Raises the kernel's limit of dynamic shared memory on this device.
Result<moe::Done> prepare(const Kernel& kernel) {
  TILEFIT_TRY(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel.function),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(kernel.smem_bytes)));
  return moe::Done{};
}

Result<moe::Done> start(const Kernel& kernel, Params& p, int blocks, moe::Overlap overlap,
                        cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(kernel.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(kernel.smem_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = overlap == moe::Overlap::on ? 1 : 0;
  void* arguments[] = {&p};
  TILEFIT_TRY(
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel.function), arguments));
  return moe::Done{};
}

}  // namespace

std::span<const Kernel> kernels(Dtype activation) {
  static const auto bf16 = bf16_kernels(), fp16 = fp16_kernels();
  return activation == Dtype::fp16 ? std::span<const Kernel>{fp16} : std::span<const Kernel>{bf16};
}

Result<DeviceFacts> device_facts() {
  int device = 0;
  DeviceFacts facts{};
  TILEFIT_TRY(cudaGetDevice(&device));
  TILEFIT_TRY(cudaDeviceGetAttribute(&facts.sms, cudaDevAttrMultiProcessorCount, device));
  TILEFIT_TRY(cudaDeviceGetAttribute(&facts.major, cudaDevAttrComputeCapabilityMajor, device));
  TILEFIT_TRY(cudaDeviceGetAttribute(&facts.minor, cudaDevAttrComputeCapabilityMinor, device));
  return facts;
}

}  // namespace tilefit::moe_sm90

namespace tilefit::moe {

Result<Launched> gemm(const Gemm& g, Stream stream) {
  if (auto ok = check(g); !ok) return ok.error();
  const auto device = moe_sm90::device_facts();
  if (!device) return device.error();
  if (device->major != 9 || device->minor != 0)
    return Error{"compute capability " + std::to_string(device->major) + "." +
                     std::to_string(device->minor) + " has no kernel here",
                 "device", "an H100 or H200, or gemm_cpu"};
  const int row = choose_row(g, device->sms);
  const moe_sm90::Kernel& kernel =
      moe_sm90::kernels(g.weights.activation)[static_cast<std::size_t>(row)];
  auto params = moe_sm90::parameters(g, kernel);
  if (!params) return params.error();
  if (auto ok = moe_sm90::prepare(kernel); !ok) return ok.error();
  const int blocks = device->sms * kernel.blocks_per_sm;
  if (auto ok = moe_sm90::start(kernel, *params, blocks, g.overlap, stream); !ok) return ok.error();
  if (g.finalize == Finalize::deterministic && g.tokens > 0)
    TILEFIT_TRY(finalize_sm90::launch(g, g.workspace, moe_sm90::rows_of_a(g), stream));
  return Launched{row, blocks, kernel.smem_bytes};
}

}  // namespace tilefit::moe
