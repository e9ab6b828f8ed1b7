// SPDX-License-Identifier: Apache-2.0
#include "tilefit/tilefit_c.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tilefit/plan/culprit.h"
#include "tilefit/plan/request_text.h"
#include "tilefit/tilefit.h"
#include "tilefit/version.h"

namespace {

using namespace tilefit;

constexpr int kError = 2;

void copy(std::string_view text, char* to, std::size_t size) {
  if (to == nullptr || size == 0) return;
  const std::size_t n = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), n);
  to[n] = '\0';
}

int fail(const Error& e, char* to, std::size_t size) {
  std::string text = e.what;
  if (!e.where.empty()) text += " (" + e.where + ")";
  if (!e.fix.empty()) text += "; " + e.fix;
  copy(text, to, size);
  return kError;
}

/// Flag, value, flag, value; a flag without a value (--swap-ab) may stand alone.
Result<TileRequest> request_of(const char* const* words, std::size_t count) {
  RequestDraft draft;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view flag = words[i] == nullptr ? "" : words[i];
    const auto field =
        std::find_if(kRequestFields.begin(), kRequestFields.end(),
                     [&](const RequestField& f) { return !f.flag.empty() && f.flag == flag; });
    if (field == kRequestFields.end())
      return Error{"unknown flag '" + std::string(flag) + "'", "", "see: tilefit plan --help"};
    const bool has_value = i + 1 < count && words[i + 1] != nullptr &&
                           !std::string_view(words[i + 1]).starts_with("--");
    if (!has_value && !field->value.empty())
      return Error{"a flag without its value", std::string(flag),
                   "give " + std::string(field->value)};
    if (auto error = field->set(draft, has_value ? words[++i] : "true")) {
      error->where = std::string(flag);
      return *error;
    }
  }
  return finish(draft);
}

}  // namespace

extern "C" int tilefit_plan(const char* const* words, std::size_t count, struct tilefit_plan* plan,
                            char* error, std::size_t error_size) {
  if (words == nullptr || plan == nullptr)
    return fail({"no words or no place for the answer", "", ""}, error, error_size);
  const Result<TileRequest> request = request_of(words, count);
  if (!request) return fail(request.error(), error, error_size);
  const TilePlan p = plan_tile(*request);
  *plan = {};
  plan->total_bytes = p.smem.total;
  plan->over_bytes = p.has_bytes() ? p.over() : 0;
  plan->limit_bytes = p.limit;
  plan->stages = p.stages;
  plan->blocks_per_sm = p.blocks_per_sm;
  plan->usable = p.usable() ? 1 : 0;
  copy(name(p.outcome), plan->outcome, sizeof plan->outcome);
  copy(culprit(p).sentence, plan->reason, sizeof plan->reason);
  return 0;
}

extern "C" int tilefit_will_launch(const char* gpu, std::int64_t static_bytes,
                                   std::int64_t dynamic_bytes, int registers, int threads,
                                   struct tilefit_launch* launch, char* error,
                                   std::size_t error_size) {
  if (gpu == nullptr || launch == nullptr)
    return fail({"no GPU or no place for the answer", "", ""}, error, error_size);
  const Result<Launch> l =
      tilefit::will_launch(static_bytes, dynamic_bytes, registers, threads, std::string_view(gpu));
  if (!l) return fail(l.error(), error, error_size);
  *launch = {};
  launch->needed = l->needed;
  launch->limit = l->limit;
  launch->ok = l->ok() ? 1 : 0;
  launch->opt_in = l->opt_in ? 1 : 0;
  copy(name(l->outcome), launch->outcome, sizeof launch->outcome);
  copy(l->reason, launch->reason, sizeof launch->reason);
  return 0;
}

extern "C" const char* tilefit_version(void) { return kVersion.data(); }
