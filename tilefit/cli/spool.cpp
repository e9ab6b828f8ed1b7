// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tilefit {
namespace {

constexpr std::size_t kInMemory = std::size_t{4} << 20;

int open_nameless(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string name = folder + "/tilefit-XXXXXX";  // file systems without O_TMPFILE
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

Spool::~Spool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Spool::add(std::span<const std::byte> piece) {
  if (error_ != 0) return false;
  memory_.insert(memory_.end(), piece.begin(), piece.end());
  return memory_.size() < kInMemory || flush();
}

bool Spool::flush() {
  if (descriptor_ < 0) descriptor_ = open_nameless(folder_);
  if (descriptor_ < 0) error_ = errno;
  for (std::size_t done = 0; error_ == 0 && done < memory_.size();) {
    const ssize_t n = ::write(descriptor_, memory_.data() + done, memory_.size() - done);
    if (n >= 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) error_ = errno;
  }
  memory_.clear();
  return error_ == 0;
}

std::optional<Error> Spool::finish() {
  if (error_ == 0 && descriptor_ >= 0) flush();
  if (error_ != 0)
    return Error{.what = std::string("no room for an unpacked file: ") + std::strerror(error_),
                 .where = folder_,
                 .fix = "set TMPDIR to a folder with more room"};
  if (descriptor_ < 0) return std::nullopt;
  std::vector<std::byte>().swap(memory_);
  Result<MappedFile> file =
      MappedFile::of_descriptor(std::exchange(descriptor_, -1), "temporary file");
  if (!file) return file.error();
  file_.emplace(*std::move(file));
  return std::nullopt;
}

}  // namespace tilefit
