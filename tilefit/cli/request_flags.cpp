// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/request_flags.h"

#include <utility>

#include "tilefit/cli/here.h"

namespace tilefit {
namespace {

std::size_t index_of(std::string_view flag) {
  std::size_t i = 0;
  while (i < kRequestFields.size() && kRequestFields[i].flag != flag) ++i;
  return i;
}

}  // namespace

bool RequestFlags::given(std::string_view flag) const {
  const std::size_t i = index_of(flag);
  return i < options.size() && options[i] != nullptr && options[i]->count() > 0;
}

bool RequestFlags::take(std::string_view flag, std::string_view value) {
  const std::size_t i = index_of(flag);
  if (!given(flag) || values[i] != value) return false;
  options[i] = nullptr;
  return true;
}

void add_request_flags(CLI::App& app, RequestFlags& flags) {
  for (std::size_t i = 0; i < kRequestFields.size(); ++i) {
    const RequestField& field = kRequestFields[i];
    if (field.flag.empty()) continue;
    CLI::Option* option =
        app.add_option(std::string(field.flag), flags.values[i], std::string(field.help));
    option->type_name(std::string(field.value))->group("Tile");
    option->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);  // a fix's flag can be added behind the others
    if (field.value.empty()) option->expected(0, 1)->default_str("")->type_name("[=true|false]");
    flags.options[i] = option;
  }
}

Result<RequestDraft> draft_of(const RequestFlags& flags) {
  RequestDraft draft;
  for (std::size_t i = 0; i < kRequestFields.size(); ++i) {
    if (flags.options[i] == nullptr || flags.options[i]->count() == 0) continue;
    const bool bare = kRequestFields[i].value.empty() && flags.values[i].empty();  // --swap-ab
    const std::string value = bare ? "true" : flags.values[i];
    if (auto error = kRequestFields[i].set(draft, value)) {
      error->where = kRequestFields[i].flag;
      return *error;
    }
  }
  return draft;
}

Result<RequestDraft> with_gpu(RequestDraft draft) {
  if (draft.request.arch != nullptr) return draft;
  const Result<std::vector<GpuHere>> here = gpus_here();
  if (!here) return here.error();
  draft.request.arch = find_arch(here->front().cc);
  if (draft.request.arch == nullptr)
    return Error{"the GPU here has compute capability " + std::to_string(here->front().cc) +
                     ", which is not in the table",
                 "--gpu", "name a GPU with --gpu"};
  const Bytes limit = here->front().smem_per_block;  // what the driver says goes before the table
  if (draft.request.limit == 0 && limit != draft.request.arch->smem_per_block)
    draft.request.limit = limit;
  return draft;
}

}  // namespace tilefit
