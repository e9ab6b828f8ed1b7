// SPDX-License-Identifier: Apache-2.0
// Zip: members of wheels and other zip files, inflated within bounds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/bytes.h"

struct zip;

namespace tilefit {

/// What one member may inflate to, altogether and for each byte that it takes in the file once it
/// is past the first MiB. Code never comes near either; only bombs do.
inline constexpr Bytes kMaxMember = Bytes{16} << 30;
inline constexpr Bytes kMaxRatio = 200;
inline constexpr Bytes kMaxMembers = 350000;

struct ZipMember {
  std::string name;  // as the file spells it; never used as a path to write to
  Bytes size = 0, packed = 0;
  int index = 0;
};

class Zip {
 public:
  /// `file` must outlive the value.
  static Result<Zip> open(ByteView file);

  const std::vector<ZipMember>& members() const { return members_; }  // files, no folders

  std::optional<ZipMember> find(const std::string& name) const;

  /// Hands over the member's bytes piece by piece, until they end or `take` returns false.
  using Take = std::function<bool(std::span<const std::byte>)>;
  std::optional<Error> read(const ZipMember& member, const Take& take) const;

 private:
  std::optional<ZipMember> member(int index) const;

  struct Close {
    void operator()(::zip* archive) const;
  };
  std::unique_ptr<::zip, Close> archive_;
  std::vector<ZipMember> members_;
};

}  // namespace tilefit
