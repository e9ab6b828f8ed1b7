// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/svg.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace tilefit {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title, std::string_view description) {
  fmt::format_to(std::back_inserter(out_),
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                 "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
                 "font-family=\"DejaVu Sans, Verdana, Arial, "
                 "sans-serif\">\n<title>{2}</title>\n<desc>{3}</desc>\n",
                 width, height, escaped(title), escaped(description));
  box(0, 0, width, height, "#ffffff");
}

void Svg::box(double x, double y, double width, double height, std::string_view fill,
              std::string_view stroke) {
  fmt::format_to(std::back_inserter(out_),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"",
                 x, y, width, height, fill);
  if (stroke != "none") fmt::format_to(std::back_inserter(out_), " stroke=\"{}\"", stroke);
  out_ += "/>\n";
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width) {
  fmt::format_to(
      std::back_inserter(out_),
      "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", x1, y1,
      x2, y2, stroke, width);
}

void Svg::text(double x, double y, std::string_view words, const SvgText& how) {
  fmt::format_to(std::back_inserter(out_),
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" fill=\"{}\"", x, y, how.size,
                 how.fill);
  if (how.bold) out_ += " font-weight=\"bold\"";
  if (how.anchor != "start")
    fmt::format_to(std::back_inserter(out_), " text-anchor=\"{}\"", how.anchor);
  if (how.mono) out_ += " font-family=\"DejaVu Sans Mono, Consolas, monospace\"";
  fmt::format_to(std::back_inserter(out_), ">{}</text>\n", escaped(words));
}

void Svg::hatch(double x, double y, double width, double height, std::string_view stroke) {
  fmt::format_to(std::back_inserter(out_),
                 "<pattern id=\"h{0}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                 "patternTransform=\"rotate(45)\">"
                 "<path d=\"M0 0L0 6\" stroke=\"{1}\" stroke-width=\"1.6\"/></pattern>\n",
                 patterns_, stroke);
  box(x, y, width, height, fmt::format("url(#h{})", patterns_++));
}

void Svg::open_tip(std::string_view tip) {
  fmt::format_to(std::back_inserter(out_), "<g><title>{}</title>\n", escaped(tip));
}
void Svg::close_tip() { out_ += "</g>\n"; }

std::string Svg::finish() {
  out_ += "</svg>\n";
  return std::exchange(out_, {});
}

}  // namespace tilefit
