// A plot of steps over time as SVG: drawn in a box of 1000 by 100 that is stretched to its place,
// with the writing beside it in HTML, so that text keeps its size on every width. Pure, any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace weir::report {

using ValueOf = std::function<double(const Point&)>;
using MaybeOf = std::function<std::optional<double>(const Point&)>;

class Plot {
 public:
  struct Frame {
    TimeMs from = 0, to = 0;
    bool wall_clock = false;
    double top = 1;           // of the axis
    std::string height;       // a class of style.h: tall, middle, strip
    std::size_t times = 8;    // so many times along the axis at most; 0: none
    std::string description;  // for who cannot see it; plain text
  };
  explicit Plot(Frame frame) : frame_(std::move(frame)) {}

  // The last call is drawn above the others. `look` is a class of style.h.
  void area(const std::vector<Point>& points, const ValueOf& low, const ValueOf& high,
            std::string_view look);
  void line(const std::vector<Point>& points, const MaybeOf& value, std::string_view look);
  void bars(const std::vector<Point>& points, const ValueOf& value, std::string_view look);
  // What is said of the time under the pointer, in at most so many pieces.
  using Saying = std::function<std::string(const std::vector<Point>& piece)>;
  void say(const std::vector<Point>& points, std::size_t pieces, const Saying& saying);

  std::string html() const;

 private:
  double x(TimeMs at) const;
  double y(double value) const;

  Frame frame_;
  std::string drawing_;
};

}  // namespace weir::report
