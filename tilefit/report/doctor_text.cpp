// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "tilefit/report/doctor_report.h"

namespace tilefit {
namespace {

using Out = std::back_insert_iterator<std::string>;

constexpr std::size_t kEvidenceWidth = 160;

fmt::text_style dress(Severity s) {
  constexpr std::array<fmt::text_style, 4> kDress{kBad, kStrong, kFaint, kFaint};
  return kDress[static_cast<std::size_t>(s)];
}

/// `text` with every line behind the first indented.
std::string indented(std::string_view text, std::size_t by) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(by, ' ');
  }
  return out;
}

void inputs(Out out, const Diagnosis& d, const TextStyle& style) {
  for (const DoctorInput& i : d.inputs) {
    std::string note =
        fmt::format("{}: {} line{}; {}", i.path, i.lines, i.lines == 1 ? "" : "s", i.kind);
    if (i.skipped_lines > 0)
      note += fmt::format("; {} too long, only their beginning was read", i.skipped_lines);
    if (!i.stopped.empty()) note += "; stopped: " + i.stopped;
    fmt::format_to(out, "{}\n", paint(style, kFaint, note));
  }
  if (!d.arch.empty())
    fmt::format_to(
        out, "{}\n",
        paint(style, kFaint, d.gpu.empty() ? d.arch : fmt::format("{} ({})", d.gpu, d.arch)));
  if (d.dropped > 0) fmt::format_to(out, "{} more distinct lines were counted only\n", d.dropped);
}

void chain(Out out, const Diagnosis& d, const TextStyle& style) {
  if (d.chain.empty()) return;
  fmt::format_to(out, "\n{}\n", paint(style, kStrong, "chain"));
  for (const ChainLink& l : d.chain) {
    const auto how = l.status == Confidence::proved    ? kGood
                     : l.status == Confidence::refuted ? kBad
                                                       : kFaint;
    fmt::format_to(out, "  {:<10} {} {}\n", name(l.link),
                   paint(style, how, fmt::format("{:<10}", name(l.status))), indented(l.text, 24));
  }
}

void finding(Out out, const Finding& f, const Diagnosis& d, const TextStyle& style) {
  fmt::format_to(out, "\n{} {}{} [{}, {}]\n", paint(style, dress(f.severity), name(f.severity)),
                 f.id, f.subject.empty() ? "" : ": " + f.subject, name(f.trouble),
                 name(f.confidence));
  fmt::format_to(out, "  {}\n", indented(f.why, 2));
  for (const Evidence& e : f.evidence) {
    const std::string& path = d.inputs[static_cast<std::size_t>(e.input)].path;
    fmt::format_to(out, "  {}\n",
                   paint(style, kFaint,
                         fmt::format("{}:{}: {}", path, e.line,
                                     std::string_view(e.text).substr(0, kEvidenceWidth))));
    if (&e == &f.evidence.front() && f.times > 1) {
      fmt::format_to(out, "  {}\n", paint(style, kFaint, fmt::format(".. {} such lines", f.times)));
      break;
    }
  }
  for (const std::string& fix : f.fixes) fmt::format_to(out, "  fix: {}\n", fix);
}

}  // namespace

std::string doctor_text(const Diagnosis& d, const TextStyle& style) {
  std::string text;
  const Out out = std::back_inserter(text);
  inputs(out, d, style);
  chain(out, d, style);
  for (const Finding& f : d.findings) finding(out, f, d, style);
  const auto count = [&](Severity s) {
    return std::count_if(d.findings.begin(), d.findings.end(),
                         [&](const Finding& f) { return f.severity == s; });
  };
  if (d.findings.empty())
    fmt::format_to(out, "\nnothing found\n");
  else
    fmt::format_to(out, "\nfindings: {} error, {} warning, {} note, {} harmless\n",
                   count(Severity::error), count(Severity::warning), count(Severity::note),
                   count(Severity::harmless));
  return text;
}

}  // namespace tilefit
