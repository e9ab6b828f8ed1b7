// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/redact.h"

#include <re2/re2.h>

#include <memory>

namespace tilefit {
namespace {

struct Row {
  const char* regex;
  const char* with;
};

constexpr Row kRows[] = {
    {R"((/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})[^/\\\s"',:)]+)", R"(\1USER)"},
    {R"([A-Za-z0-9._%+-]+@[A-Za-z0-9][A-Za-z0-9.-]*)", "USER@HOST"},
    {R"(([a-z][a-z0-9+.-]*://)[^/\s"'\\:]+)", R"(\1HOST)"},
    {R"(\b\d{1,3}(?:\.\d{1,3}){3}\b)", "ADDRESS"},
    {R"(\b(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4})\b)", "ADDRESS"},
    {R"(\b([Hh]ost(?:name)?|[Nn]ode|[Uu]ser(?:name)?)(=|: ?)[A-Za-z0-9._-]+)", R"(\1\2REDACTED)"},
};

}  // namespace

std::string redacted(std::string text) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  for (const Row& row : kRows) RE2::GlobalReplace(&text, RE2(row.regex, options), row.with);
  return text;
}

}  // namespace tilefit
