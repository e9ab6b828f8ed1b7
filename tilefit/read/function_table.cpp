// SPDX-License-Identifier: Apache-2.0
// Reads .eh_frame_hdr, .eh_frame (Linux Standard Base 5, section 10.6) and language-specific data
// areas (the Itanium C++ ABI's exception tables).
#include "tilefit/read/function_table.h"

namespace tilefit {
namespace {

// Pointer encodings (DW_EH_PE_*): a format in the low half, what it is relative to in the high one.
enum : std::uint8_t {
  kAbsolute = 0x00,
  kUleb = 0x01,
  kUdata2 = 0x02,
  kUdata4 = 0x03,
  kUdata8 = 0x04,
  kSdata2 = 0x0a,
  kSdata4 = 0x0b,
  kSdata8 = 0x0c,
  kPcRelative = 0x10,
  kIndirect = 0x80,
  kOmitted = 0xff,
};
constexpr std::uint8_t kSortedTable = 0x3b;  // sdata4, relative to the header
constexpr Bytes kHeaderBytes = 12, kTableEntry = 8;

/// Reads forward through memory; any step outside makes all that follows 0 and `ok` false.
class Cursor {
 public:
  Cursor(const HostImage& image, Address at) : view_(image.at(at)), base_(at) {}

  bool ok() const { return ok_; }
  Address here() const { return base_ + static_cast<Address>(at_); }
  void skip(std::uint64_t bytes) { move(as_bytes(bytes)); }

  template <class T>
  T number() {
    const auto value = view_.number<T>(at_);
    if (!value) ok_ = false;
    at_ += static_cast<Bytes>(sizeof(T));
    return value.value_or(T{});
  }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  /// A pointer in `encoding`; what it is relative to is added unless it is 0.
  std::uint64_t pointer(std::uint8_t encoding) {
    const Address start = here();
    std::uint64_t value = 0;
    switch (encoding & 0x0f) {
      case kAbsolute:
      case kUdata8:
      case kSdata8:
        value = number<std::uint64_t>();
        break;
      case kUleb:
        value = uleb();
        break;
      case kUdata2:
        value = number<std::uint16_t>();
        break;
      case kUdata4:
        value = number<std::uint32_t>();
        break;
      case kSdata2:
        value = extended(number<std::int16_t>());
        break;
      case kSdata4:
        value = extended(number<std::int32_t>());
        break;
      default:
        ok_ = false;
    }
    const std::uint8_t relative = encoding & 0x70;
    if (relative == kPcRelative) return value == 0 ? 0 : value + start;
    if (relative != 0) ok_ = false;
    return value;
  }
  std::string_view text() {
    const auto s = view_.c_string(at_);
    if (!s)
      ok_ = false;
    else
      at_ += static_cast<Bytes>(s->size()) + 1;
    return s.value_or("");
  }

 private:
  static std::uint64_t extended(std::int64_t value) { return static_cast<std::uint64_t>(value); }
  void move(Bytes bytes) {
    if (bytes < 0 || bytes > view_.size() - at_)
      ok_ = false;
    else
      at_ += bytes;
  }

  ByteView view_;
  Address base_;
  Bytes at_ = 0;
  bool ok_ = true;
};

// Rules for unwinding start with an advance (DW_CFA_advance_loc*) unless there is a frame from the
// very first instruction on.
bool begins_empty(const HostImage& image, Address rules, Address end) {
  if (rules >= end) return true;
  const auto first = image.at(rules).number_or_0<std::uint8_t>(0);
  return (first & 0xc0) == 0x40 || first == 0x00 || (first >= 0x02 && first <= 0x04);
}

struct Encodings {
  std::uint8_t code = kAbsolute, exceptions = kOmitted;
  bool sized = false;  // augmentation data follows in each entry
};

std::optional<Encodings> read_common(const HostImage& image, Address common) {
  Cursor c(image, common);
  c.number<std::uint32_t>();  // length
  if (c.number<std::uint32_t>() != 0) return std::nullopt;
  const auto version = c.number<std::uint8_t>();
  const std::string_view augmentation = c.text();
  c.uleb();  // code alignment
  c.uleb();  // data alignment: signed, but as long
  if (version == 1)
    c.number<std::uint8_t>();
  else
    c.uleb();
  Encodings out;
  if (augmentation.starts_with('z')) {
    out.sized = true;
    c.uleb();
    for (const char what : augmentation.substr(1)) {
      if (what == 'R')
        out.code = c.number<std::uint8_t>();
      else if (what == 'L')
        out.exceptions = c.number<std::uint8_t>();
      else if (what == 'P')
        c.pointer(c.number<std::uint8_t>());
      else if (what != 'S' && what != 'B')
        return std::nullopt;
    }
  } else if (!augmentation.empty()) {
    return std::nullopt;
  }
  return c.ok() ? std::optional(out) : std::nullopt;
}

}  // namespace

FunctionTable::FunctionTable(const HostImage& image) : image_(&image) {
  const ElfSection* section = image.elf().find(".eh_frame_hdr");
  if (section == nullptr) return;
  Cursor c(image, section->address);
  const auto version = c.number<std::uint8_t>();
  const auto frame = c.number<std::uint8_t>(), count = c.number<std::uint8_t>();
  const auto table = c.number<std::uint8_t>();
  if (!c.ok() || version != 1 || count != kUdata4 || table != kSortedTable ||
      (frame & 0x0f) != kSdata4) {
    return;
  }
  c.number<std::uint32_t>();
  const Bytes entries = c.number<std::uint32_t>();
  const Bytes room = (image.at(section->address).size() - kHeaderBytes) / kTableEntry;
  header_ = section->address;
  entries_ = c.ok() && entries <= room ? entries : 0;
}

std::optional<HostFunction> FunctionTable::find(Address address) const {
  // The linkage tables have unwinding rules too.
  if (!image_->is_code(address)) return std::nullopt;
  const ByteView table = image_->at(header_).from(kHeaderBytes);
  const auto begin = [&](Bytes i) {
    return header_ + static_cast<Address>(static_cast<std::int64_t>(
                         table.number_or_0<std::int32_t>(i * kTableEntry)));
  };
  Bytes low = 0, high = entries_;  // the last entry that begins at or before `address`
  while (low < high) {
    const Bytes middle = low + (high - low) / 2;
    if (begin(middle) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return std::nullopt;
  const auto entry =
      static_cast<std::int64_t>(table.number_or_0<std::int32_t>((low - 1) * kTableEntry + 4));
  const auto function = describe(header_ + static_cast<Address>(entry));
  if (!function || address < function->begin || address >= function->end) return std::nullopt;
  return function;
}

std::optional<HostFunction> FunctionTable::describe(Address entry) const {
  Cursor c(*image_, entry);
  const auto length = c.number<std::uint32_t>();
  const Address back = c.here();
  const auto distance = c.number<std::uint32_t>();
  if (!c.ok() || length == 0 || length == 0xffffffff || distance == 0) return std::nullopt;
  const auto encodings = read_common(*image_, back - distance);
  if (!encodings) return std::nullopt;
  HostFunction out;
  out.begin = c.pointer(encodings->code);
  const std::uint64_t size = c.pointer(encodings->code & 0x0f);
  const std::uint64_t augmentation = encodings->sized ? c.uleb() : 0;
  const Address rules = c.here() + augmentation;
  if (encodings->exceptions != kOmitted) out.exceptions = c.pointer(encodings->exceptions);
  if (!c.ok() || (encodings->exceptions != kOmitted && (encodings->exceptions & kIndirect) != 0)) {
    return std::nullopt;
  }
  if (size == 0 || size > (std::uint64_t{1} << 32)) return std::nullopt;
  out.end = out.begin + size;
  out.entry = begins_empty(*image_, rules, back + length);
  return out;
}

std::optional<std::vector<Address>> FunctionTable::landing_pads(
    const HostFunction& function) const {
  std::vector<Address> out;
  if (function.exceptions == 0) return out;
  Cursor c(*image_, function.exceptions);
  const auto start_encoding = c.number<std::uint8_t>();
  const Address start = start_encoding == kOmitted ? function.begin : c.pointer(start_encoding);
  if (c.number<std::uint8_t>() != kOmitted) c.uleb();  // offset of the type table
  const auto encoding = c.number<std::uint8_t>();
  const std::uint64_t length = c.uleb();
  const Address end = c.here() + length;
  while (c.ok() && c.here() < end) {
    c.pointer(encoding);
    c.pointer(encoding);
    const std::uint64_t pad = c.pointer(encoding);
    c.uleb();  // action
    if (pad != 0) out.push_back(start + pad);
  }
  if (!c.ok()) return std::nullopt;
  return out;
}

}  // namespace tilefit
