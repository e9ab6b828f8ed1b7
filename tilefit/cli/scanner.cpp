// SPDX-License-Identifier: Apache-2.0
// Files named by the user must be of a kind that can hold code; in folders and archives all others
// are passed over in silence.
#include "tilefit/cli/scanner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tilefit/cli/mapped_file.h"
#include "tilefit/cli/spool.h"
#include "tilefit/read/combine_smem.h"
#include "tilefit/read/judge_kernel.h"
#include "tilefit/read/kernel_table.h"
#include "tilefit/read/read_entries.h"
#include "tilefit/read/triton.h"
#include "tilefit/read/zip.h"

namespace tilefit {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 3;                     // of archives in archives
constexpr Bytes kReleaseEach = Bytes{32} << 20;  // inflated bytes
constexpr Bytes kMaxSidecar = Bytes{1} << 20;
constexpr std::string_view kCubinEnding = ".cubin";

Error at(Error error, const std::string& path) {
  if (error.where.empty()) error.where = path;
  return error;
}

/// "x.cubin" -> "x.json".
std::string sidecar_name(const std::string& path) {
  return path.substr(0, path.size() - kCubinEnding.size()) + ".json";
}

std::string read_sidecar(const std::string& path) {
  if (!path.ends_with(kCubinEnding)) return {};
  Result<MappedFile> file = MappedFile::open(sidecar_name(path));
  if (!file || file->bytes().size() > kMaxSidecar) return {};
  return std::string(file->bytes().text());
}

/// Triton keeps one kernel in each cubin.
void take_sidecar(std::vector<KernelFacts>& kernels, const std::string& text) {
  const std::optional<TritonSidecar> sidecar = read_triton_sidecar(text);
  if (!sidecar) return;
  for (KernelFacts& kernel : kernels) {
    if (kernel.symbol != sidecar->name && kernels.size() > 1) continue;
    kernel.dynamic = {.bytes = {sidecar->shared},
                      .provenance = Provenance::read,
                      .from = ReadFrom::sidecar,
                      .builder = {},
                      .why = {}};
  }
}

/// Targets that a container states.
std::set<std::pair<CodeKind, CodeTarget>> stated_targets(const CodeList& list) {
  std::set<std::pair<CodeKind, CodeTarget>> targets;
  for (const CodeEntry& entry : list.entries)
    if (entry.target) targets.emplace(entry.code, *entry.target);
  return targets;
}

CodeList code_that_matters(const ScanSettings& settings, CodeList list) {
  if (settings.no_ptx)
    std::erase_if(list.entries, [](const CodeEntry& e) { return e.code == CodeKind::ptx; });
  if (settings.all_code) return list;
  std::vector<int> ccs = settings.ccs;
  if (ccs.empty())
    for (const auto& [code, target] : stated_targets(list)) ccs.push_back(target.sm);
  return without_idle_ptx(std::move(list), ccs);
}

}  // namespace

std::optional<Error> Scanner::add(const std::string& path) {
  if (path == "-") return add_standard_input();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error || !fs::exists(status))
    return Error{.what = "no file or folder '" + path + "'", .where = {}, .fix = {}};
  return fs::is_directory(status) ? add_folder(path) : add_file(path, true);
}

std::optional<Error> Scanner::add_folder(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !seen_.emplace(status.st_dev, status.st_ino).second)
    return std::nullopt;  // a loop of links leads back here
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    entries.push_back(*it);
  if (error) {
    note(path, FileKind::none, "folder cannot be listed: " + error.message());
    return std::nullopt;
  }
  std::sort(entries.begin(), entries.end());
  for (const fs::directory_entry& entry : entries) {
    std::error_code ignored;
    if (entry.is_directory(ignored)) {
      add_folder(entry.path().string());
    } else if (entry.is_regular_file(ignored)) {
      if (auto problem = add_file(entry.path().string(), false))
        note(entry.path().string(), FileKind::none, problem->what);
    }
  }
  return std::nullopt;
}

std::optional<Error> Scanner::add_file(const std::string& path, bool named) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !seen_.emplace(status.st_dev, status.st_ino).second)
    return std::nullopt;  // another name of a file that was read
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Release release = [&](ByteView part) { file->release(part); };
  const std::size_t files = report_.files.size();
  auto problem = add_bytes(
      {.path = path, .bytes = file->bytes(), .release = release, .sidecar = read_sidecar(path)},
      named);
  if (report_.files.size() > files && file->changed())
    report_.files.back().notes.push_back({0, "the file changed while it was read", true});
  return problem;
}

std::optional<Error> Scanner::add_standard_input() {
  Spool spool(settings_.temporary_folder);
  std::vector<std::byte> piece(std::size_t{1} << 16);
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return Error{.what = std::string("cannot read standard input: ") + std::strerror(errno),
                   .where = "-",
                   .fix = {}};
    if (n == 0 || !spool.add(std::span(piece).first(static_cast<std::size_t>(n)))) break;
  }
  if (auto problem = spool.finish()) return problem;
  const Release release = [&](ByteView part) { spool.release(part); };
  return add_bytes({.path = "-", .bytes = spool.bytes(), .release = release}, true);
}

std::optional<Error> Scanner::add_bytes(const Input& input, bool named) {
  const FileKind kind = sniff(input.bytes);
  if (kind == FileKind::none && !named) return std::nullopt;
  if (settings_.progress) settings_.progress(input.path);
  if (kind == FileKind::zip) return add_zip(input);
  Result<CodeList> list = read_container(input.bytes, input.release);
  if (!list) {
    if (named) return at(list.error(), input.path);
    note(input.path, kind, list.error().what);
    return std::nullopt;
  }
  if (named || !list->entries.empty() || !list->notes.empty())
    add_code(input, kind, *std::move(list));
  return std::nullopt;
}

std::optional<Error> Scanner::add_zip(const Input& input) {
  if (input.depth == kMaxDepth) {
    note(input.path, FileKind::zip, "archives nested this deeply are not read");
    return std::nullopt;
  }
  Result<Zip> zip = Zip::open(input.bytes);
  if (!zip) {
    if (input.depth == 0) return at(zip.error(), input.path);
    note(input.path, FileKind::zip, zip.error().what);
    return std::nullopt;
  }
  for (const ZipMember& member : zip->members()) {
    add_member(input, *zip, member);
    input.release(input.bytes);
  }
  return std::nullopt;
}

void Scanner::add_member(const Input& input, const Zip& zip, const ZipMember& member) {
  const std::string path = input.path + ":" + member.name;
  Spool spool(settings_.temporary_folder);
  bool first = true, of_use = true;
  Bytes since_release = 0;
  std::optional<Error> problem = zip.read(member, [&](std::span<const std::byte> piece) {
    if (first) of_use = sniff(ByteView(piece)) != FileKind::none;
    first = false;
    since_release += static_cast<Bytes>(piece.size());
    if (since_release > kReleaseEach) input.release(input.bytes);
    if (since_release > kReleaseEach) since_release = 0;
    return of_use && spool.add(piece);
  });
  if (!of_use || first) return;
  if (!problem) problem = spool.finish();
  if (problem) return note(path, FileKind::none, problem->what);
  std::string sidecar;
  if (member.name.ends_with(kCubinEnding)) {
    if (const std::optional<ZipMember> beside = zip.find(sidecar_name(member.name));
        beside && beside->size <= kMaxSidecar)
      zip.read(*beside, [&](std::span<const std::byte> piece) {
        sidecar += ByteView(piece).text();
        return static_cast<Bytes>(sidecar.size()) <= kMaxSidecar;
      });
  }
  const Release release = [&](ByteView part) { spool.release(part); };
  add_bytes({.path = path,
             .bytes = spool.bytes(),
             .release = release,
             .depth = input.depth + 1,
             .sidecar = sidecar},
            false);
}

void Scanner::add_code(const Input& input, FileKind kind, CodeList list) {
  const int index = static_cast<int>(report_.files.size());
  ScannedFile& file = report_.files.emplace_back();
  file.path = input.path;
  file.kind = name(kind);
  file.entries = static_cast<int>(list.entries.size());
  for (const ReadNote& n : list.notes) file.notes.push_back({n.at, n.what, n.damage});
  std::set<std::pair<CodeKind, CodeTarget>> targets = stated_targets(list);
  list = code_that_matters(settings_, std::move(list));
  KernelTable table(index);
  int entry_index = 0;
  read_entries(list, {.threads = settings_.threads}, input.release,
               [&](const CodeEntry& entry, Result<EntryFacts> facts) {
                 if (settings_.each_entry) settings_.each_entry({file, entry_index, entry, facts});
                 if (facts) targets.emplace(facts->code, facts->target);
                 if (facts) table.add(*std::move(facts), entry_index);
                 if (!facts) file.notes.push_back({entry.at, facts.error().what, true});
                 ++entry_index;
               });
  std::vector<KernelFacts> kernels = table.take();
  if (!input.sidecar.empty()) take_sidecar(kernels, input.sidecar);
  if (kind == FileKind::host_elf && !kernels.empty())
    if (const Result<Elf> program = read_elf(input.bytes))
      read_host_smem(kernels, *program, input.release);
  read_names(kernels);
  for (const auto& [code, target] : targets) file.targets.push_back(text(target, code));
  file.kernels = static_cast<int>(kernels.size());
  for (KernelFacts& kernel : kernels)
    report_.kernels.push_back({.facts = std::move(kernel), .verdicts = {}});
}

void Scanner::note(const std::string& path, FileKind kind, std::string what) {
  ScannedFile& file = report_.files.emplace_back();
  file.path = path;
  file.kind = name(kind);
  file.notes.push_back({0, std::move(what), kind != FileKind::pe});
}

}  // namespace tilefit
