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

/// Calls `each(directive, at)` for the directives that lead a line, with the place behind each.
/// Linkage (.visible, .weak, .extern) is passed over. One pass: PTX runs to tens of megabytes.
template <class Each>
void for_each_directive(std::string_view text, Each each) {
  for (std::size_t line = 0; line < text.size();) {
    std::size_t at = line;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (at < text.size() && text[at] == '.') {
      PtxCursor cursor(text.substr(at));
      std::string_view word = cursor.word();
      while (word == ".visible" || word == ".weak" || word == ".extern") word = cursor.word();
      each(word, text.size() - cursor.rest().size());
    }
    const void* end = std::memchr(text.data() + line, '\n', text.size() - line);
    if (end == nullptr) return;
    line = static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1;
  }
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

struct Kernel {
  CodeFunction function{};
  std::size_t begin = 0;  // of its body
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
  return kernel;
}

/// Whether the brace before `begin` is still open at `at`. Variables stand at the top of a body, so
/// this looks at few lines.
bool is_inside(std::string_view text, std::size_t begin, std::size_t at) {
  int depth = 1;
  for (; begin < at && depth > 0; ++begin) {
    if (text[begin] == '{') ++depth;
    if (text[begin] == '}') --depth;
  }
  return depth > 0;
}

/// A variable declared in a body is that kernel's; one outside belongs to all that name it.
void add_shared(std::string_view text, std::size_t at, std::vector<Kernel>& kernels,
                std::vector<SharedVariable>& of_module) {
  const SharedVariable variable = shared_variable(text.substr(at));
  if (variable.bytes == 0 || variable.name.empty()) return;  // sized at launch
  if (!kernels.empty() && is_inside(text, kernels.back().begin, at))
    return place(kernels.back().function.facts, variable);
  of_module.push_back(variable);
}

void place_module_variables(std::string_view text, std::vector<Kernel>& kernels,
                            const std::vector<SharedVariable>& of_module) {
  for (std::size_t k = 0; k < kernels.size() && !of_module.empty(); ++k) {
    const std::size_t end = k + 1 < kernels.size() ? kernels[k + 1].begin : text.size();
    const std::string_view code = text.substr(kernels[k].begin, end - kernels[k].begin);
    for (const SharedVariable& variable : of_module)
      if (code.find(variable.name) != std::string_view::npos)
        place(kernels[k].function.facts, variable);
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
  std::vector<Kernel> kernels;
  std::vector<SharedVariable> of_module;
  for_each_directive(text, [&](std::string_view directive, std::size_t at) {
    if (directive == ".target") {
      if (auto t = target(PtxCursor(text.substr(at)).word())) ptx.target = *t;
    } else if (directive == ".entry") {
      if (auto kernel = read_kernel(text, at)) kernels.push_back(*std::move(kernel));
    } else if (directive == ".shared") {
      add_shared(text, at, kernels, of_module);
    }
  });
  if (ptx.target.sm == 0) return Error{.what = "PTX names no target", .where = {}, .fix = {}};
  place_module_variables(text, kernels, of_module);
  for (Kernel& kernel : kernels) ptx.kernels.push_back(std::move(kernel.function));
  return ptx;
}

}  // namespace tilefit
