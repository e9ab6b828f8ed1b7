// SPDX-License-Identifier: Apache-2.0
// Spool: bytes that come in pieces (standard input, members of zip files) on their way to a view.
// What is large goes to a file without a name in the temporary folder, so that memory stays small.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilefit/cli/mapped_file.h"

namespace tilefit {

class Spool {
 public:
  explicit Spool(std::string temporary_folder) : folder_(std::move(temporary_folder)) {}
  Spool(Spool&&) = delete;
  ~Spool();

  /// False once they cannot be kept; finish() says why.
  bool add(std::span<const std::byte> piece);
  std::optional<Error> finish();

  ByteView bytes() const { return file_ ? file_->bytes() : ByteView(memory_); }
  void release(ByteView part) const {
    if (file_) file_->release(part);
  }

 private:
  bool flush();

  std::string folder_;
  std::vector<std::byte> memory_;
  int descriptor_ = -1;
  int error_ = 0;
  std::optional<MappedFile> file_;
};

}  // namespace tilefit
