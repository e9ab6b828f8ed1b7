// SPDX-License-Identifier: Apache-2.0
// MappedFile: a file's bytes without reading them all. Pages count as memory of this process only
// while they are looked at: release() lets go of those that are done with.
#pragma once

#include <atomic>
#include <string>

#include "tilefit/model/result.h"
#include "tilefit/read/bytes.h"

namespace tilefit {

class MappedFile {
 public:
  /// A regular file. Whoever shortens it meanwhile makes changed() true and leaves zeros to read.
  static Result<MappedFile> open(const std::string& path);
  /// A file of this process that is `size` long; takes the descriptor over.
  static Result<MappedFile> of_descriptor(int descriptor, const std::string& name);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  ByteView bytes() const;
  void release(ByteView part) const;
  /// Whether the file is another one now than when it was opened.
  bool changed() const;

 private:
  MappedFile() = default;

  int descriptor_ = -1;
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  long long modified_ns_ = 0;
  int guard_ = -1;  // place in the table of mappings that a page fault handler knows
};

}  // namespace tilefit
