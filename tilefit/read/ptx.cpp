// SPDX-License-Identifier: Apache-2.0
// Directives stand first on their line, so a search for their words finds them without reading the
// instructions between.
#include "tilefit/read/ptx.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tilefit/read/ptx_scan.h"

namespace tilefit {
namespace {

struct SharedVariable {
  std::string_view name;
  Bytes bytes = 0, align = 1;
};

/// Where `word` stands next at or after `from`; memmem is several times faster than find here.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const void* hit = memmem(text.data() + from, text.size() - from, word.data(), word.size());
  if (hit == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
}

/// Whether only linkage directives stand before `at` on its line.
bool leads_its_line(std::string_view text, std::size_t at) {
  const std::size_t newline = text.substr(0, at).rfind('\n');
  PtxCursor before(text.substr(newline + 1, at - newline - 1));
  while (!before.at_end()) {
    std::string_view word = before.word();
    if (word != ".visible" && word != ".weak" && word != ".extern") return false;
  }
  return true;
}

/// Calls `each(at)` with the place after every `word` that leads its line.
template <class Each>
void for_each_directive(std::string_view text, std::string_view word, Each each) {
  for (std::size_t at = find_word(text, word, 0); at != std::string_view::npos;
       at = find_word(text, word, at + word.size()))
    if (leads_its_line(text, at)) each(at + word.size());
}

/// Bytes of ".b8", ".f32", ".u64"; 0 of any other word.
Bytes type_bytes(std::string_view type) {
  if (type.size() < 3 || type[0] != '.' || std::string_view("busf").find(type[1]) == type.npos)
    return 0;
  std::string_view bits = type.substr(2);
  for (Bytes bytes : {1, 2, 4, 8, 16})
    if (bits == std::to_string(bytes * 8)) return bytes;
  return 0;
}

/// What follows ".shared": ".align 16 .b8 name[4096]".
SharedVariable shared_variable(std::string_view text) {
  PtxCursor cursor(text);
  SharedVariable variable;
  Bytes element = 0, lanes = 1;
  while (cursor.peek() == '.') {
    std::string_view word = cursor.word();
    if (word == ".align") variable.align = std::max<Bytes>(1, cursor.number().value_or(1));
    if (word == ".v2") lanes = 2;
    if (word == ".v4") lanes = 4;
    if (Bytes bytes = type_bytes(word); bytes != 0) element = bytes;
  }
  variable.name = cursor.word();
  variable.bytes = element * lanes;
  constexpr Bytes kTooMuch = Bytes{1} << 40;
  while (cursor.accept('[')) {
    variable.bytes = std::min(kTooMuch, variable.bytes * cursor.number().value_or(0));
    cursor.skip_to(']');
    cursor.accept(']');
  }
  return variable;
}

void place(ImageFacts& facts, const SharedVariable& variable) {
  facts.static_smem = round_up(facts.static_smem, variable.align) + variable.bytes;
}

Dim3 dim3(PtxCursor& cursor) {
  Dim3 dim{1, 1, 1};
  for (int& extent : dim) {
    extent = static_cast<int>(std::min<std::int64_t>(cursor.number().value_or(1), 1 << 30));
    if (!cursor.accept(',')) break;
  }
  return dim;
}

/// Directives between a kernel's parameters and its body.
void read_bounds(PtxCursor& cursor, ImageFacts& facts) {
  while (cursor.peek() == '.') {
    std::string_view word = cursor.word();
    if (word == ".maxntid") facts.max_threads = dim3(cursor);
    if (word == ".reqntid") facts.required_threads = dim3(cursor);
    if (word == ".reqnctapercluster") facts.cluster = dim3(cursor);
    if (word == ".minnctapersm") facts.min_blocks_per_sm = static_cast<int>(cursor.number().value_or(0));
    while (cursor.number() || cursor.accept(',')) {
    }
  }
}

/// The text up to the brace that closes the one before it.
std::string_view body(std::string_view text) {
  int depth = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return text.substr(0, at);
  }
  return text;
}

struct Kernel {
  CodeFunction function{};
  std::size_t begin = 0, end = 0;  // of its body
};

/// The kernel whose name follows at `at`; nothing where it is only declared.
std::optional<Kernel> read_kernel(std::string_view text, std::size_t at) {
  PtxCursor cursor(text.substr(at));
  Kernel kernel;
  kernel.function.name = cursor.word();
  kernel.function.facts.code = CodeKind::ptx;
  if (cursor.accept('(')) {
    cursor.skip_to(')');
    cursor.accept(')');
  }
  read_bounds(cursor, kernel.function.facts);
  if (!cursor.accept('{')) return std::nullopt;
  kernel.begin = text.size() - cursor.rest().size();
  kernel.end = kernel.begin + body(cursor.rest()).size();
  return kernel;
}

/// A variable declared in a body is that kernel's; one outside belongs to all that name it.
void add_shared(std::string_view text, std::size_t at, std::vector<Kernel>& kernels) {
  const SharedVariable variable = shared_variable(text.substr(at));
  auto after = std::upper_bound(kernels.begin(), kernels.end(), at,
                                [](std::size_t p, const Kernel& k) { return p < k.begin; });
  if (after != kernels.begin() && at < std::prev(after)->end)
    return place(std::prev(after)->function.facts, variable);
  if (variable.bytes == 0 || variable.name.empty()) return;  // sized at launch
  for (Kernel& kernel : kernels) {
    const std::string_view code = text.substr(kernel.begin, kernel.end - kernel.begin);
    if (find_word(code, variable.name, 0) != std::string_view::npos)
      place(kernel.function.facts, variable);
  }
}

/// "sm_90a" -> {90, 'a'}.
std::optional<CodeTarget> target(std::string_view word) {
  if (!word.starts_with("sm_")) return std::nullopt;
  PtxCursor cursor(word.substr(3));
  CodeTarget target{static_cast<int>(cursor.number().value_or(0)), 0};
  const char suffix = cursor.peek();
  if (suffix == 'a' || suffix == 'f') target.suffix = suffix;
  if (target.sm == 0 || target.sm > 9999) return std::nullopt;
  return target;
}

}  // namespace

bool looks_like_ptx(ByteView bytes) {
  constexpr Bytes kHead = 4096;
  PtxCursor cursor(bytes.clamp(0, kHead).text());
  return cursor.word() == ".version";
}

Result<Ptx> read_ptx(ByteView bytes) {
  const std::string_view text = bytes.text();
  Ptx ptx;
  for_each_directive(text, ".target", [&](std::size_t at) {
    if (auto t = target(PtxCursor(text.substr(at)).word())) ptx.target = *t;
  });
  if (ptx.target.sm == 0) return Error{.what = "PTX names no target", .where = {}, .fix = {}};
  std::vector<Kernel> kernels;
  for_each_directive(text, ".entry", [&](std::size_t at) {
    if (auto kernel = read_kernel(text, at)) kernels.push_back(*std::move(kernel));
  });
  for_each_directive(text, ".shared", [&](std::size_t at) { add_shared(text, at, kernels); });
  for (Kernel& kernel : kernels) ptx.kernels.push_back(std::move(kernel.function));
  return ptx;
}

}  // namespace tilefit
