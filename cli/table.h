// A table for people: a header, aligned columns, two spaces between them, no lines. It is drawn for
// a width: that of the terminal, or kUncut into a pipe or file, where every column is there and
// whole (Context::columns() says which).
//
// What does not fit gives way in this order. First text is cut with "…", the widest first, down to
// each column's least width. If that is not enough the columns of the highest rank are left out,
// and the text of the others has their room; then those of the next lower rank, and so on. Columns
// of one rank go together, so that of two with the same header both go or none. Columns of rank 0
// never go: a table of which only they are left, at their least widths, is as narrow as it can be,
// and a terminal that is narrower still wraps its lines.
//
// Cells are made printable (see format.h), so a job's name cannot break a line or the alignment.
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weir::cli {

inline constexpr std::size_t kUncut = SIZE_MAX;

struct TableColumn {
  std::string header;
  bool right = false;           // numbers
  std::size_t least_width = 0;  // 0: never cut
  int rank = 0;                 // 0: never left out; else the higher goes first
  bool ends = false;            // of a name that is cut both ends stay
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells);  // one cell a column
  bool empty() const { return rows_.empty(); }
  std::string render(std::size_t width) const;  // lines, each ended

 private:
  struct Shown {
    std::size_t column;
    std::size_t width;
  };
  std::vector<std::size_t> natural_widths() const;
  std::vector<Shown> layout(std::size_t width) const;
  bool cut_to_fit(std::vector<Shown>& shown, std::size_t width) const;
  std::string line(const std::vector<std::string>& cells, const std::vector<Shown>& shown) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `Name:   value` lines with the values in one column, in which they go on where they are too long.
std::string property_lines(const std::vector<std::pair<std::string, std::string>>& properties,
                           std::size_t width = kUncut);

}  // namespace weir::cli
