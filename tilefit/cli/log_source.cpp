// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/log_source.h"

#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace tilefit {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
using Take = std::function<void(std::string_view)>;

/// UTF-16 to bytes that patterns can read: characters beyond ASCII become one '?', as no pattern
/// needs them. Everything else passes as it is.
class Decoder {
 public:
  explicit Decoder(const Take& take) : take_(take) {}

  void feed(std::string_view bytes) {
    if (begun_ && width_ == 1) return take_(bytes);
    held_.append(bytes);
    if (!begun_ && !begin(false)) return;
    flush();
  }

  void finish() {
    if (!begun_) begin(true);
    flush();
  }

 private:
  bool begin(bool all) {
    if (held_.size() < 3 && !all) return false;
    begun_ = true;
    const auto at = [&](std::size_t i) {
      return i < held_.size() ? static_cast<unsigned char>(held_[i]) : 0U;
    };
    if (at(0) == 0xff && at(1) == 0xfe)
      width_ = 2, low_ = 0;
    else if (at(0) == 0xfe && at(1) == 0xff)
      width_ = 2, low_ = 1;
    if (width_ == 2)
      held_.erase(0, 2);
    else if (at(0) == 0xef && at(1) == 0xbb && at(2) == 0xbf)
      held_.erase(0, 3);
    return true;
  }

  void flush() {
    if (width_ == 1) {
      take_(held_);
      held_.clear();
      return;
    }
    std::string text;
    std::size_t i = 0;
    for (; i + 1 < held_.size(); i += 2) {
      const char low = held_[i + low_], high = held_[i + 1 - low_];
      text += high == 0 && static_cast<unsigned char>(low) < 0x80 ? low : '?';
    }
    held_.erase(0, i);
    take_(text);
  }

  const Take& take_;
  std::string held_;
  std::size_t width_ = 1, low_ = 0;
  bool begun_ = false;
};

struct Close {
  void operator()(std::FILE* f) const {
    if (f != stdin) std::fclose(f);
  }
};

/// Plain bytes pass through. Both decompressors take files of several frames one after another.
class Inflater {
 public:
  explicit Inflater(Decoder& out) : out_(out), block_(kBlock) {}
  ~Inflater() {
    if (kind_ == Kind::gzip) inflateEnd(&gzip_);
    ZSTD_freeDStream(zstd_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// False when the data is damaged.
  bool feed(std::string_view bytes) {
    if (kind_ == Kind::unknown) sniff(bytes);
    if (kind_ == Kind::gzip) return gunzip(bytes);
    if (kind_ == Kind::zstd) return unzstd(bytes);
    out_.feed(bytes);
    return true;
  }
  bool whole() const { return kind_ < Kind::gzip || ended_; }

 private:
  enum class Kind { unknown, plain, gzip, zstd };

  void sniff(std::string_view bytes) {
    kind_ = Kind::plain;
    if (bytes.starts_with("\x1f\x8b")) {
      constexpr int kGzipOnly = 16 + MAX_WBITS;
      if (inflateInit2(&gzip_, kGzipOnly) == Z_OK) kind_ = Kind::gzip;
    } else if (bytes.starts_with("\x28\xb5\x2f\xfd")) {
      zstd_ = ZSTD_createDStream();
      if (zstd_ != nullptr) kind_ = Kind::zstd;
    }
  }

  bool gunzip(std::string_view bytes) {
    gzip_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    gzip_.avail_in = static_cast<uInt>(bytes.size());
    do {
      if (ended_ && gzip_.avail_in > 0) {
        if (inflateReset(&gzip_) != Z_OK) return false;
        ended_ = false;
      }
      gzip_.next_out = reinterpret_cast<Bytef*>(block_.data());
      gzip_.avail_out = static_cast<uInt>(block_.size());
      const int state = inflate(&gzip_, Z_NO_FLUSH);
      out_.feed({block_.data(), block_.size() - gzip_.avail_out});
      if (state == Z_STREAM_END)
        ended_ = true;
      else if (state == Z_BUF_ERROR)
        return true;
      else if (state != Z_OK)
        return false;
    } while (gzip_.avail_in > 0 || gzip_.avail_out == 0);
    return true;
  }

  bool unzstd(std::string_view bytes) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    bool more = true;
    while (more) {
      ZSTD_outBuffer out{block_.data(), block_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(zstd_, &out, &in);
      if (ZSTD_isError(left) != 0U) return false;
      out_.feed({block_.data(), out.pos});
      ended_ = left == 0;
      more = in.pos < in.size || out.pos == out.size;
    }
    return true;
  }

  Decoder& out_;
  std::vector<char> block_;
  Kind kind_ = Kind::unknown;
  bool ended_ = false;
  z_stream gzip_{};
  ZSTD_DStream* zstd_ = nullptr;
};

}  // namespace

Result<std::string> read_log(const std::string& path, const Take& take) {
  std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr)
    return Error{"cannot open '" + path + "': " + std::strerror(errno), "",
                 "name a file that is there"};
  Decoder decoder(take);
  Inflater inflater(decoder);
  std::vector<char> block(kBlock);
  std::string stopped;
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), file.get()))
    if (!inflater.feed({block.data(), n})) {
      stopped = "the compressed data is damaged";
      break;
    }
  if (std::ferror(file.get()) != 0)
    return Error{"cannot read '" + path + "': " + std::strerror(errno), "",
                 "name a readable file, not a folder"};
  if (stopped.empty() && !inflater.whole()) stopped = "the compressed data ends too early";
  decoder.finish();
  return stopped;
}

}  // namespace tilefit
