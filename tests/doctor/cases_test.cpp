// SPDX-License-Identifier: Apache-2.0
// tests/doctor/cases/*.case: a small input, and what must and must not be found in it. Lines that
// begin with "#! " are not part of the input:
//   gpu NAME                    as --gpu
//   expect KEY=VALUE ..         some finding has all of these; text= takes the rest of the line
//   not KEY=VALUE               no finding has this
//   first KEY=VALUE             the worst finding has this
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tilefit/doctor/diagnose.h"
#include "tilefit/doctor/readers.h"

namespace tilefit {
namespace {

using Wish = std::vector<std::pair<std::string, std::string>>;  // key, value

struct Case {
  DoctorOptions options;
  std::vector<std::pair<std::string, Wish>> wishes;  // expect, not, first
  std::string input;
};

Wish wish_of(std::string text) {
  Wish wish;
  const std::string mark = "text=";
  if (const auto at = text.find(mark); at != std::string::npos) {
    wish.emplace_back("text", text.substr(at + mark.size()));
    text.resize(at);
  }
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    EXPECT_NE(equals, std::string::npos) << word;
    wish.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return wish;
}

Case read_case(const std::filesystem::path& path) {
  Case c;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("#! ")) {
      c.input += line + "\n";
      continue;
    }
    const auto space = line.find(' ', 3);
    const std::string verb = line.substr(3, space - 3), rest = line.substr(space + 1);
    if (verb != "gpu") {
      c.wishes.emplace_back(verb, wish_of(rest));
      continue;
    }
    const auto target = find_target(rest);
    EXPECT_TRUE(target) << rest;
    if (target) c.options.target = *target;
  }
  return c;
}

std::string value_of(const Finding& f, const std::string& key) {
  if (key == "id") return std::string(f.id);
  if (key == "class") return std::string(name(f.trouble));
  if (key == "severity") return std::string(name(f.severity));
  if (key == "confidence") return std::string(name(f.confidence));
  if (key == "required") return std::to_string(f.required);
  if (key == "limit") return std::to_string(f.limit);
  if (key == "stages") return std::to_string(f.stages);
  if (key == "arch") return f.arch;
  if (key == "fits")
    return f.required < 0 || f.limit <= 0 ? "null" : f.required <= f.limit ? "true" : "false";
  ADD_FAILURE() << "unknown key " << key;
  return "";
}

bool has(const Finding& f, const Wish& wish) {
  return std::all_of(wish.begin(), wish.end(), [&](const auto& w) {
    if (w.first == "subject") return f.subject.find(w.second) != std::string::npos;
    if (w.first != "text") return value_of(f, w.first) == w.second;
    std::string all = f.why;
    for (const std::string& fix : f.fixes) all += "\n" + fix;
    return all.find(w.second) != std::string::npos;
  });
}

std::string shown(const Diagnosis& d) {
  std::string text;
  for (const Finding& f : d.findings) {
    text += std::string(f.id) + " [" + std::string(name(f.trouble)) + ", " +
            std::string(name(f.severity)) + ", " + std::string(name(f.confidence)) + "] " +
            f.subject + " " + std::to_string(f.required) + "/" + std::to_string(f.limit) +
            " stages " + std::to_string(f.stages) + "\n    " + f.why + "\n";
    for (const std::string& fix : f.fixes) text += "    fix: " + fix + "\n";
  }
  return text.empty() ? "no findings\n" : text;
}

std::string text_of(const Wish& w) {
  std::string text;
  for (const auto& [key, value] : w) text += " " + key + "=" + value;
  return text;
}

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TILEFIT_TESTS_DIR "/doctor/cases"))
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Cases : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Cases, FindsWhatIsThereAndBlamesNothingElse) {
  const Case c = read_case(GetParam());
  ASSERT_FALSE(c.wishes.empty()) << "a case that asks for nothing";
  LogReader reader;
  reader.open(GetParam().filename().string());
  reader.feed(c.input);
  reader.close();
  const Diagnosis d = diagnose(std::move(reader).facts(), c.options);
  for (const auto& [verb, wish] : c.wishes) {
    const bool any = std::any_of(d.findings.begin(), d.findings.end(),
                                 [&w = wish](const Finding& f) { return has(f, w); });
    const bool right = verb == "not"     ? !any
                       : verb == "first" ? !d.findings.empty() && has(d.findings.front(), wish)
                                         : any;
    EXPECT_TRUE(right) << verb << text_of(wish) << "\ngot:\n" << shown(d);
  }
}

INSTANTIATE_TEST_SUITE_P(Reports, Cases, testing::ValuesIn(case_files()), [](const auto& each) {
  std::string id = each.param.stem().string();
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
});

}  // namespace
}  // namespace tilefit
