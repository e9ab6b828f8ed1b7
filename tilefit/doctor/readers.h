// SPDX-License-Identifier: Apache-2.0
// LogReader: lines in, facts out. Every line is searched once, by one automaton over all patterns
// of all readers (linear time); only patterns that match run again to capture.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tilefit/doctor/line_reader.h"
#include "tilefit/doctor/log_lines.h"
#include "tilefit/model/log_fact.h"

namespace tilefit {

extern const LineReader kTunerReader, kFrontendReader, kCudaReader, kServingReader;

/// Memory is bounded: equal facts are counted, and beyond kMostFacts distinct ones only counted.
class LogReader {
 public:
  static constexpr std::size_t kMostFacts = 20000;
  static constexpr std::size_t kMostPlaces = 3;

  LogReader();
  ~LogReader();

  /// Begins an input; what follows until the next call belongs to it.
  void open(std::string path);
  void feed(std::string_view bytes);
  void close(std::string stopped = "");

  LogFacts facts() &&;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilefit
