// SPDX-License-Identifier: Apache-2.0
// The container's word for the target goes before the code's own: CUDA 13 cubins do not say it all.
#include "tilefit/read/read_entry.h"

#include "tilefit/read/cubin.h"
#include "tilefit/read/ptx.h"

namespace tilefit {
namespace {

std::vector<NamedFacts> owned(std::vector<CodeFunction> functions) {
  std::vector<NamedFacts> copies;
  copies.reserve(functions.size());
  for (CodeFunction& f : functions) copies.push_back({std::string(f.name), std::move(f.facts)});
  return copies;
}

}  // namespace

Result<EntryFacts> read_entry(const CodeEntry& entry, BufferPool& pool) {
  Result<Unpacked> code = unpack(entry, pool);
  if (!code) return code.error();
  EntryFacts facts;
  facts.code = entry.code;
  if (entry.code == CodeKind::ptx) {
    Result<Ptx> ptx = read_ptx(code->bytes);
    if (!ptx) return ptx.error();
    facts.target = ptx->target;
    facts.functions = owned(std::move(ptx->kernels));
  } else {
    Result<Cubin> cubin = read_cubin(code->bytes);
    if (!cubin) return cubin.error();
    facts.target = cubin->target;
    facts.tool_version = std::move(cubin->tool_version);
    facts.functions = owned(std::move(cubin->functions));
  }
  if (entry.target) facts.target = *entry.target;
  return facts;
}

}  // namespace tilefit
