// SPDX-License-Identifier: Apache-2.0
// Archives, zip files, sidecars, and which kind a file is.
#include <gmock/gmock.h>
#include <zip.h>

#include "tests/read/builders.h"
#include "tilefit/read/archive.h"
#include "tilefit/read/container.h"
#include "tilefit/read/elf.h"
#include "tilefit/read/triton.h"
#include "tilefit/read/zip.h"

namespace tilefit {
namespace {

ByteView view(std::string_view text) { return ByteView(text); }

std::string ar_member(std::string name, const std::string& data) {
  name.resize(48, ' ');
  std::string size = std::to_string(data.size());
  size.resize(10, ' ');
  return name + size + "`\n" + data + (data.size() % 2 == 1 ? "\n" : "");
}

/// Made with the library that also reads it; what is damaged is damaged by hand afterwards.
std::string build_zip(const std::vector<std::pair<std::string, std::string>>& members) {
  zip_error_t error;
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_t* archive = zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error);
  zip_source_keep(target);
  for (const auto& [name, data] : members)
    zip_file_add(archive, name.c_str(), zip_source_buffer(archive, data.data(), data.size(), 0), 0);
  zip_close(archive);
  zip_source_open(target);
  zip_source_seek(target, 0, SEEK_END);
  std::string bytes(static_cast<std::size_t>(zip_source_tell(target)), '\0');
  zip_source_seek(target, 0, SEEK_SET);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  return bytes;
}

std::string all_of(const Zip& zip, const ZipMember& member, std::optional<Error>& problem) {
  std::string text;
  problem = zip.read(member, [&](std::span<const std::byte> piece) {
    text += ByteView(piece).text();
    return true;
  });
  return text;
}

TEST(Archive, NamesOfAllThreeFashions) {
  const std::string file = "!<arch>\n" + ar_member("/", "index") +
                           ar_member("//", "a_name_of_many_letters.o/\n") +
                           ar_member("short.o/", "one") + ar_member("/0", "two!") +
                           ar_member("#1/12", std::string("long_name.o\0three", 17));
  const Result<std::vector<ArchiveMember>> members = read_archive(view(file));
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 3U);
  EXPECT_EQ((*members)[0].name, "short.o");
  EXPECT_EQ((*members)[0].data.text(), "one");
  EXPECT_EQ((*members)[1].name, "a_name_of_many_letters.o");
  EXPECT_EQ((*members)[1].data.text(), "two!");
  EXPECT_EQ((*members)[2].name, "long_name.o");
  EXPECT_EQ((*members)[2].data.text(), "three");
}

TEST(Archive, CutAndThinOnes) {
  const std::string file = "!<arch>\n" + ar_member("a.o/", "first") + ar_member("b.o/", "second");
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Result<std::vector<ArchiveMember>> members = read_archive(view(file.substr(0, size)));
    ASSERT_TRUE(members);
    EXPECT_LE(members->size(), 2U);
  }
  EXPECT_FALSE(read_archive(view("!<thin>\n")));
}

TEST(Archive, CubinsAndProgramsInsideAreFound) {
  ElfBuilder object;
  object.machine = kMachineX86;
  object.add({.name = "__nv_relfatbin",
              .data = build_fatbin({{.payload = build_cubin({{.name = "k"}})}})});
  const std::string file = "!<arch>\n" + ar_member("host.o/", object.build()) +
                           ar_member("k.cubin/", build_cubin({{.name = "k"}})) +
                           ar_member("x.txt/", "text");
  const Result<CodeList> list = read_container(view(file), [](ByteView) {});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->entries.size(), 2U);
  EXPECT_EQ(list->groups, 2);
}

TEST(Zip, MembersComeOutWhole) {
  const std::string long_text(300000, 'a');
  const std::string file = build_zip({{"folder/a.txt", long_text}, {"../../b", "text"}});
  const Result<Zip> zip = Zip::open(view(file));
  ASSERT_TRUE(zip);
  ASSERT_EQ(zip->members().size(), 2U);
  std::optional<Error> problem;
  EXPECT_EQ(all_of(*zip, zip->members()[0], problem), long_text);
  EXPECT_FALSE(problem);
  EXPECT_EQ(zip->members()[1].name, "../../b");  // a name, nothing more
  ASSERT_TRUE(zip->find("folder/a.txt"));
  EXPECT_FALSE(zip->find("c"));
}

TEST(Zip, BombsStopAtTheirRatio) {
  const std::string file = build_zip({{"zeros", std::string(std::size_t{64} << 20, '\0')}});
  const Result<Zip> zip = Zip::open(view(file));
  ASSERT_TRUE(zip);
  Bytes taken = 0;
  const auto problem = zip->read(zip->members()[0], [&](std::span<const std::byte> piece) {
    taken += static_cast<Bytes>(piece.size());
    return true;
  });
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->what, testing::StartsWith("member inflates to more than 200 times"));
  EXPECT_LT(taken, Bytes{16} << 20);
}

TEST(Zip, DamageIsAnErrorOfTheMember) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += static_cast<char>(i * 7919 >> 3);
  std::string file = build_zip({{"a", text}});
  file[60] = static_cast<char>(file[60] ^ 0x55);  // behind the 31 bytes of the member's header
  const Result<Zip> zip = Zip::open(view(file));
  ASSERT_TRUE(zip);
  std::optional<Error> problem;
  all_of(*zip, zip->members()[0], problem);
  EXPECT_TRUE(problem);
}

TEST(Zip, TruncationsAndDirectoriesOfMillionsAreRefused) {
  const std::string file = build_zip({{"a", "text"}});
  for (std::size_t size = 1; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    EXPECT_FALSE(Zip::open(view(cut))) << size;
  }
  std::string huge = file;
  const std::uint32_t directory = 0x7fffffff;
  std::memcpy(huge.data() + huge.size() - 22 + 12, &directory, 4);
  const Result<Zip> zip = Zip::open(view(huge));
  ASSERT_FALSE(zip);
  EXPECT_THAT(zip.error().what, testing::StartsWith("zip file has room for 46684427 members"));
}

TEST(Sniff, KindsByTheirFirstBytes) {
  const std::string cubin = build_cubin({{.name = "k"}}), fatbin = build_fatbin({});
  EXPECT_EQ(sniff(view(cubin)), FileKind::cubin);
  EXPECT_EQ(sniff(view(fatbin)), FileKind::fatbin);
  EXPECT_EQ(sniff(view("!<arch>\n")), FileKind::archive);
  EXPECT_EQ(sniff(view("// PTX\n.version 8.0\n")), FileKind::ptx);
  EXPECT_EQ(sniff(view("PK\3\4")), FileKind::zip);
  EXPECT_EQ(sniff(view("#!/bin/sh\n")), FileKind::none);
  std::string pe = "MZ" + std::string(0x3a, '\0') + std::string("\x40\0\0\0PE\0\0", 8);
  EXPECT_EQ(sniff(view(pe)), FileKind::pe);
  const Result<CodeList> refused = read_container(view(pe), [](ByteView) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "Windows programs (PE) are not supported");
}

TEST(Triton, SidecarsSayWhatLaunchesAskFor) {
  const auto sidecar =
      read_triton_sidecar(R"({"name": "matmul_kernel", "shared": 98304, "num_warps": 8})");
  ASSERT_TRUE(sidecar);
  EXPECT_EQ(sidecar->name, "matmul_kernel");
  EXPECT_EQ(sidecar->shared, 98304);
  for (std::string_view other :
       {"", "{", "[]", "{}", R"({"shared": "many"})", R"({"shared": -1})", R"({"shared": 1.5})"})
    EXPECT_FALSE(read_triton_sidecar(other)) << other;
}

}  // namespace
}  // namespace tilefit
