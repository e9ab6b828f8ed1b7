// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tilefit {

Result<Output> Output::open(const std::string& path) {
  Output out;
  out.path_ = path;
  if (path.empty()) {
    out.file_ = stdout;
    return Result<Output>(std::move(out));
  }
  struct stat there {};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode))
    return Error{"'" + path + "' is a folder", "-o", "name a file in it"};
  if (exists && !S_ISREG(there.st_mode)) {
    out.file_ = std::fopen(path.c_str(), "wb");
  } else {
    std::string name = path + ".XXXXXX";
    const int fd = ::mkstemp(name.data());
    if (fd >= 0) {
      const mode_t mask = ::umask(0);
      ::umask(mask);
      if (::fchmod(fd, exists ? there.st_mode & 07777 : 0666 & ~mask) != 0)
        errno = 0;  // keeps 0600 where the file system has no modes
      out.temporary_ = name;
      out.file_ = ::fdopen(fd, "wb");
    }
  }
  if (out.file_ == nullptr)
    return Error{"cannot write '" + path + "': " + std::strerror(errno), "-o",
                 "name a place that can be written"};
  return Result<Output>(std::move(out));
}

Output::Output(Output&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, std::string())),
      error_(other.error_) {}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool Output::write(std::string_view text) {
  if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size())
    error_ = errno == 0 ? EIO : errno;
  return error_ == 0;
}

std::optional<Error> Output::finish() {
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  if (file_ != stdout) {
    if (error_ == 0 && ::fsync(::fileno(file_)) != 0 && errno != EINVAL && errno != EROFS)
      error_ = errno;
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
  }
  if (error_ == 0 && !temporary_.empty()) {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0)
      error_ = errno;
    else
      temporary_.clear();
  }
  if (error_ == 0) return {};
  return write_error();
}

Error Output::write_error() const {
  const std::string to = path_.empty() ? "standard output" : "'" + path_ + "'";
  if (error_ == EPIPE)
    return Error{"the reader of " + to + " closed it before the end", "-o",
                 "let it read everything, or write to a file with -o FILE"};
  return Error{"cannot write " + to + ": " + std::strerror(error_), "-o",
               error_ == ENOSPC ? "free some room, or name another place with -o"
                                : "name a place that can be written"};
}

}  // namespace tilefit
