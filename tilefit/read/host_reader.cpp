// SPDX-License-Identifier: Apache-2.0
// What each call of the CUDA runtime says, once its arguments are known.
#include "tilefit/read/host_reader.h"

#include <algorithm>

namespace tilefit {
namespace {

constexpr Bytes kMaxDynamicBytes = 16 << 20;  // no launch asks for more; larger is not a size
constexpr int kMaxHelperRounds = 4;
constexpr Address kReleaseBytes = 4 << 20;
constexpr std::size_t kMaxHelpers = 1 << 16;

bool is_whole_parameter(const HostValue& value) {
  return value.kind == ValueKind::parameter && value.frame == 0;
}

}  // namespace

HostReader::HostReader(const HostImage& image, const FunctionTable& functions,
                       HostApiAddresses apis)
    : image_(image),
      functions_(functions),
      apis_(std::move(apis)),
      flow_(image, functions),
      convention_(calling_convention(image.machine())) {}

const HostApi* HostReader::api_of(const HostOp& call) const {
  if (call.through_slot) return apis_.slot(static_cast<Address>(call.extra));
  return call.value == 0 ? nullptr : apis_.target(static_cast<Address>(call.value));
}

HostValue HostReader::argument(int index, const HostOp& call, const HostState& state) const {
  if (index < 0) return {};
  return state.argument(index, call.action != HostAction::call, image_, convention_);
}

void HostReader::effect(const HostOp& call, HostState& state) const {
  const HostApi* api = api_of(call);
  HostValue place, handle;
  if (api != nullptr && api->effect == HostEffect::pops) {
    place = argument(api->size, call, state);
    handle = {ValueKind::popped, 0, 0};
  } else if (api != nullptr && (api->effect == HostEffect::finds_by_name ||
                                api->effect == HostEffect::finds_by_host)) {
    place = argument(api->size, call, state);
    const HostValue kernel = argument(api->kernel, call, state);
    const bool by_name = api->effect == HostEffect::finds_by_name;
    if (kernel.is_constant()) {
      handle = {by_name ? ValueKind::named : ValueKind::registered, 0, kernel.number};
    }
  }
  state.after_call(convention_);
  if (place.kind == ValueKind::stack) state.write(place, 0, 8, handle);
}

std::optional<std::string_view> HostReader::kernel_name(const HostValue& kernel) const {
  if (kernel.kind == ValueKind::named) return image_.text(static_cast<Address>(kernel.number));
  if (kernel.kind != ValueKind::constant && kernel.kind != ValueKind::registered)
    return std::nullopt;
  const auto found = registered_.find(static_cast<Address>(kernel.number));
  if (found == registered_.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

void HostReader::register_function(const HostOp& call, const HostState& state) {
  const HostApi& api = kHostApis[0];
  const HostValue function = argument(api.kernel, call, state),
                  text = argument(api.size, call, state);
  if (!function.is_constant() || !text.is_constant()) return;
  const auto symbol = image_.text(static_cast<Address>(text.number));
  if (!symbol || symbol->empty()) return;
  auto [entry, fresh] = registered_.emplace(static_cast<Address>(function.number), *symbol);
  if (!fresh && entry->second != *symbol) entry->second = {};
}

HostReader::Request HostReader::request(const HostApi& api, const HostOp& call,
                                        const HostState& state) const {
  Request out;
  out.attribute = {ValueKind::constant, 0, kAttributeDynamicSmem};
  if (api.effect == HostEffect::sets_attribute && api.attribute >= 0) {
    out.attribute = argument(api.attribute, call, state);
  }
  out.kernel = argument(api.kernel, call, state);
  out.size = argument(api.size, call, state);
  if (api.fixed_size >= 0) out.size = {ValueKind::constant, 0, api.fixed_size};
  if (api.effect == HostEffect::launches) out.source = HostSource::launch;
  if (api.effect != HostEffect::launches_config) return out;
  out.source = HostSource::config;
  out.config = is_whole_parameter(out.size);
  if (out.config) return out;
  out.size = out.size.kind == ValueKind::stack
                 ? state.memory(out.size, api.size_offset, api.size_bytes, image_)
                 : HostValue{};
  return out;
}

// A function that passes on the kernel that it was called with does to it what it calls.
bool HostReader::note_helper(const Request& r) {
  if (!is_whole_parameter(r.kernel) || !flow_.current().entry || helpers_.size() >= kMaxHelpers)
    return false;
  const bool size_known =
      r.size.is_constant() && r.size.number >= 0 && r.size.number <= kMaxDynamicBytes;
  const bool size_passed = r.size.kind == ValueKind::parameter;
  const bool attribute_passed = r.attribute.kind == ValueKind::parameter;
  if ((!size_known && !size_passed) || (!r.attribute.is_constant() && !attribute_passed))
    return false;
  HostApi api = kHostApis[0];
  api.effect = r.config                            ? HostEffect::launches_config
               : r.source == HostSource::attribute ? HostEffect::sets_attribute
                                                   : HostEffect::launches;
  api.kernel = static_cast<int>(r.kernel.number);
  api.attribute = attribute_passed ? static_cast<int>(r.attribute.number) : -1;
  api.size = size_passed ? static_cast<int>(r.size.number) : -1;
  api.fixed_size = size_known ? r.size.number : -1;
  api.size_offset = 24;
  api.size_bytes = 8;
  const Address function = flow_.current().begin;
  if (helpers_.contains(function) || new_helpers_.contains(function)) return true;
  helper_apis_.push_back(api);
  new_helpers_.emplace(function, &helper_apis_.back());
  return true;
}

void HostReader::note_kernel(const Request& r) {
  ++calls_;
  const auto symbol = kernel_name(r.kernel);
  if (!symbol || !r.attribute.is_constant()) {
    ++unplaced_;
    if (r.source == HostSource::attribute) ++attributes_unplaced_;
    return;
  }
  Tally& tally = tallies_[*symbol];
  const Bytes bytes =
      r.source == HostSource::attribute ? static_cast<std::int32_t>(r.size.number) : r.size.number;
  if (r.size.is_constant() && bytes >= 0 && bytes <= kMaxDynamicBytes) {
    tally.seen.push_back({.bytes = bytes, .source = r.source});
  } else {
    ++(r.source == HostSource::attribute ? tally.unknown_attributes : tally.unknown_launches);
  }
}

int HostReader::matters(const HostOp& call) const {
  const HostApi* api = api_of(call);
  if (api == nullptr) return 0;
  const bool open = !registering_ && !noted_.contains(call.address);
  switch (api->effect) {
    case HostEffect::registers:
      return registering_ ? 1 : 0;
    case HostEffect::sets_attribute:
      return open ? 1 : 0;
    case HostEffect::launches:
    case HostEffect::launches_config:
      return open ? 2 : 0;
    case HostEffect::finds_by_name:
    case HostEffect::finds_by_host:
    case HostEffect::pops:
      return 0;
  }
  return 0;
}

bool HostReader::has_attribute(const HostValue& kernel) const {
  const auto symbol = kernel_name(kernel);
  const auto tally = symbol ? tallies_.find(*symbol) : tallies_.end();
  return tally != tallies_.end() &&
         std::any_of(
             tally->second.seen.begin(), tally->second.seen.end(),
             [](const HostValueSeen& seen) { return seen.source == HostSource::attribute; });
}

bool HostReader::enough(const HostOp& call, const HostState& state) const {
  const HostApi& api = *api_of(call);
  if (api.effect == HostEffect::registers) {
    return argument(api.kernel, call, state).is_constant() &&
           argument(api.size, call, state).is_constant();
  }
  const Request r = request(api, call, state);
  if (r.other_attribute() || r.size.kind == ValueKind::popped) return true;
  if (r.kernel.kind == ValueKind::variable) return true;  // nobody will know whose size it is
  // A launch within what its kernel may ask for is not worth following far.
  if (r.source != HostSource::attribute && has_attribute(r.kernel)) return true;
  return r.attribute.kind != ValueKind::unknown && r.kernel.kind != ValueKind::unknown &&
         r.size.kind != ValueKind::unknown;
}

void HostReader::note(const HostOp& call, const HostState& state) {
  const HostApi& api = *api_of(call);
  if (api.effect == HostEffect::registers) return register_function(call, state);
  const Request r = request(api, call, state);
  if (r.other_attribute() || r.size.kind == ValueKind::popped) return;
  noting_.insert(call.address);
  if (!note_helper(r)) note_kernel(r);
}

// nvcc's stub of a kernel launches with what <<<..>>> pushed elsewhere: nothing to learn from it.
bool HostReader::only_launch_stub(const std::vector<CallSite>& sites, std::size_t first,
                                  Address end) const {
  bool pops = false;
  for (std::size_t i = first; i < sites.size() && sites[i].address < end; ++i) {
    const HostEffect effect = sites[i].api->effect;
    if (effect == HostEffect::pops)
      pops = true;
    else if (effect != HostEffect::launches && effect != HostEffect::finds_by_host)
      return false;
  }
  return pops;
}

void HostReader::follow(const std::vector<CallSite>& sites, const HostCodeOptions& options) {
  const CallMeaning meaning{
      .matters = [this](const HostOp& call) { return matters(call); },
      .effect = [this](const HostOp& call, HostState& state) { effect(call, state); },
      .enough = [this](const HostOp& call, const HostState& state) { return enough(call, state); },
      .note = [this](const HostOp& call, const HostState& state) { note(call, state); }};
  std::map<Address, Address> covered;  // begin -> end
  Address released = sites.empty() ? 0 : sites.front().address;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const CallSite& site = sites[i];
    if ((site.api->effect == HostEffect::registers) != registering_) continue;
    const auto after = covered.upper_bound(site.address);
    if (after != covered.begin() && site.address < std::prev(after)->second) continue;
    const auto function = functions_.find(site.address);
    if (!function) continue;
    if (!registering_ && only_launch_stub(sites, i, function->end)) {
      covered.emplace(function->begin, function->end);
      continue;
    }
    for (const HostFunction& part : flow_.follow(*function, meaning))
      covered.emplace(part.begin, part.end);
    noted_.merge(noting_);
    noting_.clear();
    if (options.release && site.address - released >= kReleaseBytes) {
      options.release(image_.at(released).clamp(0, as_bytes(function->begin - released)));
      released = function->begin;
    }
  }
}

void HostReader::read_registrations(const std::vector<CallSite>& sites,
                                    const HostCodeOptions& options) {
  registering_ = true;
  follow(sites, options);
}

void HostReader::read_sizes(const std::vector<CallSite>& sites, const HostCodeOptions& options) {
  registering_ = false;
  follow(sites, options);
  for (int round = 0; round < kMaxHelperRounds && !new_helpers_.empty(); ++round) {
    HostApiAddresses fresh;
    for (const auto& [function, api] : new_helpers_) {
      add_host_api(image_, function, *api, fresh);
      add_host_api(image_, function, *api, apis_);
    }
    helpers_.merge(new_helpers_);
    new_helpers_.clear();
    follow(find_call_sites(image_, fresh, options.release), options);
  }
}

HostCode HostReader::result() {
  HostCode out;
  out.calls = calls_;
  out.calls_unplaced = unplaced_;
  out.attributes_unplaced = attributes_unplaced_;
  for (const auto& [function, symbol] : registered_)
    if (!symbol.empty()) out.registered.push_back(symbol);
  std::sort(out.registered.begin(), out.registered.end());
  out.followed = flow_.decoded();
  for (auto& [symbol, tally] : tallies_) {
    std::sort(tally.seen.begin(), tally.seen.end());
    tally.seen.erase(std::unique(tally.seen.begin(), tally.seen.end()), tally.seen.end());
    out.kernels.push_back({.symbol = symbol,
                           .seen = std::move(tally.seen),
                           .unknown_attributes = tally.unknown_attributes,
                           .unknown_launches = tally.unknown_launches});
  }
  return out;
}

}  // namespace tilefit
