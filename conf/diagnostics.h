// Findings about a settings file, gathered all at once instead of stopping at the first. A finding
// stands at a line and column (both from 1; 0 is the file as a whole) and reads `file:line:column:
// what is wrong, what is allowed`; warnings have `warning: ` after the position. The lists come out
// sorted by position, then in the order found, each finding once (an aliased part of a file is read
// as often as it is used). No thread of its own: one load, one Diagnostics.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobqueue/model/result.h"

namespace weir {

struct Mark {
  int line = 0;
  int column = 0;
  friend auto operator<=>(const Mark&, const Mark&) = default;
};

std::string to_string(Mark at);  // "line 4, column 3"

struct Finding {
  std::string file;
  Mark at;
  bool is_error = true;  // else a warning
  std::string what;
  friend bool operator==(const Finding&, const Finding&) = default;
};

class Diagnostics {
 public:
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  void error(Mark at, std::string what);
  void warning(Mark at, std::string what);
  // The findings about another file, which this one names; they keep that file's name and come
  // after this one's own.
  void include(const Diagnostics& other);

  // Only after an error about the name: that it is an unknown key elsewhere would go away with it.
  void excuse_key(std::string name) { excused_keys_.push_back(std::move(name)); }
  bool excuses_key(std::string_view name) const;

  bool ok() const { return error_count() == 0; }
  std::size_t error_count() const;
  const std::string& file() const { return file_; }

  // At most `kShown` lines; a last line counts what is left out.
  std::vector<std::string> errors() const { return lines(true, false); }
  std::vector<std::string> warnings() const { return lines(false, true); }
  // All of them, and their count where there are more than kShown.
  std::vector<Finding> findings() const;
  // All findings as one refusal: its message is the only finding, or says how many there are.
  Error as_error() const;

  static constexpr std::size_t kShown = 500;

 private:
  std::vector<Finding> sorted() const;
  std::vector<std::string> lines(bool errors, bool warnings) const;

  std::string file_;
  std::vector<std::string> excused_keys_;
  std::vector<Finding> findings_;  // an empty name of a file is this one's
};

}  // namespace weir
