// An attempt's logs, as its tracker has them, by range.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "web/api/handlers.h"
#include "web/server/target.h"

namespace weir::web {
namespace {

constexpr std::int64_t kBytesWithoutRange = 1 << 20;

// Of a Range header: "bytes=100-199", "bytes=100-", "bytes=-500".
struct Range {
  std::optional<std::int64_t> first, last, suffix;
};

// A number that is too large for us is beyond every log.
std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || text[0] == '-' || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::numeric_limits<std::int64_t>::max();
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// What is no range, or several, or of a unit that is not known here, is as if nothing had been said
// (RFC 9110, 14.2), and so is a range of a HEAD, or of what has changed since (If-Range: a log has
// no tag that it could be).
std::optional<Range> range_of(const HttpRequest& request) {
  const auto header = request.header("range");
  if (!header || request.head || request.header("if-range")) return std::nullopt;
  std::string_view text = *header;
  constexpr std::string_view kUnit = "bytes=";
  if (!begins_with_word(text, kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  Range range;
  if (dash == 0) {
    range.suffix = number_of(text.substr(1));
    return range.suffix ? std::optional(range) : std::nullopt;
  }
  range.first = number_of(text.substr(0, dash));
  if (!range.first) return std::nullopt;
  if (dash + 1 == text.size()) return range;
  range.last = number_of(text.substr(dash + 1));
  const bool valid = range.last && *range.last >= *range.first;
  return valid ? std::optional(range) : std::nullopt;
}

HttpAnswer whole_answer(const LogBytes& bytes) {
  HttpAnswer answer = text_answer(200, "text/plain; charset=utf-8", bytes.text);
  answer.cache_control = "no-store";
  answer.with("Accept-Ranges", "bytes")
      .with("X-Weir-Log-Begin", std::to_string(bytes.begin))
      .with("X-Weir-Log-Size", std::to_string(bytes.size));
  return answer;
}

[[noreturn]] void out_of_range(std::int64_t size, const std::string& why, const std::string& hint) {
  throw Refusal{Error{ErrorCode::kBadRequest, why, hint, {}},
                416,
                {{"Content-Range", fmt::format("bytes */{}", size)}}};
}

// A part of what was asked for, if that is much: Content-Range says which.
HttpAnswer range_answer(const LogBytes& bytes, const Range& range) {
  if ((range.first && *range.first >= bytes.size) || range.suffix == 0) {
    out_of_range(bytes.size, fmt::format("Range: the log has {} bytes", bytes.size),
                 "a range that begins within the log");
  }
  HttpAnswer answer = whole_answer(bytes);
  if (bytes.text.empty()) return answer;  // the last bytes of an empty log are all of it
  const auto last = bytes.begin + static_cast<std::int64_t>(bytes.text.size()) - 1;
  answer.status = 206;
  return answer.with("Content-Range",
                     fmt::format("bytes {}-{}/{}", bytes.begin, last, bytes.size));
}

LogWish wish_of(const AttemptView& attempt, const std::string& log,
                const std::optional<Range>& range) {
  LogWish wish;
  wish.host = attempt.log_host.value_or("");
  wish.port = static_cast<std::uint16_t>(attempt.log_port.value_or(0));
  wish.attempt = attempt.id;
  wish.log = log;
  wish.most_bytes = kBytesWithoutRange;
  if (!range) return wish;
  wish.most_bytes =
      std::clamp<std::int64_t>(range->suffix.value_or(LogFetcher::kMostBytes), 1,
                               LogFetcher::kMostBytes);
  if (range->first) {  // from there on, as much as is given at once
    constexpr auto kFurthest = std::numeric_limits<std::int64_t>::max() - LogFetcher::kMostBytes;
    wish.from = std::min(*range->first, kFurthest);
    wish.to = wish.from + LogFetcher::kMostBytes;
    if (range->last && *range->last < wish.to) wish.to = *range->last + 1;
  }
  return wish;
}

const AttemptView& find_attempt(const std::vector<AttemptView>& attempts, const std::string& name,
                                JobId job) {
  for (const AttemptView& attempt : attempts) {
    if (attempt_name(attempt.id) == name) return attempt;
  }
  refuse(Error{ErrorCode::kUnknownJob,
               fmt::format("{} has no attempt '{}'", job_name(job), name.substr(0, 64)),
               fmt::format("see /jobs/{}/tasks", job.value),
               {}});
}

}  // namespace

void get_job_log(ApiContext& context, const Call& call) {
  const std::string log = call.query({"stream"}).text("stream").value_or("stderr");
  if (log != "stdout" && log != "stderr" && log != "syslog")
    refuse("query: stream: '" + log.substr(0, 64) + "' is none", "stdout, stderr, syslog");
  const JobId job = call.job();
  const auto range = range_of(call.request);
  const std::string name = call.names[1];
  const Reply reply = call.reply;
  context.tracker.jobs().attempts(
      job, [&context, reply, log, job, range, name](Result<std::vector<AttemptView>> attempts) {
        if (!attempts) return reply.refuse(attempts.error());
        reply.work([&context, reply, log, job, range, name, attempts = std::move(*attempts)] {
          const AttemptView& attempt = find_attempt(attempts, name, job);
          if (!attempt.log_host || !attempt.log_port || attempt.log_host->empty()) {
            refuse(Error{ErrorCode::kUnknownTracker,
                         fmt::format("no {} of {}: tracker {}, where it ran, has left", log, name,
                                     attempt.tracker),
                         "logs leave with their tracker",
                         {}});
          }
          const auto give = reply.then<LogBytes>([range](const LogBytes& bytes) {
            return range ? range_answer(bytes, *range) : whole_answer(bytes);
          });
          const auto wanted = [reply] { return reply.wanted(); };
          const auto fetched = [reply, give](Result<LogBytes> bytes) {
            // A tracker that fails is no reason to ask again at once.
            const bool failed = !bytes && bytes.error().code == ErrorCode::kInternal;
            if (failed) return reply.give(error_answer(Refusal{bytes.error(), 502, {}}));
            give(std::move(bytes));
          };
          context.logs->fetch(wish_of(attempt, log, range), wanted, fetched);
        });
      });
}

}  // namespace weir::web
