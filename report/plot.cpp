#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/markup.h"

namespace weir::report {

double Plot::x(TimeMs at) const {
  const auto span = static_cast<double>(std::max<TimeMs>(frame_.to - frame_.from, 1));
  return 1000 * static_cast<double>(at - frame_.from) / span;
}

double Plot::y(double value) const {
  return 100 - 100 * std::clamp(value / frame_.top, 0.0, 1.0);
}

void Plot::area(const std::vector<Point>& points, const ValueOf& low, const ValueOf& high,
                std::string_view look) {
  std::string path;
  // Piece by piece, where there is something: what is empty costs nothing.
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin;
    while (end < points.size() && high(points[end]) > low(points[end])) ++end;
    if (end == begin) {
      ++begin;
      continue;
    }
    path += fmt::format("M{} {}", number(x(points[begin].from)), number(y(low(points[begin]))));
    double at = -1;
    for (std::size_t i = begin; i < end; ++i) {
      const double up = y(high(points[i]));
      if (up != at) path += fmt::format("V{}", number(up));
      at = up;
      const bool same = i + 1 < end && y(high(points[i + 1])) == up;
      if (!same) path += fmt::format("H{}", number(x(points[i].to)));
    }
    for (std::size_t i = end; i-- > begin;) {
      const double down = y(low(points[i]));
      if (down != at) path += fmt::format("V{}", number(down));
      at = down;
      const bool same = i > begin && y(low(points[i - 1])) == down;
      if (!same) path += fmt::format("H{}", number(x(points[i].from)));
    }
    path += "Z";
    begin = end;
  }
  if (!path.empty()) drawing_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", look, path);
}

void Plot::line(const std::vector<Point>& points, const MaybeOf& value, std::string_view look) {
  std::string path;
  bool down = false;
  double at = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto here = value(points[i]);
    if (!here) {
      down = false;
      continue;
    }
    const double up = y(*here);
    if (!down) {
      path += fmt::format("M{} {}", number(x(points[i].from)), number(up));
    } else if (up != at) {
      path += fmt::format("V{}", number(up));
    }
    down = true;
    at = up;
    const auto next = i + 1 < points.size() ? value(points[i + 1]) : std::nullopt;
    if (!next || y(*next) != up) path += fmt::format("H{}", number(x(points[i].to)));
  }
  if (!path.empty()) drawing_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", look, path);
}

void Plot::bars(const std::vector<Point>& points, const ValueOf& value, std::string_view look) {
  for (const Point& point : points) {
    if (value(point) <= 0) continue;
    const double width = std::max(2.0, x(point.to) - x(point.from));
    drawing_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                            look, number(x(point.from)), number(y(value(point))), number(width),
                            number(100 - y(value(point))));
  }
}

void Plot::say(const std::vector<Point>& points, std::size_t pieces, const Saying& saying) {
  const std::size_t size = std::max<std::size_t>(1, (points.size() + pieces - 1) / pieces);
  for (std::size_t begin = 0; begin < points.size(); begin += size) {
    const std::size_t end = std::min(points.size(), begin + size);
    const auto at = [&](std::size_t place) {
      return std::next(points.begin(), static_cast<std::ptrdiff_t>(place));
    };
    const std::vector<Point> piece(at(begin), at(end));
    const double left = x(piece.front().from);
    drawing_ += fmt::format(
        "<rect class=\"hover\" x=\"{}\" y=\"0\" width=\"{}\" height=\"100\"><title>{} to "
        "{}\n{}</title></rect>",
        number(left), number(x(piece.back().to) - left),
        moment(piece.front().from, frame_.wall_clock), moment(piece.back().to, frame_.wall_clock),
        escaped(saying(piece)));
  }
}

std::string Plot::html() const {
  std::string grid, labels;
  const bool strip = frame_.height == "strip";
  for (const double part : {0.0, 0.5, 1.0}) {
    if (strip && part < 1) continue;
    labels += fmt::format("<span style=\"bottom:{}%\">{}</span>", number(part * 100),
                          amount(frame_.top * part));
    if (part > 0) {
      grid += fmt::format("<path class=\"grid\" d=\"M0 {0}H1000\"/>", number(100 - 100 * part));
    }
  }
  std::string times;
  for (const Tick& tick : time_ticks(frame_.from, frame_.to, frame_.wall_clock, frame_.times)) {
    if (frame_.times == 0) break;
    grid += fmt::format("<path class=\"grid\" d=\"M{} 0V100\"/>", number(tick.place * 10));
    const char* where = tick.place < 4    ? " class=\"first\""
                        : tick.place > 96 ? " class=\"last\""
                                          : "";
    times += fmt::format("<span{} style=\"left:{}%\">{}</span>", where, number(tick.place),
                         escaped(tick.text));
  }
  return fmt::format(
      "<div class=\"plot {}\"><div class=\"y\" aria-hidden=\"true\">{}</div><svg role=\"img\" "
      "aria-label=\"{}\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\">{}{}</svg>{}"
      "</div>\n",
      frame_.height, labels, escaped(frame_.description), grid, drawing_,
      times.empty() ? "" : "<div class=\"x\" aria-hidden=\"true\">" + times + "</div>");
}

}  // namespace weir::report
