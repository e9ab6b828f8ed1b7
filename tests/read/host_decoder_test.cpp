// SPDX-License-Identifier: Apache-2.0
// Single instructions as HostOps; and the quick reader beside capstone, over the code of this very
// program.
#include "tilefit/read/host_decoder.h"

#include <capstone/capstone.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "tilefit/read/elf.h"
#include "tilefit/read/host_quick_x86.h"

namespace tilefit {
namespace {

std::vector<HostOp> decode(std::uint16_t machine, std::initializer_list<int> bytes,
                           std::uint64_t address = 0x1000) {
  std::vector<std::byte> code;
  for (const int b : bytes) code.push_back(static_cast<std::byte>(b));
  HostDecoder decoder(machine);
  std::vector<HostOp> out;
  EXPECT_TRUE(decoder.decode(ByteView(std::span<const std::byte>(code)), address, out));
  return out;
}

TEST(HostDecoder, X86LeaIsRelativeToTheNextInstruction) {
  const auto ops =
      decode(kMachineX86, {0x48, 0x8d, 0x3d, 0x10, 0x00, 0x00, 0x00});  // lea rdi, [rip+16]
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].action, HostAction::set);
  EXPECT_EQ(ops[0].dst, 7);
  EXPECT_EQ(ops[0].value, 0x1017);
}

TEST(HostDecoder, X86PushMovesTheStackThenStores) {
  const auto ops = decode(kMachineX86, {0x68, 0x00, 0x90, 0x00, 0x00});  // push 0x9000
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].action, HostAction::add);
  EXPECT_EQ(ops[0].value, -8);
  EXPECT_EQ(ops[1].action, HostAction::store_value);
  EXPECT_EQ(ops[1].extra, 0x9000);
}

TEST(HostDecoder, X86PartsOfRegistersAreLost) {
  for (const auto bytes : {std::initializer_list<int>{0xb0, 0x08},  // mov al, 8
                           {0x66, 0xb8, 0x08, 0x00},                // mov ax, 8
                           {0x0f, 0x94, 0xc0},                      // sete al
                           {0x0f, 0x44, 0xc1}}) {                   // cmove eax, ecx
    const auto ops = decode(kMachineX86, bytes);
    ASSERT_EQ(ops.size(), 1u);
    EXPECT_EQ(ops[0].action, HostAction::destroy);
    EXPECT_EQ(ops[0].dst, 0);
  }
}

TEST(HostDecoder, X86CallThroughASlot) {
  const auto ops = decode(kMachineX86, {0xff, 0x15, 0x00, 0x01, 0x00, 0x00});  // call [rip+256]
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].action, HostAction::call);
  EXPECT_TRUE(ops[0].through_slot);
  EXPECT_EQ(ops[0].extra, 0x1106);
}

TEST(HostDecoder, X86WhatIsNoInstructionIsRefused) {
  HostDecoder decoder(kMachineX86);
  std::vector<HostOp> out;
  EXPECT_FALSE(decoder.decode(ByteView(std::string_view("\x06\x06\x06")), 0, out));
  EXPECT_FALSE(decoder.decode(ByteView(std::string_view("\x48\x8d\x3d")), 0, out));
}

TEST(HostDecoder, ArmPageAndOffset) {
  const auto ops = decode(kMachineArm, {0x00, 0x00, 0x00, 0xb0,    // adrp x0, page + 0x1000
                                        0x00, 0x40, 0x00, 0x91});  // add x0, x0, #16
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].value, 0x2000);
  EXPECT_EQ(ops[1].action, HostAction::add);
  EXPECT_EQ(ops[1].value, 16);
}

TEST(HostDecoder, ArmValuesInTwoParts) {
  const auto ops = decode(kMachineArm, {0x02, 0x40, 0x89, 0x52,    // mov w2, #18944
                                        0x62, 0x00, 0xa0, 0x72});  // movk w2, #3, lsl #16
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].value, 18944);
  EXPECT_EQ(ops[1].action, HostAction::insert);
  EXPECT_EQ(ops[1].extra, 16);
}

TEST(HostDecoder, ArmBitmaskValues) {
  const auto ops = decode(kMachineArm, {0xe2, 0x07, 0x11, 0x32});  // mov w2, #98304
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].action, HostAction::set);
  EXPECT_EQ(ops[0].value, 98304);
}

TEST(HostDecoder, ArmBranchOnZeroSaysWhere) {
  const auto ops = decode(kMachineArm, {0x40, 0x00, 0x00, 0x35});  // cbnz w0, +8
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].action, HostAction::branch);
  EXPECT_EQ(ops[0].src, 0);
  EXPECT_EQ(ops[0].extra, kZeroWhenNot);
}

#if defined(__x86_64__)
// capstone 4 counts these as written although they are only read.
const std::set<std::string> kFalselyWritten{"test", "cdq", "cqo", "cwde", "cdqe"};

Register number_of(const std::string& name) {
  static const std::map<std::string, int> numbers = [] {
    std::map<std::string, int> all;
    const std::vector<std::vector<const char*>> rows{
        {"rax", "eax", "ax", "al", "ah"}, {"rcx", "ecx", "cx", "cl", "ch"},
        {"rdx", "edx", "dx", "dl", "dh"}, {"rbx", "ebx", "bx", "bl", "bh"},
        {"rsp", "esp", "sp", "spl"},      {"rbp", "ebp", "bp", "bpl"},
        {"rsi", "esi", "si", "sil"},      {"rdi", "edi", "di", "dil"}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const char* name : rows[i]) all[name] = i == 4 ? 31 : static_cast<int>(i);
    }
    for (int i = 8; i < 16; ++i) {
      for (const char* suffix : {"", "d", "w", "b"}) all["r" + std::to_string(i) + suffix] = i;
    }
    for (int i = 0; i < 16; ++i) all["xmm" + std::to_string(i)] = kFirstVector + 2 * i;
    return all;
  }();
  const auto found = numbers.find(name);
  return found == numbers.end() ? kNoRegister : static_cast<Register>(found->second);
}

bool writes_memory(const HostOp& op) {
  return op.action == HostAction::store || op.action == HostAction::store_value ||
         op.action == HostAction::smear;
}

TEST(HostQuickX86, AgreesWithCapstoneOnThisProgram) {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(self), {}};
  const Result<Elf> elf = read_elf(ByteView(std::string_view(file)));
  ASSERT_TRUE(elf);
  const ElfSection* text = elf->find(".text");
  ASSERT_NE(text, nullptr);
  const ByteView code = elf->data(*text);
  csh handle = 0;
  ASSERT_EQ(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  cs_insn* insn = cs_malloc(handle);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(code.data());
  std::size_t left = static_cast<std::size_t>(code.size()), all = 0, quick = 0;
  std::uint64_t address = text->address;
  std::vector<HostOp> ops;
  while (left > 0) {
    ops.clear();
    const int length = quick_x86(code.from(code.size() - static_cast<Bytes>(left)), address, ops);
    if (!cs_disasm_iter(handle, &bytes, &left, &address, insn)) break;
    ++all;
    if (length == 0) continue;
    ++quick;
    const std::string shown = std::string(insn->mnemonic) + " " + insn->op_str;
    ASSERT_EQ(length, insn->size) << shown;
    std::set<Register> written;
    bool memory = false;
    for (const HostOp& op : ops) {
      if (op.dst != kNoRegister) written.insert(op.dst);
      memory = memory || writes_memory(op);
    }
    if (kFalselyWritten.contains(insn->mnemonic) || insn->id == X86_INS_CALL ||
        insn->id == X86_INS_RET)
      continue;
    cs_regs read{}, write{};
    std::uint8_t reads = 0, writes = 0;
    ASSERT_EQ(cs_regs_access(handle, insn, read, &reads, write, &writes), CS_ERR_OK);
    for (int i = 0; i < writes; ++i) {
      const char* name = cs_reg_name(handle, write[i]);
      const Register number = name == nullptr ? kNoRegister : number_of(name);
      const bool either =
          number >= kFirstVector && written.contains(static_cast<Register>(number + 1));
      if (number != kNoRegister)
        EXPECT_TRUE(written.contains(number) || either) << shown << ": " << name;
    }
    const cs_x86& x86 = insn->detail->x86;
    for (int i = 0; i < x86.op_count; ++i) {
      const bool stored =
          x86.operands[i].type == X86_OP_MEM && (x86.operands[i].access & CS_AC_WRITE) != 0;
      if (stored && insn->id != X86_INS_JMP) EXPECT_TRUE(memory) << shown;
    }
  }
  cs_free(insn, 1);
  cs_close(&handle);
  EXPECT_GT(all, 10000u);
  EXPECT_GT(quick * 100, all * 90);
}
#endif

}  // namespace
}  // namespace tilefit
