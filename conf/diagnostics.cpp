#include "conf/diagnostics.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace weir {

std::string to_string(Mark at) {
  return fmt::format("line {}, column {}", at.line, at.column);
}

void Diagnostics::error(Mark at, std::string what) {
  findings_.push_back({{}, at, true, std::move(what)});
}

void Diagnostics::warning(Mark at, std::string what) {
  findings_.push_back({{}, at, false, std::move(what)});
}

void Diagnostics::include(const Diagnostics& other) {
  for (Finding finding : other.findings_) {
    if (finding.file.empty()) finding.file = other.file_;
    findings_.push_back(std::move(finding));
  }
}

bool Diagnostics::excuses_key(std::string_view name) const {
  return std::find(excused_keys_.begin(), excused_keys_.end(), name) != excused_keys_.end();
}

std::vector<Finding> Diagnostics::sorted() const {
  std::vector<Finding> result;
  // Findings at one position keep their order; the same finding again is dropped. Only neighbours
  // of the same position are compared, so that a file full of errors stays cheap.
  std::vector<Finding> all = findings_;
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.at) < std::tie(b.file, b.at);
  });
  constexpr std::size_t kLookBack = 16;
  for (Finding& finding : all) {
    const std::size_t first = result.size() > kLookBack ? result.size() - kLookBack : 0;
    if (std::find(result.begin() + static_cast<std::ptrdiff_t>(first), result.end(), finding) ==
        result.end()) {
      result.push_back(std::move(finding));
    }
  }
  return result;
}

std::size_t Diagnostics::error_count() const {
  return static_cast<std::size_t>(std::count_if(findings_.begin(), findings_.end(),
                                                [](const Finding& f) { return f.is_error; }));
}

std::vector<std::string> Diagnostics::lines(bool errors, bool warnings) const {
  std::vector<std::string> result;
  std::size_t left_out = 0;
  for (const Finding& finding : sorted()) {
    if (finding.is_error ? !errors : !warnings) continue;
    if (result.size() == kShown) {
      ++left_out;
      continue;
    }
    const std::string& file = finding.file.empty() ? file_ : finding.file;
    const std::string place =
        finding.at.line == 0 ? file
                             : fmt::format("{}:{}:{}", file, finding.at.line, finding.at.column);
    result.push_back(
        fmt::format("{}: {}{}", place, finding.is_error ? "" : "warning: ", finding.what));
  }
  if (left_out > 0)
    result.push_back(fmt::format("{}: {} more findings are not shown", file_, left_out));
  return result;
}

std::vector<Finding> Diagnostics::findings() const {
  std::vector<Finding> result = sorted();
  const std::size_t left_out = result.size() > kShown ? result.size() - kShown : 0;
  const bool errors = !ok();
  if (left_out > 0) {
    // What decides must be among them.
    std::stable_partition(result.begin(), result.end(),
                          [](const Finding& f) { return f.is_error; });
    result.resize(kShown);
  }
  for (Finding& finding : result) {
    if (finding.file.empty()) finding.file = file_;
  }
  if (left_out > 0)
    result.push_back({file_, {}, errors, fmt::format("{} more findings are not shown", left_out)});
  return result;
}

Error Diagnostics::as_error() const {
  Error error;
  error.code = ErrorCode::kSettingsRefused;
  error.diagnostics = lines(true, false);
  const std::size_t count = error.diagnostics.size();
  error.message = count == 1 ? error.diagnostics.front()
                             : fmt::format("{}: {} errors, the settings are refused", file_, count);
  error.hint = "mend every finding listed; `weir conf check " + file_ + "` lists them again";
  for (std::string& line : lines(false, true)) error.diagnostics.push_back(std::move(line));
  return error;
}

}  // namespace weir
