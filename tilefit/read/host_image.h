// SPDX-License-Identifier: Apache-2.0
// HostImage: an ELF program or library as it lies in memory once loaded: bytes by address, what
// relocations make of a slot, and where the functions that it imports are called through.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tilefit/read/elf.h"

namespace tilefit {

using Address = std::uint64_t;

/// What the loader writes into a pointer-sized slot.
struct BoundSlot {
  Address slot = 0;
  Address target = 0;       // address in this file; 0 for an import
  std::string_view import;  // name of a function or object of another file
};

/// A function of this file's own, by symbol.
struct NamedFunction {
  Address address = 0;
  std::string_view name;
};

class HostImage {
 public:
  explicit HostImage(const Elf& elf);

  const Elf& elf() const { return *elf_; }
  std::uint16_t machine() const { return elf_->machine; }

  /// Bytes from `address` to the end of its section; empty where nothing of the file is loaded.
  ByteView at(Address address) const;
  /// A number that cannot change after loading: from a section that is not writable.
  std::optional<std::uint64_t> constant(Address address, int bytes) const;
  /// What the loader writes to `slot`; nullptr if nothing. Slots that stay writable are not bound.
  const BoundSlot* bound(Address slot) const;
  std::optional<std::string_view> text(Address address) const;

  /// Sections that hold code, without the linkage tables.
  const std::vector<const ElfSection*>& code() const { return code_; }
  bool is_code(Address address) const;
  const std::vector<BoundSlot>& slots() const { return slots_; }
  /// Entry of the procedure linkage table that jumps through `slot`: the function's address as
  /// calls see it. {entry, slot} pairs.
  struct Linkage {
    Address entry = 0, slot = 0;
  };
  const std::vector<Linkage>& linkage() const { return linkage_; }
  /// Whether a call of `target` (or through `slot`) never comes back: throwing, aborting.
  bool never_returns(Address target) const { return no_return_.contains(target); }
  /// Functions of this file whose name is in `names` (of the symbol tables).
  std::vector<NamedFunction> functions(std::string_view prefix) const;

 private:
  const ElfSection* section_of(Address address) const;
  void read_relocations(const ElfSection& section);
  void read_packed_relocations(const ElfSection& section);
  void read_linkage_x86(const ElfSection& section);
  void read_linkage_arm(const ElfSection& section);

  const Elf* elf_;
  std::vector<const ElfSection*> loaded_;  // by address
  std::vector<const ElfSection*> code_;
  std::vector<BoundSlot> slots_;           // by slot
  std::vector<Linkage> linkage_;           // by entry
  std::unordered_set<Address> no_return_;  // linkage entries and slots
};

}  // namespace tilefit
