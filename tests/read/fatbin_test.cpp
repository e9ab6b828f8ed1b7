// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/fatbin.h"
#include "tilefit/read/elf.h"

#include <gmock/gmock.h>
#include <lz4.h>
#include <zstd.h>

#include "tests/read/builders.h"
#include "tilefit/read/container.h"
#include "tilefit/read/unpack.h"

namespace tilefit {
namespace {

CodeList read_run(const std::string& run) {
  CodeList list;
  for (std::optional<Bytes> at = 0; at;)
    at = read_fatbin(ByteView(std::string_view(run)), *at, 0, list);
  return list;
}

std::string unpacked(const CodeEntry& entry) {
  BufferPool pool(0);
  const Result<Unpacked> code = unpack(entry, pool);
  return code ? std::string(code->bytes.text()) : "error: " + code.error().what;
}

TEST(Fatbin, EntriesOfAllFatbinsOfARunWithTheirTargets) {
  const std::string run = build_fatbin({{.payload = "first cubin", .sm = 90, .flags = 0x100000},
                                        {.payload = "text", .kind = 1, .sm = 120}}) +
                          std::string(8, '\0') +
                          build_fatbin({{.payload = "family", .sm = 120, .flags = 0x200000}});
  const CodeList list = read_run(run);
  ASSERT_EQ(list.entries.size(), 3U);
  EXPECT_TRUE(list.notes.empty());
  EXPECT_EQ(text(*list.entries[0].target), "sm_90a");
  EXPECT_EQ(list.entries[1].code, CodeKind::ptx);
  EXPECT_EQ(text(*list.entries[2].target), "sm_120f");
  EXPECT_EQ(list.entries[1].group, 0);
  EXPECT_EQ(list.entries[2].group, 1);
}

TEST(Fatbin, UnpacksZstdAndLz4) {
  const std::string plain(10000, 'x');
  std::string zstd(ZSTD_compressBound(plain.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), plain.data(), plain.size(), 3));
  std::string lz4(static_cast<std::size_t>(LZ4_compressBound(10000)), '\0');
  lz4.resize(static_cast<std::size_t>(
      LZ4_compress_default(plain.data(), lz4.data(), 10000, static_cast<int>(lz4.size()))));
  const CodeList list =
      read_run(build_fatbin({{.payload = zstd,
                              .flags = 0x8000,
                              .packed_size = static_cast<std::uint32_t>(zstd.size()),
                              .unpacked_size = 10000},
                             {.payload = lz4,
                              .flags = 0x2000,
                              .packed_size = static_cast<std::uint32_t>(lz4.size()),
                              .unpacked_size = 10000}}));
  ASSERT_EQ(list.entries.size(), 2U);
  EXPECT_EQ(unpacked(list.entries[0]), plain);
  EXPECT_EQ(unpacked(list.entries[1]), plain);
}

TEST(Fatbin, SizesThatLieAreErrorsOfTheirEntry) {
  const CodeList list = read_run(build_fatbin(
      {{.payload = "no zstd at all..",
        .flags = 0x8000,
        .packed_size = 16,
        .unpacked_size = std::uint64_t{1} << 62},
       {.payload = "no lz4 at all...",
        .flags = 0x2000,
        .packed_size = 16,
        .unpacked_size = 4000000},
       {.payload = "packed outside  ", .flags = 0x2000, .packed_size = 4000, .unpacked_size = 10},
       {.payload = "sound"}}));
  ASSERT_EQ(list.entries.size(), 3U);
  EXPECT_THAT(unpacked(list.entries[0]),
              testing::StartsWith("error: entry says that it unpacks to"));
  EXPECT_EQ(unpacked(list.entries[1]), "error: LZ4 data is damaged");
  EXPECT_THAT(unpacked(list.entries[2]), testing::StartsWith("sound"));
  ASSERT_EQ(list.notes.size(), 1U);
  EXPECT_EQ(list.notes[0].what, "fatbin entry is cut: its payload ends after the data");
}

TEST(Fatbin, UnknownKindsAreNotedAndTheRestIsRead) {
  const CodeList list =
      read_run(build_fatbin({{.payload = "lto", .kind = 8}, {.payload = "cubin"}}));
  EXPECT_EQ(list.entries.size(), 1U);
  ASSERT_EQ(list.notes.size(), 1U);
  EXPECT_EQ(list.notes[0].what, "fatbin entry of kind 8 is not read");
  EXPECT_FALSE(list.notes[0].damage);
}

TEST(Fatbin, EveryTruncationKeepsWhatIsWhole) {
  const std::string run =
      build_fatbin({{.payload = "0123456789abcdef"}, {.payload = "0123456789abcdef"}});
  for (std::size_t size = 0; size < run.size(); ++size) {
    const CodeList list = read_run(run.substr(0, size));
    const std::size_t whole = size >= 16 + 80 ? 1 : 0;  // header, entry header and its payload
    EXPECT_EQ(list.entries.size(), whole) << size;
    EXPECT_EQ(list.notes.empty(), size < 4) << size;
  }
}

TEST(Fatbin, ASectionOfAProgramIsFoundAndCutOnesAreNoted) {
  ElfBuilder elf;
  elf.machine = kMachineX86;
  elf.add({.name = ".nv_fatbin", .data = build_fatbin({{.payload = "cubin"}})});
  elf.add({.name = "__nv_relfatbin", .data = build_fatbin({{.payload = "not linked"}})});
  const std::string file = elf.build();
  const Release nothing = [](ByteView) {};
  const Result<CodeList> list = read_container(ByteView(std::string_view(file)), nothing);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->entries.size(), 1U);
  EXPECT_THAT(unpacked(list->entries[0]), testing::StartsWith("cubin"));
}

}  // namespace
}  // namespace tilefit
