// SPDX-License-Identifier: Apache-2.0
// BufferPool: memory to unpack into, used again and again. Fresh pages cost about as much as
// unpacking into them does.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tilefit {

class BufferPool {
 public:
  /// Keeps up to `keep` bytes that nobody uses.
  explicit BufferPool(std::size_t keep) : keep_(keep) {}

  class Lease;
  /// At least `size` bytes, whatever stood in them. The pool must outlive the lease.
  Lease take(std::size_t size);

 private:
  struct Unmap {
    std::size_t size = 0;
    void operator()(std::byte* pages) const;
  };
  using Pages = std::unique_ptr<std::byte[], Unmap>;

  static Pages map(std::size_t size);
  void put_back(Pages pages);

  std::mutex mutex_;
  std::vector<Pages> free_;
  std::size_t free_bytes_ = 0, keep_;
};

class BufferPool::Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&& other) = delete;
  ~Lease() {
    if (pages_) pool_->put_back(std::move(pages_));
  }
  std::span<std::byte> bytes() const { return {pages_.get(), size_}; }

 private:
  friend class BufferPool;
  Lease(BufferPool& pool, Pages pages, std::size_t size)
      : pool_(&pool), pages_(std::move(pages)), size_(size) {}

  BufferPool* pool_ = nullptr;
  Pages pages_;
  std::size_t size_ = 0;
};

}  // namespace tilefit
