#include "cli/table.h"

#include <algorithm>

#include "cli/format.h"
#include "jobqueue/model/check.h"

namespace weir::cli {
namespace {
constexpr std::size_t kGap = 2;
}  // namespace

void Table::add(std::vector<std::string> cells) {
  WEIR_CHECK(cells.size() == columns_.size(), "a row has one cell for each column");
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::natural_widths() const {
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) widths.push_back(display_width(column.header));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

// False if all that may be cut has been, and it is too wide all the same.
bool Table::cut_to_fit(std::vector<Shown>& shown, std::size_t width) const {
  std::size_t total = shown.empty() ? 0 : kGap * (shown.size() - 1);
  for (const Shown& one : shown) total += one.width;
  while (total > width) {
    Shown* widest = nullptr;
    for (Shown& one : shown) {
      const std::size_t least = columns_[one.column].least_width;
      if (least == 0 || one.width <= least) continue;
      if (widest == nullptr || one.width > widest->width) widest = &one;
    }
    if (widest == nullptr) return false;
    --widest->width;
    --total;
  }
  return true;
}

std::vector<Table::Shown> Table::layout(std::size_t width) const {
  const auto natural = natural_widths();
  int highest = 0;
  for (const auto& column : columns_) highest = std::max(highest, column.rank);
  for (int most = highest;; --most) {
    std::vector<Shown> shown;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].rank <= most) shown.push_back({i, natural[i]});
    }
    if (cut_to_fit(shown, width) || most == 0) return shown;
  }
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<Shown>& shown) const {
  std::string line;
  for (const auto& [column, width] : shown) {
    const std::string cell = columns_[column].ends ? truncated_middle(cells[column], width)
                                                   : truncated(cells[column], width);
    const std::string padding(width - display_width(cell), ' ');
    if (!line.empty()) line.append(kGap, ' ');
    line += columns_[column].right ? padding + cell : cell + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table::render(std::size_t width) const {
  const auto shown = layout(width);
  std::vector<std::string> headers;
  for (const auto& column : columns_) headers.push_back(column.header);
  std::string text = line(headers, shown);
  for (const auto& row : rows_) text += line(row, shown);
  return text;
}

std::string property_lines(const std::vector<std::pair<std::string, std::string>>& properties,
                           std::size_t width) {
  std::size_t widest = 0;
  for (const auto& [name, value] : properties) widest = std::max(widest, name.size());
  const std::size_t lead = widest + 1 + kGap;
  const std::size_t room = width > 2 * lead ? width - lead : lead;
  std::string text;
  for (const auto& [name, value] : properties) {
    text += name + ":" + std::string(widest - name.size() + kGap, ' ');
    const std::string shown = printable(value);
    if (width == kUncut || display_width(shown) <= room) {
      text += shown + "\n";
      continue;
    }
    std::string between;
    for (const std::string& line : wrapped(shown, room)) {
      text += between + line + "\n";
      between = std::string(lead, ' ');
    }
  }
  return text;
}

}  // namespace weir::cli
