// SPDX-License-Identifier: Apache-2.0
// Members follow each other behind 60-byte text headers, at even offsets. Names of more than 15
// characters stand in the member "//" (GNU) or before the data (BSD, "#1/LENGTH").
#include "tilefit/read/archive.h"

#include <fmt/format.h>

#include <charconv>

namespace tilefit {
namespace {

constexpr std::string_view kMagic = "!<arch>\n", kThinMagic = "!<thin>\n";
constexpr std::size_t kMaxMembers = 300000;
constexpr Bytes kHeader = 60, kNameField = 16, kSizeField = 48, kSizeLength = 10;

std::string_view trimmed(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

Bytes decimal(std::string_view text) {
  Bytes value = -1;
  const char* end = text.data() + text.size();
  auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && last == end ? value : -1;
}

/// "/123" names the text at 123 of the long names, up to "/\\n".
std::string long_name(ByteView names, std::string_view field) {
  std::string_view rest = names.from(decimal(field.substr(1))).text();
  return std::string(rest.substr(0, rest.find_first_of("/\n")));
}

void take_bsd_name(ArchiveMember& member, std::string_view field) {
  const Bytes length = decimal(field.substr(3));
  std::string_view name = member.data.clamp(0, length).text();
  member.name = name.substr(0, name.find('\0'));
  member.at += static_cast<Bytes>(name.size());
  member.data = member.data.from(static_cast<Bytes>(name.size()));
}

}  // namespace

bool looks_like_archive(ByteView bytes) {
  return bytes.starts_with(kMagic) || bytes.starts_with(kThinMagic);
}

Result<std::vector<ArchiveMember>> read_archive(ByteView file) {
  if (file.starts_with(kThinMagic))
    return Error{.what = "thin archive: its members are other files",
                 .where = {},
                 .fix = "scan the object files themselves"};
  std::vector<ArchiveMember> members;
  ByteView names;
  for (Bytes at = static_cast<Bytes>(kMagic.size()); at < file.size();) {
    if (members.size() == kMaxMembers)
      return Error{.what = "archive has more members than are read", .where = {}, .fix = {}};
    const std::string_view header = file.clamp(at, kHeader).text();
    const Bytes size =
        header.size() == kHeader ? decimal(trimmed(header.substr(kSizeField, kSizeLength))) : -1;
    if (size < 0) break;  // cut: the members so far count
    std::string_view field = trimmed(header.substr(0, kNameField));
    ArchiveMember member{.name = std::string(field.substr(0, field.find('/'))),
                         .at = at + kHeader,
                         .data = file.clamp(at + kHeader, size)};
    if (field == "//") names = member.data;
    if (field.size() > 1 && field[0] == '/' && field[1] != '/')
      member.name = long_name(names, field);
    if (field.starts_with("#1/")) take_bsd_name(member, field);
    if (field != "//" && field != "/" && field != "/SYM64/") members.push_back(std::move(member));
    at += kHeader + size + size % 2;
  }
  return members;
}

}  // namespace tilefit
