// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/lines.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace tilefit {

Result<Lines> Lines::open(const std::string& path) {
  Lines lines;
  lines.path_ = path == "-" ? "standard input" : path;
  lines.file_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!lines.file_)
    return Error{"cannot read '" + path + "': " + std::strerror(errno), "--from",
                 "check the name and its permissions"};
  struct stat there {};
  if (::fstat(::fileno(lines.file_.get()), &there) == 0 && S_ISDIR(there.st_mode))
    return Error{"'" + path + "' is a folder", "--from", "name a CSV file"};
  lines.buffer_.resize(2 * kMaxLine);
  return Result<Lines>(std::move(lines));
}

/// Moves what is left to the front and reads on; false at the end.
bool Lines::refill() {
  std::memmove(buffer_.data(), buffer_.data() + from_, to_ - from_);
  to_ -= from_;
  from_ = 0;
  const std::size_t got = std::fread(buffer_.data() + to_, 1, buffer_.size() - to_, file_.get());
  to_ += got;
  if (got == 0) {
    ended_ = true;
    if (std::ferror(file_.get()) != 0)
      error_ = Error{"reading '" + path_ + "' failed: " + std::strerror(errno), "--from",
                     "check the disk or the pipe"};
  }
  return got > 0;
}

std::optional<Line> Lines::next() {
  std::size_t searched = from_;
  while (true) {
    const void* found = std::memchr(buffer_.data() + searched, '\n', to_ - searched);
    if (found != nullptr) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      std::string_view text(buffer_.data() + from_, end - from_);
      from_ = end + 1;
      if (text.ends_with('\r')) text.remove_suffix(1);
      return Line{text.substr(0, kMaxLine), text.size() > kMaxLine};
    }
    if (to_ - from_ > kMaxLine) break;
    searched = to_ - from_;  // where the unsearched part will begin after the move
    if (ended_ || !refill()) {
      if (from_ == to_ || error_) return {};
      std::string_view text(buffer_.data() + from_, to_ - from_);
      from_ = to_;
      if (text.ends_with('\r')) text.remove_suffix(1);
      return Line{text, false};
    }
  }
  // Too long: keep its beginning for the message, skip to its end.
  const std::string_view kept(buffer_.data() + from_, 64);
  static thread_local std::string shown;
  shown = kept;
  while (true) {
    const void* found = std::memchr(buffer_.data() + from_, '\n', to_ - from_);
    if (found != nullptr) {
      from_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
      break;
    }
    from_ = to_;
    if (!refill()) break;
  }
  return Line{shown, true};
}

}  // namespace tilefit
