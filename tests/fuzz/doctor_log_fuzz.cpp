// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log, cut anywhere: a diagnosis whose evidence points into the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tilefit/doctor/diagnose.h"
#include "tilefit/doctor/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilefit;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = size == 0 ? 0 : data[0] % size;
  LogReader reader;
  reader.open("fuzz");
  reader.feed(bytes.substr(0, cut));
  reader.feed(bytes.substr(cut));
  reader.close();
  DoctorOptions options;
  if (size > 1 && data[size - 1] % 2 == 0) options.target = Target{nullptr, find_arch(120)};
  const Diagnosis d = diagnose(std::move(reader).facts(), options);
  for (const Finding& f : d.findings) {
    if (f.id.empty() || f.why.empty() || f.evidence.empty()) std::abort();
    for (const Evidence& e : f.evidence)
      if (e.input != 0 || e.line < 1 || e.line > d.inputs[0].lines) std::abort();
  }
  return 0;
}
