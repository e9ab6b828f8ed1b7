// SPDX-License-Identifier: Apache-2.0
// A page behind the end of a file that was shortened raises SIGBUS when it is read. The handler
// puts an empty page there and remembers it, so that the scan of other files goes on.
#include "tilefit/cli/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

namespace tilefit {
namespace {

constexpr std::size_t kPage = 4096;

struct Guard {
  std::atomic<std::uintptr_t> base{0};
  std::atomic<std::size_t> size{0};
  std::atomic<bool> torn{false};
};

std::array<Guard, 64> g_guards;
std::mutex g_guards_mutex;

extern "C" void patch_page(int signal, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Guard& guard : g_guards) {
    const std::uintptr_t base = guard.base.load();
    if (base == 0 || at < base || at - base >= guard.size.load()) continue;
    void* page = reinterpret_cast<void*>(at / kPage * kPage);
    if (::mmap(page, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
      break;
    guard.torn.store(true);
    return;
  }
  std::signal(signal, SIG_DFL);  // not ours: happens again and ends the process
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = patch_page;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
  });
}

int watch(const std::byte* base, std::size_t size) {
  install_handler();
  std::lock_guard lock(g_guards_mutex);
  for (std::size_t i = 0; i < g_guards.size(); ++i) {
    if (g_guards[i].base.load() != 0) continue;
    g_guards[i].torn.store(false);
    g_guards[i].size.store(size);
    g_guards[i].base.store(reinterpret_cast<std::uintptr_t>(base));
    return static_cast<int>(i);
  }
  return -1;
}

Error cannot_read(const std::string& name, int error) {
  return {.what = "cannot read '" + name + "': " + std::strerror(error), .where = {}, .fix = {}};
}

long long modified_ns(const struct stat& s) {
  return static_cast<long long>(s.st_mtim.tv_sec) * 1'000'000'000 + s.st_mtim.tv_nsec;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Without O_NONBLOCK a pipe in a folder would be waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot_read(path, errno);
  return of_descriptor(descriptor, path);
}

Result<MappedFile> MappedFile::of_descriptor(int descriptor, const std::string& name) {
  MappedFile file;
  file.descriptor_ = descriptor;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return cannot_read(name, errno);
  if (!S_ISREG(status.st_mode))
    return Error{.what = "'" + name + "' is no regular file", .where = {}, .fix = {}};
  file.modified_ns_ = modified_ns(status);
  file.size_ = static_cast<std::size_t>(status.st_size);
  if (file.size_ == 0) return Result<MappedFile>(std::move(file));
  void* base = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (base == MAP_FAILED) return cannot_read(name, errno);
  file.base_ = static_cast<std::byte*>(base);
  file.guard_ = watch(file.base_, file.size_);
  return Result<MappedFile>(std::move(file));
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      base_(std::exchange(other.base_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      modified_ns_(other.modified_ns_),
      guard_(std::exchange(other.guard_, -1)) {}

MappedFile::~MappedFile() {
  if (guard_ >= 0) g_guards[static_cast<std::size_t>(guard_)].base.store(0);
  if (base_ != nullptr) ::munmap(base_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

ByteView MappedFile::bytes() const { return ByteView({base_, size_}); }

void MappedFile::release(ByteView part) const {
  // Pages that other parts begin or end on stay.
  const auto first =
      static_cast<std::size_t>(part.data() - base_ + static_cast<std::ptrdiff_t>(kPage) - 1) /
      kPage * kPage;
  const auto last = static_cast<std::size_t>(part.data() - base_ + part.size()) / kPage * kPage;
  if (!part.empty() && first < last) ::madvise(base_ + first, last - first, MADV_DONTNEED);
}

bool MappedFile::changed() const {
  if (guard_ >= 0 && g_guards[static_cast<std::size_t>(guard_)].torn.load()) return true;
  struct stat status {};
  return ::fstat(descriptor_, &status) != 0 || modified_ns(status) != modified_ns_ ||
         static_cast<std::size_t>(status.st_size) != size_;
}

}  // namespace tilefit
