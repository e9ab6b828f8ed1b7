// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/find_package.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tilefit {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// Folders in `parent` whose names start so, in order.
std::vector<fs::path> children(const fs::path& parent, std::string_view start) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(start)) found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

void add_prefix(std::vector<std::string>& folders, const fs::path& prefix) {
  for (std::string_view lib : {"lib", "lib64"})
    for (const fs::path& python : children(prefix / lib, "python3"))
      for (std::string_view packages : {"site-packages", "dist-packages"}) {
        std::error_code error;
        if (fs::is_directory(python / packages, error))
          folders.push_back((python / packages).string());
      }
}

/// pip's rule: case does not matter, and runs of "-", "_" and "." are one "-".
std::string normalised(std::string_view name) {
  std::string out;
  for (char c : name) {
    const bool dash = c == '-' || c == '_' || c == '.';
    if (dash && !out.empty() && out.back() == '-') continue;
    out += dash ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

/// "torch-2.15.0.dist-info" -> "torch"; empty for other folders.
std::string distribution(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.ends_with(".dist-info")) return {};
  return normalised(name.substr(0, name.find('-')));
}

/// First column of each line of RECORD; names with commas are quoted.
std::vector<std::string> recorded_files(const fs::path& info) {
  std::vector<std::string> files;
  std::ifstream record(info / "RECORD");
  for (std::string line; std::getline(record, line);) {
    std::string name = line.substr(0, line.find(','));
    if (line.starts_with('"')) name = line.substr(1, line.find('"', 1) - 1);
    const fs::path path = info.parent_path() / name;
    std::error_code error;
    if (!name.empty() && fs::is_regular_file(path, error))
      files.push_back(path.lexically_normal().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> package_folders() {
  std::vector<std::string> folders;
  const std::string paths = environment("PYTHONPATH");
  for (std::size_t at = 0; at < paths.size();) {
    const std::size_t end = std::min(paths.find(':', at), paths.size());
    if (end > at) folders.push_back(paths.substr(at, end - at));
    at = end + 1;
  }
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = environment(name); !prefix.empty()) add_prefix(folders, prefix);
  if (const std::string home = environment("HOME"); !home.empty()) {
    add_prefix(folders, fs::path(home) / ".local");
    for (const fs::path& version : children(fs::path(home) / ".pyenv" / "versions", ""))
      add_prefix(folders, version);
  }
  for (const char* prefix : {"/usr/local", "/usr"}) add_prefix(folders, prefix);
  return folders;
}

Result<std::vector<std::string>> find_package(const std::string& name,
                                              const std::vector<std::string>& folders) {
  const std::string wanted = normalised(name);
  for (const std::string& folder : folders) {
    for (const fs::path& info : children(folder, "")) {
      if (distribution(info) != wanted) continue;
      if (std::vector<std::string> files = recorded_files(info); !files.empty()) return files;
    }
    std::error_code error;
    if (const fs::path import = fs::path(folder) / name; fs::is_directory(import, error))
      return std::vector<std::string>{import.string()};
  }
  std::string looked;
  for (const std::string& folder : folders) looked += (looked.empty() ? "" : ", ") + folder;
  return Error{
      "no installed package '" + name + "'", "--package",
      "looked in " + (looked.empty() ? "no folder at all" : looked) + "; name its folder instead"};
}

}  // namespace tilefit
