// SPDX-License-Identifier: Apache-2.0
// Names are compared folded: lower case, no separators, no maker in front. A table, made once, maps
// every folded name, alias and beginning of a name ("rtx pro 6000 blackwell") to its row of kGpus.
#include "tilefit/model/gpu_names.h"

#include "tilefit/model/nearest.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tilefit {
namespace {

constexpr std::size_t kLongestName = 128;  // longer texts name nothing
constexpr std::string_view kListsAll = "`tilefit gpus` lists all";

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_separator(char c) { return c == ' ' || c == '\t' || c == '_' || c == '-'; }

std::string fold(std::string_view name) {
  std::string key;
  for (const char c : name)
    if (!is_separator(c)) key += lower(c);
  for (const std::string_view maker : {"nvidia", "geforce", "tesla"})
    if (key.starts_with(maker)) key.erase(0, maker.size());
  return key;
}

std::string_view trimmed(std::string_view name) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
  while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
  return name;
}

struct Key {
  std::string text;  // folded
  bool whole;        // a name or an alias; else the beginning of a name
  const Gpu* gpu;
};

void add_keys(std::vector<Key>& keys, const Gpu& gpu) {
  keys.push_back({fold(gpu.name), true, &gpu});
  for (const std::string_view alias : gpu.aliases)
    if (!alias.empty()) keys.push_back({fold(alias), true, &gpu});
  for (std::size_t i = 0; i < gpu.name.size(); ++i) {
    if (!is_separator(gpu.name[i])) continue;
    std::string beginning = fold(gpu.name.substr(0, i));
    if (!beginning.empty()) keys.push_back({std::move(beginning), false, &gpu});
  }
}

/// Sorted by text; of one text whole names first, then in the order of kGpus.
std::vector<Key> sorted_keys() {
  std::vector<Key> keys;
  for (const Gpu& gpu : kGpus) add_keys(keys, gpu);
  std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.text != b.text ? a.text < b.text : a.whole && !b.whole;
  });
  return keys;
}

const std::vector<Key>& all_keys() {
  static const std::vector<Key> keys = sorted_keys();
  return keys;
}

/// Rows that `key` may stand for: those it names whole, else those whose name begins so.
std::vector<const Gpu*> rows_named(std::string_view key) {
  const std::vector<Key>& keys = all_keys();
  auto at = std::lower_bound(keys.begin(), keys.end(), key,
                             [](const Key& k, std::string_view text) { return k.text < text; });
  std::vector<const Gpu*> rows;
  for (const auto first = at; at != keys.end() && at->text == key && at->whole == first->whole;
       ++at)
    rows.push_back(at->gpu);
  return rows;
}

/// A text that has the form of an architecture, and the one it names, if there is such a one.
struct ArchName {
  std::string digits;  // "120"; empty if the text has another form
  const Arch* arch = nullptr;
};

/// `sm_120`, `sm120a`, `compute_100f`, `cc 9.0`, `12.0`, `120`. The suffix a (this architecture
/// only) exists from sm_90 on, f (its family) from sm_100 on.
ArchName arch_named(std::string_view name) {
  std::string text;
  for (const char c : trimmed(name)) text += lower(c);
  std::string_view rest = text;
  for (const std::string_view prefix : {"sm", "compute", "cc"})
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      while (!rest.empty() && is_separator(rest[0])) rest.remove_prefix(1);
      break;
    }
  const char suffix = rest.ends_with('a') || rest.ends_with('f') ? rest.back() : '\0';
  if (suffix != '\0') rest.remove_suffix(1);
  std::string digits(rest);
  if (rest.size() >= 3 && rest[rest.size() - 2] == '.') digits.erase(digits.size() - 2, 1);
  if (digits.size() < 2 || digits.size() > 3 || !std::ranges::all_of(digits, is_digit)) return {};
  int cc = 0;
  for (const char c : digits) cc = cc * 10 + (c - '0');
  const bool suffix_exists = suffix == '\0' || (suffix == 'a' && cc >= 90) || cc >= 100;
  const bool found = suffix_exists && digits[0] != '0';
  return {digits, found ? find_arch(cc) : nullptr};
}

std::ptrdiff_t common_beginning(std::string_view a, std::string_view b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

/// Keeps the nearest of the names offered: fewest edits, then the longest common beginning.
struct Nearest {
  std::string_view key;  // folded
  int edits = static_cast<int>(std::min(std::max<std::size_t>(2, key.size() / 3) + 1, key.size()));
  std::ptrdiff_t common = 0;
  std::string_view name{};  // as people write it; empty if nothing is near

  void offer(std::string_view folded, std::string_view written) {
    if (std::max(key.size(), folded.size()) >
        std::min(key.size(), folded.size()) + static_cast<std::size_t>(edits))
      return;  // at least so many edits
    const int its_edits = edit_distance(key, folded);
    const std::ptrdiff_t its_common = common_beginning(key, folded);
    if (its_edits > edits || (its_edits == edits && (name.empty() || its_common <= common))) return;
    edits = its_edits;
    common = its_common;
    name = written;
  }
};

std::string_view nearest_arch(std::string_view digits) {
  Nearest nearest{digits};
  for (const Arch& a : kArchs) nearest.offer(a.name.substr(3), a.name);
  return nearest.name;
}

std::string_view nearest_gpu(std::string_view key) {
  Nearest nearest{key};
  for (const Gpu& gpu : kGpus) {
    for (const std::string_view alias : gpu.aliases)
      if (!alias.empty()) nearest.offer(fold(alias), alias);
    nearest.offer(fold(gpu.name), gpu.name);
  }
  return nearest.name;
}

/// `text` in quotes, short, with what does not print escaped.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      out += c;
    else
      out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out + (text.size() > kShown ? "...'" : "'");
}

Error unknown(std::string_view kind, std::string_view name, std::string_view near) {
  std::string fix(kListsAll);
  if (!near.empty()) fix = "did you mean '" + std::string(near) + "'? " + fix;
  return {"unknown " + std::string(kind) + " " + quoted(name), "", fix};
}

Error ambiguous(std::string_view name, const std::vector<const Gpu*>& rows) {
  constexpr std::size_t kListed = 8;
  std::vector<std::string_view> products;
  for (const Gpu* gpu : rows)
    if (std::find(products.begin(), products.end(), gpu->product) == products.end())
      products.push_back(gpu->product);
  std::string fix = "say which: ";
  for (std::size_t i = 0; i < products.size() && i < kListed; ++i)
    fix.append(i == 0 ? "" : ", ").append(products[i]);
  if (products.size() > kListed) fix += ", ...";
  return {"ambiguous GPU " + quoted(name), "", fix + "; " + std::string(kListsAll)};
}

}  // namespace

Result<Target> find_target(std::string_view name) {
  if (name.size() > kLongestName) return unknown("GPU", name, "");
  if (const ArchName named = arch_named(name); !named.digits.empty()) {
    if (named.arch != nullptr) return Target{nullptr, named.arch};
    return unknown("architecture", name, nearest_arch(named.digits));
  }
  const std::string key = fold(name);
  const std::vector<const Gpu*> rows = rows_named(key);
  if (rows.empty()) return unknown("GPU", name, nearest_gpu(key));
  for (const Gpu* gpu : rows)
    if (gpu->product != rows.front()->product) return ambiguous(name, rows);
  return Target{rows.front(), find_arch(rows.front()->cc)};
}

}  // namespace tilefit
