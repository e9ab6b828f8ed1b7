// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over the files of its corpus as an ordinary test: each file whole, and cut
// short at up to 64 places. Every input lies in a buffer of exactly its size, so that ASan sees
// the first byte read past the end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return {text.begin(), text.end()};
}

void replay(const std::vector<std::uint8_t>& input) {
  constexpr std::size_t kCuts = 64;
  const std::size_t step = std::max<std::size_t>(1, input.size() / kCuts);
  for (std::size_t size = 0; size <= input.size(); size += step) {
    const std::vector<std::uint8_t> prefix(input.begin(),
                                           input.begin() + static_cast<std::ptrdiff_t>(size));
    LLVMFuzzerTestOneInput(prefix.data(), prefix.size());
  }
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last line names the culprit
    replay(read_file(file));
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
