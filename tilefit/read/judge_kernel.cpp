// SPDX-License-Identifier: Apache-2.0
// The rules of code compatibility are those of the CUDA programming guide.
#include "tilefit/read/judge_kernel.h"

#include <algorithm>
#include <tuple>

#include "tilefit/plan/resident.h"
#include "tilefit/read/arch_tag.h"

namespace tilefit {
namespace {

/// Later is better: cubin before PTX, newer before older, specific before family before plain.
std::tuple<bool, int, int> preference(const KernelImage& image) {
  const char suffix = image.target.suffix;
  const int specific = suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0;
  return {image.facts.code == CodeKind::cubin, image.target.sm, specific};
}

/// Threads of a block as far as the kernel bounds them; 0 where it does not.
int threads(const ImageFacts& facts) {
  const Dim3& dim = facts.required_threads[0] != 0 ? facts.required_threads : facts.max_threads;
  if (dim[0] <= 0) return 0;
  constexpr Bytes kMost = 1 << 20;
  Bytes product = 1;
  for (int extent : dim) product = std::min(kMost, product * std::clamp<Bytes>(extent, 1, kMost));
  return static_cast<int>(product);
}

struct Smem {
  Bytes least = 0, most = 0;
};

/// Static + dynamic bytes that launches ask for.
Smem smem(const KernelFacts& kernel, const ImageFacts& facts) {
  const std::vector<Bytes>& bytes = kernel.dynamic.bytes;
  if (bytes.empty()) return {facts.static_smem, facts.static_smem};
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  return {facts.static_smem + *least, facts.static_smem + *most};
}

/// Versions of a builder that differ leave open which of them the file was built with; launches
/// that differ all happen.
bool is_open(const DynamicSmem& dynamic) {
  return dynamic.bytes.size() > 1 && dynamic.from == ReadFrom::name;
}

Outcome outcome_by_smem(const KernelFacts& kernel, const Smem& smem, const Arch& arch) {
  const Bytes limit = arch.smem_per_block;
  if (is_open(kernel.dynamic) && smem.least <= limit && smem.most > limit) return Outcome::unknown;
  if (smem.most > limit) return Outcome::over_limit;
  // Launches without an opt-in get no more than the default, which every GPU allows.
  if (kernel.dynamic.no_opt_in) return Outcome::fits;
  return kernel.dynamic.bytes.empty() || kernel.dynamic.partial ? Outcome::unknown : Outcome::fits;
}

}  // namespace

bool runs_on(const CodeTarget& target, CodeKind code, int cc) {
  if (target.suffix == 'a') return target.sm == cc;
  const bool same_major = target.sm / 10 == cc / 10;
  if (target.suffix == 'f' || code == CodeKind::cubin) return same_major && target.sm <= cc;
  return target.sm <= cc;
}

CodeList without_idle_ptx(CodeList list, const std::vector<int>& ccs) {
  // For each fatbin, which of the chips its cubins serve.
  std::vector<std::vector<bool>> served(static_cast<std::size_t>(list.groups),
                                        std::vector<bool>(ccs.size()));
  for (const CodeEntry& entry : list.entries)
    for (std::size_t i = 0; i < ccs.size() && entry.code == CodeKind::cubin && entry.target; ++i)
      if (runs_on(*entry.target, CodeKind::cubin, ccs[i]))
        served[static_cast<std::size_t>(entry.group)][i] = true;
  std::erase_if(list.entries, [&](const CodeEntry& entry) {
    if (entry.code != CodeKind::ptx || !entry.target) return false;
    for (std::size_t i = 0; i < ccs.size(); ++i)
      if (!served[static_cast<std::size_t>(entry.group)][i] &&
          runs_on(*entry.target, CodeKind::ptx, ccs[i]))
        return false;
    return true;
  });
  return list;
}

int image_for(const KernelFacts& kernel, int cc) {
  int best = -1;
  for (int i = 0; i < static_cast<int>(kernel.images.size()); ++i) {
    const KernelImage& image = kernel.images[static_cast<std::size_t>(i)];
    if (!runs_on(image.target, image.facts.code, cc)) continue;
    if (best < 0 || preference(image) > preference(kernel.images[static_cast<std::size_t>(best)]))
      best = i;
  }
  return best;
}

KernelVerdict judge(const KernelFacts& kernel, const Arch& arch, int gpu) {
  KernelVerdict verdict{
      .gpu = gpu, .outcome = Outcome::no_code, .image = image_for(kernel, arch.cc)};
  if (verdict.image < 0) return verdict;
  const ImageFacts& facts = kernel.images[static_cast<std::size_t>(verdict.image)].facts;
  if (facts.body == Body::stub) {
    verdict.outcome = Outcome::stub;
    return verdict;
  }
  const Smem bytes = smem(kernel, facts);
  const LaunchNeeds needs{
      .smem = bytes.most, .registers = facts.registers.value_or(0), .threads = threads(facts)};
  verdict.outcome = outcome_by_smem(kernel, bytes, arch);
  verdict.needs =
      kernel.dynamic.bytes.empty() && verdict.outcome != Outcome::over_limit ? 0 : bytes.most;
  if (verdict.outcome == Outcome::over_limit) return verdict;
  if (needs.threads > 0 && block_registers(needs, arch) > arch.registers_per_block) {
    verdict.outcome = Outcome::too_many_registers;
    verdict.needs = block_registers(needs, arch);
    return verdict;
  }
  const int tag = arch_tag(kernel.symbol);
  if (tag != 0 && !tag_runs_on(tag, arch.cc)) verdict.outcome = Outcome::arch_tag_mismatch;
  if (!kernel.dynamic.bytes.empty() && facts.code == CodeKind::cubin)
    verdict.blocks_per_sm = resident_blocks(needs, arch);
  return verdict;
}

}  // namespace tilefit
