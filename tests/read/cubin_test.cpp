// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/cubin.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "tests/read/builders.h"

namespace tilefit {
namespace {

Result<Cubin> read(const std::string& file) { return read_cubin(ByteView(std::string_view(file))); }

std::string data_file(const std::string& name) {
  std::ifstream in(std::string(TILEFIT_TESTS_DIR) + "/read/data/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const ImageFacts* find(const Cubin& cubin, std::string_view name) {
  for (const CodeFunction& f : cubin.functions)
    if (f.name == name) return &f.facts;
  return nullptr;
}

TEST(Cubin, FactsOfKernelsAndDeviceFunctions) {
  const std::string file =
      build_cubin({{.name = "k", .registers = 40, .shared = 1024 + 4096, .max_threads = 256},
                   {.name = "helper", .registers = 24, .is_kernel = false}});
  const Result<Cubin> cubin = read(file);
  ASSERT_TRUE(cubin);
  ASSERT_EQ(cubin->functions.size(), 2U);
  const ImageFacts& k = cubin->functions[0].facts;
  EXPECT_TRUE(k.is_kernel);
  EXPECT_EQ(k.registers, 40);
  EXPECT_EQ(k.static_smem, 4096);
  EXPECT_EQ(k.reserved_smem, 1024);
  EXPECT_EQ(k.constant0, 536);
  EXPECT_EQ(k.stack, 8);
  EXPECT_EQ(k.max_threads, (Dim3{256, 1, 1}));
  EXPECT_EQ(k.body, Body::real);
  EXPECT_FALSE(cubin->functions[1].facts.is_kernel);
}

struct FlagsRow {
  std::uint8_t os_abi;
  std::uint32_t flags;
  std::string_view target;
};

TEST(Cubin, TargetsInBothLayoutsOfTheFlags) {
  for (const FlagsRow& row :
       {FlagsRow{0x33, 0x5a0d5a, "sm_90a"}, FlagsRow{0x33, 0x5a055a, "sm_90"},
        FlagsRow{0x33, 0x4b054b, "sm_75"}, FlagsRow{0x41, 0x600640a, "sm_100a"},
        FlagsRow{0x41, 0x6006402, "sm_100"}, FlagsRow{0x41, 0x6005a04, "sm_90"}}) {
    ElfBuilder elf;
    elf.os_abi = row.os_abi;
    elf.flags = row.flags;
    const std::string file = elf.build();
    const Result<Cubin> cubin = read(file);
    ASSERT_TRUE(cubin);
    EXPECT_EQ(text(cubin->target), row.target);
  }
}

TEST(Cubin, BelowSm90NothingIsTheDrivers) {
  const std::string file = build_cubin({{.name = "k", .shared = 5120}}, 0x6005604);
  const Result<Cubin> cubin = read(file);
  ASSERT_TRUE(cubin);
  EXPECT_EQ(cubin->target.sm, 86);
  EXPECT_EQ(cubin->functions[0].facts.static_smem, 5120);
}

TEST(Cubin, TheCompilersNoteTellsTheSuffix) {
  ElfBuilder elf;
  elf.flags = 0x6007802;
  constexpr std::string_view kNote(
      "ptxas\0Cuda compilation tools, release 13.0, V13.0.88\0-arch sm_120f -m 64 \0", 74);
  elf.add({.name = ".note.nv.tkinfo", .data = std::string(kNote)});
  const std::string file = elf.build();
  const Result<Cubin> cubin = read(file);
  ASSERT_TRUE(cubin);
  EXPECT_EQ(text(cubin->target), "sm_120f");
  EXPECT_EQ(cubin->tool_version, "V13.0.88");
}

TEST(Cubin, AKernelThatStoresAConstantSizesItsNeighbour) {
  const std::string code = instruction(0xb82, 1) + instruction(0x431, 5, 0xff, 226304) +
                           instruction(0x986, 0, 2, 5) + instruction(0x94d);
  const std::string file =
      build_cubin({{.name = "fmha"}, {.name = "fmhaGetSmemSize", .code = code}});
  const Result<Cubin> cubin = read(file);
  ASSERT_TRUE(cubin);
  EXPECT_EQ(find(*cubin, "fmha")->embedded_smem, 226304);
  EXPECT_EQ(find(*cubin, "fmhaGetSmemSize")->embedded_smem, std::nullopt);
}

TEST(Cubin, CompiledKernelsAgreeWithWhatCuobjdumpPrints) {
  const std::string file = data_file("small_sm90a.cubin");
  ASSERT_FALSE(file.empty());
  const Result<Cubin> cubin = read(file);
  ASSERT_TRUE(cubin);
  EXPECT_EQ(text(cubin->target), "sm_90a");
  // cuobjdump 13.5 -res-usage: REG:10 and REG:12, SHARED:1024 and SHARED:5120, CONSTANT[0]:536
  ASSERT_NE(find(*cubin, "plain"), nullptr);
  ASSERT_NE(find(*cubin, "both"), nullptr);
  EXPECT_EQ(find(*cubin, "plain")->registers, 10);
  EXPECT_EQ(find(*cubin, "plain")->static_smem, 0);
  EXPECT_EQ(find(*cubin, "both")->registers, 12);
  EXPECT_EQ(find(*cubin, "both")->static_smem, 4096);
  EXPECT_EQ(find(*cubin, "both")->constant0, 536);
  EXPECT_EQ(find(*cubin, "both")->barriers, 4);
  EXPECT_EQ(find(*cubin, "clustered")->cluster, (Dim3{2, 1, 1}));
  EXPECT_EQ(find(*cubin, "bounded")->max_threads, (Dim3{256, 1, 1}));
  EXPECT_EQ(find(*cubin, "traps")->body, Body::stub);
  EXPECT_TRUE(find(*cubin, "traps")->traps);
  EXPECT_EQ(find(*cubin, "prints_and_traps")->body, Body::stub);
  EXPECT_EQ(find(*cubin, "plain")->body, Body::real);
}

TEST(Cubin, EveryTruncationAndEveryFlippedByteIsAnswered) {
  const std::string whole = data_file("small_sm90a.cubin");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    (void)read(cut);
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    (void)read(damaged);
  }
}

TEST(Cubin, NamesThatAllShareOneTextAreRefused) {
  ElfBuilder elf;
  elf.add({.name = std::string(60000, 'x'), .data = {}});
  std::string file = elf.build();
  // 1000 more headers that all point at the long name, in place of a table of their own
  std::uint64_t table = 0;
  std::memcpy(&table, file.data() + 40, 8);
  const std::string header = file.substr(table + 64, 64);
  for (int i = 0; i < 1000; ++i) file += header;
  const std::uint16_t count = 1003;
  std::memcpy(file.data() + 60, &count, 2);
  const Result<Cubin> cubin = read(file);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().what, "ELF file has section names that overlap");
}

}  // namespace
}  // namespace tilefit
