// SPDX-License-Identifier: Apache-2.0
// Host code of host_fixture.cpp, built in several ways: what must be found, and that nothing wrong
// ever is.
#include "tilefit/read/host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/plan/truth_rows.h"

namespace tilefit {
namespace {

std::string read_file(const std::string& path) {
  if (path.ends_with(".gz")) return truth::read_gzip(path);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Build {
  std::string name, path;
  bool optimised = true;
};

std::vector<Build> builds() {
  std::vector<Build> out;
#ifdef TILEFIT_HOST_FIXTURES
  for (const char* name : {"o0", "o1", "o2", "os", "noplt"}) {
    out.push_back({name, std::string(TILEFIT_HOST_FIXTURES "/libhost_fixture_") + name + ".so",
                   std::string(name) != "o0"});
  }
#endif
  out.push_back({"arm64", TILEFIT_TESTS_DIR "/data/host_fixture_arm64.so.gz"});
  return out;
}

struct Expected {
  std::set<Bytes> right;  // values that a launch can ask for
  bool found = true;      // in every build
  bool all = false;       // and all of them
};

/// What each kernel of the fixture asks for. Empty: never a constant that is right.
const std::map<std::string, Expected>& expected() {
  static const std::map<std::string, Expected> all{
      {"_Z5plainPi", {{73728}}},
      {"_Z4leftPi", {{65537}}},
      {"_Z5rightPi", {{98305}}},
      {"_Z8computedPi", {{}, false}},
      {"_Z15other_attributePi", {{}, false}},
      {"_Z14through_memoryPi", {{40960}}},
      {"_Z17changed_in_memoryPi", {{}, false}},
      {"_Z9by_configPi", {{50000}}},
      {"_Z14changed_configPi", {{}, false}},
      {"_Z9by_helperPi", {{81920}}},
      {"_Z13helper_configPi", {{51200}}},
      {"_Z5twicePi", {{100000, 50002}, true, true}},
      {"_Z7in_loopPi", {{1000}, false}},  // the first round's value is a real one
      {"_Z11after_throwPi", {{60001, 60002, 60003}, false}},
      {"_Z12after_switchPi", {{70000, 70001, 70002, 70003, 70004, 70006, 70007}, false}},
      {"_Z8launchedPi", {{12345}}},
      {"_Z11conditionalPi", {{30001, 30002}, false}},
      {"_Z6drivenPf", {{66000}}},
  };
  return all;
}

class HostFixture : public testing::TestWithParam<Build> {
 protected:
  void SetUp() override {
    file_ = read_file(GetParam().path);
    ASSERT_FALSE(file_.empty()) << GetParam().path;
    const Result<Elf> elf = read_elf(ByteView(std::string_view(file_)));
    ASSERT_TRUE(elf) << elf.error().what;
    elf_ = *elf;
    code_ = read_host_code(elf_);
  }
  std::set<Bytes> values(const std::string& symbol) const {
    std::set<Bytes> out;
    if (const HostKernel* kernel = code_.find(symbol)) {
      for (const HostValueSeen& seen : kernel->seen) out.insert(seen.bytes);
    }
    return out;
  }

  std::string file_;
  Elf elf_;
  HostCode code_;
};

TEST_P(HostFixture, FindsWhatIsThereAndNothingElse) {
  EXPECT_EQ(code_.why, "");
  for (const auto& [symbol, want] : expected()) {
    const std::set<Bytes> got = values(symbol);
    for (const Bytes bytes : got) EXPECT_TRUE(want.right.contains(bytes)) << symbol << " " << bytes;
    if (want.found) EXPECT_FALSE(got.empty()) << symbol;
    if (want.all) EXPECT_EQ(got, want.right) << symbol;
  }
  for (const HostKernel& kernel : code_.kernels) {
    EXPECT_TRUE(expected().contains(std::string(kernel.symbol))) << kernel.symbol;
  }
}

// Where a size depends on the way taken, one of the values alone would be wrong.
TEST_P(HostFixture, OneOfSeveralIsNeverTakenForAll) {
  for (const char* symbol :
       {"_Z11after_throwPi", "_Z12after_switchPi", "_Z11conditionalPi", "_Z7in_loopPi"}) {
    const HostKernel* kernel = code_.find(symbol);
    if (kernel == nullptr || kernel->seen.empty()) continue;
    EXPECT_TRUE(kernel->seen.size() > 1 || kernel->unknown_attributes > 0) << symbol;
  }
}

TEST_P(HostFixture, ComputedSizesAreCountedAsUnknown) {
  const HostKernel* kernel = code_.find("_Z8computedPi");
  ASSERT_NE(kernel, nullptr);
  EXPECT_GT(kernel->unknown_attributes, 0);
  const DynamicSmem smem = dynamic_smem(*kernel);
  EXPECT_TRUE(smem.bytes.empty());
  EXPECT_EQ(smem.provenance, Provenance::unknown);
  EXPECT_EQ(smem.why, "host code computes the size at run time");
}

TEST_P(HostFixture, EveryCutIsRead) {
  for (std::size_t size = 0; size < file_.size(); size += 1 + file_.size() / 97) {
    const Result<Elf> elf = read_elf(ByteView(std::string_view(file_).substr(0, size)));
    if (elf) read_host_code(*elf);
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, HostFixture, testing::ValuesIn(builds()),
                         [](const auto& info) { return info.param.name; });

TEST(HostCode, AttributesCountBeforeLaunches) {
  HostKernel kernel;
  kernel.seen = {{.bytes = 100, .source = HostSource::launch},
                 {.bytes = 65536, .source = HostSource::attribute}};
  EXPECT_THAT(dynamic_smem(kernel).bytes, testing::ElementsAre(65536));
  kernel.seen = {{.bytes = 100, .source = HostSource::launch},
                 {.bytes = 50, .source = HostSource::config}};
  const DynamicSmem several = dynamic_smem(kernel);
  EXPECT_THAT(several.bytes, testing::ElementsAre(50, 100));
  EXPECT_EQ(several.why, "calls in host code ask for different sizes");
  EXPECT_EQ(several.from, ReadFrom::host_code);
}

TEST(HostCode, OtherMachinesAreSaidToBe) {
  Elf elf;
  elf.machine = kMachineCuda;
  EXPECT_EQ(read_host_code(elf).why, "host code of another processor");
  elf.machine = kMachineX86;
  EXPECT_EQ(read_host_code(elf).why, "no calls of the CUDA runtime by name");
}

}  // namespace
}  // namespace tilefit
