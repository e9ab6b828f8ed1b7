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

constexpr std::size_t kMaxKernels = 100000, kMaxVariables = 1000;

constexpr Bytes kTooMuch = Bytes{1} << 40;  // where made-up sizes stop growing

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
  std::optional<Bytes> align;
  while (cursor.peek() == '.') {
    std::string_view word = cursor.word();
    if (word == ".align") align = cursor.number();
    if (word == ".v2") lanes = 2;
    if (word == ".v4") lanes = 4;
    if (Bytes bytes = type_bytes(word); bytes != 0) element = bytes;
  }
  variable.name = cursor.word();
  variable.bytes = element * lanes;
  variable.align = std::max<Bytes>(1, align.value_or(variable.bytes));
  while (cursor.accept('[')) {
    variable.bytes = std::min(kTooMuch, variable.bytes * cursor.number().value_or(0));
    cursor.skip_to(']');
    cursor.accept(']');
  }
  return variable;
}

void place(ImageFacts& facts, const SharedVariable& variable) {
  facts.static_smem =
      std::min(kTooMuch, round_up(facts.static_smem, variable.align) + variable.bytes);
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
    if (word == ".minnctapersm")
      facts.min_blocks_per_sm = static_cast<int>(cursor.number().value_or(0));
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

/// What a module holds, gathered in the order of the text.
class Module {
 public:
  explicit Module(std::string_view text) : text_(text) {}

  void directive(std::string_view word, std::size_t at);
  Result<Ptx> finish();

 private:
  /// Whether the last kernel's body is still open at `at`, which only grows.
  bool inside_kernel(std::size_t at) {
    for (; looked_ < at && depth_ > 0; ++looked_) {
      if (text_[looked_] == '{') ++depth_;
      if (text_[looked_] == '}') --depth_;
    }
    return depth_ > 0;
  }

  void add_kernel(std::size_t at) {
    std::optional<Kernel> kernel = read_kernel(text_, at);
    if (!kernel) return;
    looked_ = kernel->begin;
    depth_ = 1;
    kernels_.push_back(*std::move(kernel));
  }

  /// A variable declared in a body is that kernel's; one outside belongs to all that name it.
  void add_shared(std::size_t at) {
    const SharedVariable variable = shared_variable(text_.substr(at));
    if (variable.bytes == 0 || variable.name.empty()) return;  // sized at launch
    if (inside_kernel(at)) return place(kernels_.back().function.facts, variable);
    of_module_.push_back(variable);
  }

  void place_module_variables() {
    for (std::size_t k = 0; k < kernels_.size() && !of_module_.empty(); ++k) {
      const std::size_t end = k + 1 < kernels_.size() ? kernels_[k + 1].begin : text_.size();
      const std::string_view code = text_.substr(kernels_[k].begin, end - kernels_[k].begin);
      for (const SharedVariable& variable : of_module_)
        if (code.find(variable.name) != std::string_view::npos)
          place(kernels_[k].function.facts, variable);
    }
  }

  std::string_view text_;
  CodeTarget target_{};
  std::vector<Kernel> kernels_{};
  std::vector<SharedVariable> of_module_{};
  std::size_t looked_ = 0;
  int depth_ = 0;
};

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

void Module::directive(std::string_view word, std::size_t at) {
  if (kernels_.size() > kMaxKernels || of_module_.size() > kMaxVariables) return;
  if (word == ".target") {
    if (auto t = target(PtxCursor(text_.substr(at)).word())) target_ = *t;
  } else if (word == ".entry") {
    add_kernel(at);
  } else if (word == ".shared") {
    add_shared(at);
  }
}

Result<Ptx> Module::finish() {
  if (target_.sm == 0) return Error{.what = "PTX names no target", .where = {}, .fix = {}};
  if (kernels_.size() > kMaxKernels || of_module_.size() > kMaxVariables)
    return Error{.what = "PTX has more kernels or variables than are read", .where = {}, .fix = {}};
  place_module_variables();
  Ptx ptx{.target = target_, .kernels = {}};
  for (Kernel& kernel : kernels_) ptx.kernels.push_back(std::move(kernel.function));
  return ptx;
}

}  // namespace

bool looks_like_ptx(ByteView bytes) {
  constexpr Bytes kHead = 4096;
  PtxCursor cursor(bytes.clamp(0, kHead).text());
  return cursor.word() == ".version";
}

Result<Ptx> read_ptx(ByteView bytes) {
  Module module(bytes.text());
  for_each_directive(bytes.text(),
                     [&](std::string_view word, std::size_t at) { module.directive(word, at); });
  return module.finish();
}

}  // namespace tilefit
