// SPDX-License-Identifier: Apache-2.0
// A small SVG writer: boxes, lines and text, escaped, with fixed decimals, so that the same picture
// is always the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace tilefit {

struct SvgText {
  double size = 12;
  std::string_view fill = "#1a1a1a";
  bool bold = false;
  std::string_view anchor = "start";  // start, middle, end
  bool mono = false;
};

class Svg {
 public:
  Svg(double width, double height, std::string_view title, std::string_view description);

  void box(double x, double y, double width, double height, std::string_view fill,
           std::string_view stroke = "none");
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1);
  void text(double x, double y, std::string_view words, const SvgText& how = {});
  /// Diagonal stripes over a box.
  void hatch(double x, double y, double width, double height, std::string_view stroke);
  /// What follows shows `tip` where a pointer rests on it, until close_tip().
  void open_tip(std::string_view tip);
  void close_tip();

  /// The whole document. Nothing can be added after.
  std::string finish();

 private:
  std::string out_;
  int patterns_ = 0;
};

}  // namespace tilefit
