// SPDX-License-Identifier: Apache-2.0
// Workers take entries in order as long as memory allows; the caller's thread hands over in order.
#include "tilefit/read/read_entries.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tilefit {
namespace {

/// Memory that reading the entry takes for a while; of a file's own bytes as much may be touched.
Bytes weight(const CodeEntry& entry) {
  return std::max<Bytes>({entry.unpacked_size, entry.payload.size(), 1});
}

class Queue {
 public:
  Queue(const CodeList& list, const ReadLimits& limits, const Release& release, BufferPool& pool)
      : entries_(list.entries),
        limits_(limits),
        release_(release),
        pool_(pool),
        done_(entries_.size()) {}

  void work() {
    while (std::optional<std::size_t> index = next()) {
      const CodeEntry& entry = entries_[*index];
      Result<EntryFacts> facts = read_entry(entry, pool_);
      release_(entry.payload);
      std::lock_guard lock(mutex_);
      done_[*index].emplace(std::move(facts));
      in_flight_ -= weight(entry);
      changed_.notify_all();
    }
  }

  /// Waits for the result of entry `index`, which must be asked for in order.
  Result<EntryFacts> take(std::size_t index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_[index].has_value(); });
    Result<EntryFacts> result = *std::move(done_[index]);
    done_[index].reset();
    taken_ = index + 1;
    changed_.notify_all();
    return result;
  }

 private:
  bool may_start() const {
    const bool ahead = next_ - taken_ >= kAhead;
    const bool room = in_flight_ == 0 || in_flight_ + weight(entries_[next_]) <= limits_.in_flight;
    return !ahead && room;
  }

  std::optional<std::size_t> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == entries_.size() || may_start(); });
    if (next_ == entries_.size()) return std::nullopt;
    in_flight_ += weight(entries_[next_]);
    return next_++;
  }

  static constexpr std::size_t kAhead = 8;  // results that may wait for an earlier one

  const std::vector<CodeEntry>& entries_;
  const ReadLimits& limits_;
  const Release& release_;
  BufferPool& pool_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Result<EntryFacts>>> done_;
  std::size_t next_ = 0, taken_ = 0;
  Bytes in_flight_ = 0;
};

}  // namespace

void read_entries(const CodeList& list, const ReadLimits& limits, const Release& release,
                  const TakeEntry& take) {
  const auto workers = std::min<std::size_t>(static_cast<std::size_t>(std::max(limits.threads, 1)),
                                             list.entries.size());
  BufferPool pool(static_cast<std::size_t>(limits.in_flight));
  if (workers < 2) {
    for (const CodeEntry& entry : list.entries) {
      Result<EntryFacts> facts = read_entry(entry, pool);
      release(entry.payload);
      take(entry, std::move(facts));
    }
    return;
  }
  Queue queue(list, limits, release, pool);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back([&] { queue.work(); });
  for (std::size_t i = 0; i < list.entries.size(); ++i) take(list.entries[i], queue.take(i));
}

}  // namespace tilefit
