// SPDX-License-Identifier: Apache-2.0
// libzip reads the format; counting what comes out is done here, since sizes in headers may lie.
#include "tilefit/read/zip.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>

namespace tilefit {
namespace {

constexpr std::uint32_t kEndMagic = 0x06054b50, kWideEndMagic = 0x06064b50;
constexpr Bytes kEndSize = 22, kMaxComment = 65535, kLocatorSize = 20, kDirectoryEntry = 46;

Error broken(std::string what) { return {.what = std::move(what), .where = {}, .fix = {}}; }

/// How many members the directory has room for: the library takes memory for each before anyone
/// can ask, and goes on past the count that the file states.
Bytes possible_members(ByteView file) {
  const Bytes first = std::max<Bytes>(0, file.size() - kEndSize - kMaxComment);
  for (Bytes at = file.size() - kEndSize; at >= first; --at) {
    if (file.number_or_0<std::uint32_t>(at) != kEndMagic) continue;
    const Bytes wide = as_bytes(file.number_or_0<std::uint64_t>(at - kLocatorSize + 8));
    if (file.number_or_0<std::uint32_t>(wide) == kWideEndMagic)
      return as_bytes(file.number_or_0<std::uint64_t>(wide + 40)) / kDirectoryEntry;
    return file.number_or_0<std::uint32_t>(at + 12) / kDirectoryEntry;
  }
  return 0;
}

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

void Zip::Close::operator()(::zip* archive) const { zip_discard(archive); }

Result<Zip> Zip::open(ByteView file) {
  if (const Bytes possible = possible_members(file); possible < 0 || possible > kMaxMembers)
    return broken(fmt::format("zip file has room for {} members; at most {} are read", possible,
                              kMaxMembers));
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source =
      zip_source_buffer_create(file.data(), static_cast<zip_uint64_t>(file.size()), 0, &error);
  zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    std::string why = zip_error_strerror(&error);
    zip_source_free(source);
    zip_error_fini(&error);
    return broken("zip file cannot be read: " + why);
  }
  Zip zip;
  zip.archive_.reset(archive);
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i)
    if (auto member = zip.member(static_cast<int>(i))) zip.members_.push_back(*std::move(member));
  return Result<Zip>(std::move(zip));
}

std::optional<ZipMember> Zip::member(int index) const {
  zip_stat_t stat;
  if (zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(index), 0, &stat) != 0)
    return std::nullopt;
  const bool sized = (stat.valid & ZIP_STAT_SIZE) != 0 && (stat.valid & ZIP_STAT_NAME) != 0;
  if (!sized || std::string_view(stat.name).ends_with('/')) return std::nullopt;
  return ZipMember{.name = stat.name,
                   .size = as_bytes(stat.size),
                   .packed = as_bytes(stat.comp_size),
                   .index = index};
}

std::optional<ZipMember> Zip::find(const std::string& name) const {
  const zip_int64_t index = zip_name_locate(archive_.get(), name.c_str(), 0);
  return index < 0 ? std::nullopt : member(static_cast<int>(index));
}

std::optional<Error> Zip::read(const ZipMember& member, const Take& take) const {
  const std::unique_ptr<zip_file_t, CloseFile> file{
      zip_fopen_index(archive_.get(), static_cast<zip_uint64_t>(member.index), 0)};
  if (!file) return broken(zip_strerror(archive_.get()));
  constexpr Bytes kFree = Bytes{1} << 20;
  std::vector<std::byte> buffer(std::size_t{1} << 17);
  for (Bytes total = 0;;) {
    const zip_int64_t n = zip_fread(file.get(), buffer.data(), buffer.size());
    if (n < 0) return broken(zip_file_strerror(file.get()));
    if (n == 0) return std::nullopt;
    total += n;
    if (total > kMaxMember || total > kFree + kMaxRatio * member.packed)
      return broken(fmt::format("member inflates to more than {} times its size; not read further",
                                kMaxRatio));
    if (!take(std::span(buffer).first(static_cast<std::size_t>(n)))) return std::nullopt;
  }
}

}  // namespace tilefit
