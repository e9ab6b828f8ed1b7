// SPDX-License-Identifier: Apache-2.0
// Scanner: paths in, facts of all kernels out. Follows folders and archives, within bounds.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tilefit/model/scan.h"
#include "tilefit/read/container.h"
#include "tilefit/read/read_entry.h"

namespace tilefit {

/// One entry of one file as it was read, for those who want more than the gathered facts.
struct SeenEntry {
  const ScannedFile& file;
  int index = 0;
  const CodeEntry& entry;
  const Result<EntryFacts>& facts;
};

struct ScanSettings {
  int threads = 1;
  bool all_code = false;   // also PTX that no GPU would take
  bool no_ptx = false;     // cubins only
  std::vector<int> ccs{};  // the GPUs that matter; none: those that the file has code for
  std::string temporary_folder = "/tmp";
  std::function<void(const std::string& path)> progress;  // before each file; may be empty
  std::function<void(const SeenEntry&)> each_entry;       // in file order; may be empty
};

class Scanner {
 public:
  explicit Scanner(ScanSettings settings) : settings_(std::move(settings)) {}

  /// A file, a folder, or "-" for standard input. An error where nothing at all can be said of it.
  std::optional<Error> add(const std::string& path);

  /// What was found; GPUs and verdicts are for others to add.
  ScanReport take() { return std::move(report_); }

 private:
  /// Bytes on their way through the readers.
  struct Input {
    std::string path;  // as shown
    ByteView bytes;
    const Release& release;
    int depth = 0;          // of archives around it
    std::string sidecar{};  // text of NAME.json, if there is one
  };

  std::optional<Error> add_file(const std::string& path, bool named);
  std::optional<Error> add_folder(const std::string& path);
  std::optional<Error> add_standard_input();
  std::optional<Error> add_bytes(const Input& input, bool named);
  std::optional<Error> add_zip(const Input& input);
  void add_member(const Input& zip_input, const class Zip& zip, const struct ZipMember& member);
  void add_code(const Input& input, FileKind kind, CodeList list);
  void note(const std::string& path, FileKind kind, std::string what);

  ScanSettings settings_;
  ScanReport report_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  // device, inode
};

}  // namespace tilefit
