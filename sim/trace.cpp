#include "sim/trace.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weir {
namespace {

using Json = nlohmann::json;
constexpr std::int64_t kMostTraceTasks = 1'000'000;
constexpr std::size_t kMaxLineBytes = 64 * 1024 * 1024;
constexpr double kMostSeconds = 1e9;

// Lines of a file that may be compressed: zlib reads plain ones as they are.
class LineReader {
 public:
  explicit LineReader(const std::string& file) : file_(gzopen(file.c_str(), "rb"), gzclose) {
    if (file_) gzbuffer(file_.get(), 1 << 18);
  }
  bool good() const { return file_ != nullptr; }
  // A line longer than kMaxLineBytes comes in pieces.
  bool next(std::string& line) {
    line.clear();
    while (line.size() <= kMaxLineBytes && (!ahead_.empty() || refill())) {
      const std::size_t newline = ahead_.find('\n');
      line += ahead_.substr(0, newline);
      ahead_.remove_prefix(std::min(newline, ahead_.size() - 1) + 1);
      if (newline != std::string_view::npos) return true;
    }
    return !line.empty();
  }
  // Why it ended, unless that is its end; empty while there are lines.
  std::string error() const {
    if (!ended_) return "";
    int code = Z_OK;
    const char* message = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) return std::strerror(errno);
    return code == Z_OK || code == Z_STREAM_END ? "" : message;
  }

 private:
  bool refill() {
    const int read = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
    ahead_ = {buffer_.data(), static_cast<std::size_t>(std::max(read, 0))};
    ended_ = read <= 0;
    return !ended_;
  }

  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  bool ended_ = false;
  std::string_view ahead_;  // read, and not given yet
};

class LineParser {
 public:
  LineParser(const TraceOptions& options, Diagnostics& out) : options_(options), out_(out) {}

  // A job, whose values may be wrong; nothing if the line is none.
  std::optional<JobPlan> parse(const std::string& line, int number) {
    at_ = {number, 1};
    if (!read_object(line)) return std::nullopt;
    JobPlan plan;
    auto spec = std::make_shared<JobSpec>();
    spec->name = text("job", "");
    spec->user = text("user", "user");
    spec->queue = text("queue", "default");
    spec->output = "/out/" + spec->name;
    spec->slowstart_millionths = 0;
    const std::int64_t maps = count("maps", 1);
    spec->splits.resize(static_cast<std::size_t>(maps));
    spec->reduces = static_cast<std::uint32_t>(count("reduces", 0));
    plan.times.map_ms = times("map_s", plan.times.map_ms);
    plan.times.reduce_ms = times("reduce_s", plan.times.reduce_ms);
    plan.times.copy_ms = times("copy_s", plan.times.copy_ms);
    plan.submit_at = submit();
    plan.caller = {spec->user, {}};
    if (spec->name.empty() || spec->name.find('/') != std::string::npos) {
      wrong("job is missing or has a /, allowed: a name");
    } else if (!names_.insert(spec->name).second) {
      wrong(fmt::format("a second job \"{}\", allowed: each name once", spec->name));
    }
    plan.spec = std::move(spec);
    return plan;
  }

 private:
  bool read_object(const std::string& line) {
    constexpr std::string_view kAllowed = R"(one JSON object a line, as {"job": "a", "maps": 2})";
    try {
      json_ = Json::parse(line);
    } catch (const Json::parse_error& error) {
      at_.column = static_cast<int>(std::max<std::size_t>(error.byte, 1));
      const bool cut = error.byte > line.size();
      wrong(fmt::format("{}, allowed: {}", cut ? "the line ends too early" : "this is no JSON",
                        kAllowed));
      return false;
    }
    if (!json_.is_object()) wrong(fmt::format("the line is no object, allowed: {}", kAllowed));
    return json_.is_object();
  }

  void wrong(const std::string& what) { out_.error(at_, what); }

  // Lists and objects may be too deep to be written.
  static std::string shown(const Json& value) {
    return value.is_structured() ? fmt::format("an {}", value.type_name()) : value.dump();
  }

  std::string text(const char* key, const char* otherwise) {
    const auto found = json_.find(key);
    if (found == json_.end()) return otherwise;
    if (found->is_string()) return found->get<std::string>();
    wrong(fmt::format("{} is {}, allowed: text", key, shown(*found)));
    return otherwise;
  }

  std::int64_t count(const char* key, std::int64_t otherwise) {
    const auto found = json_.find(key);
    if (found == json_.end()) return otherwise;
    const bool good = found->is_number_integer() && *found >= 0 && *found <= kMostTraceTasks;
    if (!good) {
      wrong(fmt::format("{} is {}, allowed: an integer from 0 to {}", key, shown(*found),
                        kMostTraceTasks));
      return otherwise;
    }
    return (found->get<std::int64_t>() + options_.divide - 1) / options_.divide;
  }

  static bool seconds(const Json& value) {
    return value.is_number() && value.get<double>() <= kMostSeconds;
  }
  static DurationMs to_ms(double seconds) {
    return static_cast<DurationMs>(std::llround(seconds * 1000));
  }

  DurationMs submit() {
    const auto found = json_.find("submit_s");
    if (found == json_.end()) return 0;
    if (seconds(*found) && found->get<double>() >= 0) return to_ms(found->get<double>());
    wrong(fmt::format("submit_s is {}, allowed: seconds from 0", shown(*found)));
    return 0;
  }

  // Negative times are not recorded: those tasks take the mean of the others.
  std::vector<DurationMs> times(const char* key, const std::vector<DurationMs>& otherwise) {
    const auto found = json_.find(key);
    if (found == json_.end()) return otherwise;
    const bool one = !found->is_array();
    std::vector<DurationMs> result;
    DurationMs sum = 0;
    DurationMs recorded = 0;
    for (std::size_t i = 0; i < (one ? 1 : found->size()); ++i) {
      const Json& value = one ? *found : (*found)[i];
      if (!seconds(value)) {
        wrong(
            fmt::format("{} has {}, allowed: seconds, or -1 for not recorded", key, shown(value)));
        return otherwise;
      }
      result.push_back(value.get<double>() < 0 ? -1 : to_ms(value.get<double>()));
      if (result.back() < 0) continue;
      sum += result.back();
      ++recorded;
    }
    const DurationMs mean = recorded > 0 ? sum / recorded : otherwise.front();
    for (DurationMs& time : result) time = time < 0 ? mean : time;
    return result.empty() ? otherwise : result;
  }

  const TraceOptions& options_;
  Diagnostics& out_;
  Mark at_;
  Json json_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<JobPlan> load_trace(const std::string& file, const TraceOptions& options,
                                Diagnostics& out) {
  std::vector<JobPlan> jobs;
  LineReader reader(file);
  if (!reader.good()) {
    out.error({}, fmt::format("cannot be opened: {}, allowed: a trace that can be read",
                              std::strerror(errno)));
    return jobs;
  }
  LineParser parser(options, out);
  std::string line;
  for (int number = 1;; ++number) {
    const bool more = reader.next(line);
    if (const std::string error = reader.error(); !error.empty()) {
      out.error({number, 1},
                fmt::format("cannot be read further: {}, allowed: JSON lines, plain or .gz",
                            error));
      break;
    }
    if (!more) break;
    if (line.empty()) continue;
    if (options.limit > 0 && jobs.size() == static_cast<std::size_t>(options.limit)) break;
    if (auto job = parser.parse(line, number)) jobs.push_back(*std::move(job));
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const JobPlan& a, const JobPlan& b) { return a.submit_at < b.submit_at; });
  return jobs;
}

}  // namespace weir
