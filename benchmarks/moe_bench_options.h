// SPDX-License-Identifier: Apache-2.0
// What moe_sm90_bench is asked to time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "tilefit/plan/layout_sm90_w4a16.h"

namespace tilefit::moe_bench {

struct Options {
  std::vector<std::string> shapes{"glm5.gate_up", "glm5.down"}, modes{"none"};
  std::vector<int> m{1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 4096};
  std::vector<int> rows{-1};
  std::string spread = "even", json;
  int rounds = 9;
  double sustain = 0;
};

/// Offsets of `experts` with m rows each on average: even, or zipf (a few experts have most).
inline std::vector<std::int32_t> row_offsets(const std::string& spread, int experts, int m) {
  std::vector<std::int32_t> o{0};
  double total = 0;
  for (int e = 0; e < experts; ++e) total += 1.0 / (e + 1);
  std::vector<std::int32_t> counts(static_cast<std::size_t>(experts), m);
  if (spread == "zipf") {
    std::int64_t left = std::int64_t{m} * experts;
    for (int e = experts - 1; e >= 0; --e) {
      const auto c = e == 0 ? left
                            : std::min<std::int64_t>(
                                  left, static_cast<std::int64_t>(m * experts / total / (e + 1)));
      counts[static_cast<std::size_t>(e * 7 % experts)] = static_cast<std::int32_t>(c);
      left -= c;
    }
  }
  for (const auto c : counts) o.push_back(o.back() + c);
  return o;
}

template <class T, class Parse>
std::vector<T> split(const char* text, const Parse& parse) {
  std::vector<T> out;
  std::stringstream in(text);
  for (std::string item; std::getline(in, item, ',');) out.push_back(parse(item));
  return out;
}

inline Options parse(int argc, char** argv) {
  Options o;
  const auto text = [](const std::string& s) { return s; };
  const auto number = [](const std::string& s) { return std::stoi(s); };
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i];
    if (flag == "--shapes") o.shapes = split<std::string>(argv[i + 1], text);
    if (flag == "--modes") o.modes = split<std::string>(argv[i + 1], text);
    if (flag == "--m") o.m = split<int>(argv[i + 1], number);
    if (flag == "--rows" && std::strcmp(argv[i + 1], "auto") != 0) {
      o.rows.clear();
      if (std::strcmp(argv[i + 1], "all") == 0)
        for (int r = 0; r < static_cast<int>(sm90_w4a16::kRows.size()); ++r) o.rows.push_back(r);
      else
        o.rows = split<int>(argv[i + 1], number);
    }
    if (flag == "--spread") o.spread = argv[i + 1];
    if (flag == "--json") o.json = argv[i + 1];
    if (flag == "--rounds") o.rounds = std::stoi(argv[i + 1]);
    if (flag == "--sustain") o.sustain = std::stod(argv[i + 1]);
  }
  return o;
}

}  // namespace tilefit::moe_bench
