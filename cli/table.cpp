#include "cli/table.h"

#include <algorithm>
#include <numeric>

#include "cli/format.h"
#include "jobqueue/check.h"

namespace weir::cli {
namespace {
constexpr std::size_t kGap = 2;
}  // namespace

void Table::add(std::vector<std::string> cells) {
  WEIR_CHECK(cells.size() == columns_.size(), "a row has one cell for each column");
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t max_columns) const {
  std::vector<std::size_t> widths;
  for (const auto& column : columns_) widths.push_back(display_width(column.header));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (columns_.size() - 1));
  while (total > max_columns) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].least_width == 0 || widths[i] <= columns_[i].least_width) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns_.size()) break;  // nothing more may be cut
    --widths[widest];
    --total;
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell = truncated(cells[i], widths[i]);
    const std::string padding(widths[i] - display_width(cell), ' ');
    if (i > 0) line.append(kGap, ' ');
    line += columns_[i].right ? padding + cell : cell + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table::render(std::size_t max_columns) const {
  const auto widths = this->widths(max_columns);
  std::vector<std::string> headers;
  for (const auto& column : columns_) headers.push_back(column.header);
  std::string text = line(headers, widths);
  for (const auto& row : rows_) text += line(row, widths);
  return text;
}

std::string property_lines(const std::vector<std::pair<std::string, std::string>>& properties) {
  std::size_t widest = 0;
  for (const auto& [name, value] : properties) widest = std::max(widest, name.size());
  std::string text;
  for (const auto& [name, value] : properties) {
    text += name + ":" + std::string(widest - name.size() + kGap, ' ') + printable(value) + "\n";
  }
  return text;
}

}  // namespace weir::cli
