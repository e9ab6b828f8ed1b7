// SPDX-License-Identifier: Apache-2.0
// Memory comes from the system and goes back to it, so that the heap keeps nothing of what one
// large entry took. Large pages where there are some: fewer of them to fault in.
#include "tilefit/read/buffer_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace tilefit {
namespace {

constexpr std::size_t kStep = std::size_t{2} << 20;  // the size of a large page

}  // namespace

void BufferPool::Unmap::operator()(std::byte* pages) const { ::munmap(pages, size); }

BufferPool::Pages BufferPool::map(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, size, MADV_HUGEPAGE);
  return Pages(static_cast<std::byte*>(memory), Unmap{size});
}

BufferPool::Lease BufferPool::take(std::size_t size) {
  {
    std::lock_guard lock(mutex_);
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      const std::size_t room = it->get_deleter().size;
      if (room >= size && (best == free_.end() || room < best->get_deleter().size)) best = it;
    }
    if (best != free_.end()) {
      Pages pages = std::move(*best);
      free_.erase(best);
      free_bytes_ -= pages.get_deleter().size;
      return Lease(*this, std::move(pages), size);
    }
    // A larger one takes the place of those that are too small for it.
    while (!free_.empty() && free_bytes_ + size > keep_) {
      free_bytes_ -= free_.back().get_deleter().size;
      free_.pop_back();
    }
  }
  return Lease(*this, map(std::max(kStep, (size + kStep - 1) / kStep * kStep)), size);
}

void BufferPool::put_back(Pages pages) {
  std::lock_guard lock(mutex_);
  const std::size_t size = pages.get_deleter().size;
  if (free_bytes_ + size > keep_) return;
  free_bytes_ += size;
  free_.push_back(std::move(pages));
}

}  // namespace tilefit
