// A table for people: a header, aligned columns, two spaces between them, no lines. When it is
// wider than the limit the widest shrinkable columns give way first, down to their least width, by
// cutting text with "…". The layout depends on the cells and the limit alone: the same on a
// terminal and in a pipe. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::cli {

inline constexpr std::size_t kTableColumns = 100;

struct TableColumn {
  std::string header;
  bool right = false;           // numbers
  std::size_t least_width = 0;  // 0: never cut
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);  // one cell a column
  bool empty() const { return rows_.empty(); }
  std::string render(std::size_t max_columns = kTableColumns) const;  // lines, each ended

 private:
  std::vector<std::size_t> widths(std::size_t max_columns) const;
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `Name:   value` lines with the values in one column.
std::string property_lines(const std::vector<std::pair<std::string, std::string>>& properties);

}  // namespace weir::cli
