#include "web/api/call.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>

#include "conf/values.h"
#include "jobqueue/model/submission_checks.h"
#include "web/api/read_json.h"
#include "web/server/target.h"

namespace weir::web {
namespace {

constexpr std::int64_t kMostListed = 10'000;

// One that is too large to be a job's is the number of none.
bool is_number(std::string_view job) {
  if (job.starts_with("job_")) job.remove_prefix(4);
  return !job.empty() && std::all_of(job.begin(), job.end(),
                                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string joined(const std::vector<std::string_view>& names) {
  std::string all;
  for (const auto name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    while (part.starts_with(' ') || part.starts_with('\t')) part.remove_prefix(1);
    while (part.ends_with(' ') || part.ends_with('\t')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return parts;
}

void Reply::work(std::function<void()> work) const {
  responder_.hand_over([reply = *this, work = std::move(work)] {
    try {
      work();
    } catch (const Refusal& refusal) {
      reply.give(error_answer(refusal));
    } catch (const std::exception& error) {
      spdlog::error("web port: {}", error.what());
      reply.refuse(Error{ErrorCode::kInternal, "the server failed at this request",
                         "see its log", {}});
    }
  });
}

Query::Query(const NamesAndValues& parameters, std::initializer_list<std::string_view> known)
    : parameters_(parameters) {
  const std::vector<std::string_view> names(known);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i].first;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const auto near = nearest(name, names);
      refuse(fmt::format("query: '{}' is no parameter of this path{}", name.substr(0, 64),
                         near ? fmt::format(", did you mean '{}'?", *near) : ""),
             names.empty() ? "none" : joined(names));
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (parameters[k].first == name) refuse("query: '" + name + "' is there twice", "once");
    }
  }
}

std::optional<std::string> Query::text(std::string_view name) const {
  for (const auto& [known, value] : parameters_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> Query::integer(std::string_view name) const {
  const auto value = text(name);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const char* end = value->data() + value->size();
  const auto [at, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc() || at != end || value->empty() || number < 0) {
    refuse(fmt::format("query: {}: '{}' is no number", name, value->substr(0, 64)),
           "a number, 0 or more");
  }
  return number;
}

std::int64_t Query::limit(std::int64_t otherwise) const {
  const std::int64_t limit = integer("limit").value_or(otherwise);
  if (limit < 1 || limit > kMostListed) refuse("query: limit: must be 1 to 10000", "1 to 10000");
  return limit;
}

bool Query::flag(std::string_view name) const {
  const auto value = text(name);
  if (!value || *value == "0" || *value == "false") return false;
  if (value->empty() || *value == "1" || *value == "true") return true;
  refuse(fmt::format("query: {}: '{}'", name, value->substr(0, 64)), "1 or 0");
}

std::vector<std::string> Query::list(std::string_view name) const {
  const auto value = text(name);
  return value ? parts_of(*value) : std::vector<std::string>{};
}

Caller Call::caller() const {
  Caller caller;
  caller.user = request.header("x-weir-user").value_or("");
  caller.groups = parts_of(request.header("x-weir-groups").value_or(""));
  if (caller.user.empty()) {
    refuse("X-Weir-User: this call does not say who asks",
           "a header X-Weir-User with your name, and X-Weir-Groups with groups if they matter");
  }
  if (!is_utf8(caller.user)) refuse("X-Weir-User: bytes that are not UTF-8", "UTF-8");
  require(check_caller(caller));
  return caller;
}

JobId Call::job() const {
  const auto job = parse_job_name(names.at(0));
  if (!job) {
    if (is_number(names.at(0))) {
      refuse(Error{ErrorCode::kUnknownJob,
                   fmt::format("there is no job '{}'", names.at(0).substr(0, 64)),
                   "a number that a job has",
                   {}});
    }
    refuse(fmt::format("'{}' is no job", names.at(0).substr(0, 64)), "7, 0007 or job_0007");
  }
  return *job;
}

std::string media_type(const HttpRequest& request) {
  std::string type = request.header("content-type").value_or("");
  type.resize(std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.pop_back();
  return lower_case(type);
}

bool is_json(const HttpRequest& request) {
  return media_type(request) == "application/json";
}

Json json_body(const HttpRequest& request) {
  if (!is_json(request)) {
    refuse(fmt::format("Content-Type: '{}' is not taken here",
                       request.header("content-type").value_or("").substr(0, 64)),
           "application/json", 415);
  }
  return read_json_object(request.body);
}

std::string next_page(const HttpRequest& request, std::string_view path,
                      const std::string& cursor) {
  std::string link = fmt::format("</api/v1{}?", path);
  for (const auto& [name, value] : request.query) {
    if (name != "cursor" && name != "min_version")
      link += fmt::format("{}={}&", percent_encoded(name), percent_encoded(value));
  }
  return link + fmt::format("cursor={}>; rel=\"next\"", percent_encoded(cursor));
}

std::string etag_of(Version version) {
  return fmt::format("\"{}\"", version);
}

HttpAnswer json_text_answer(std::string text, Version version) {
  HttpAnswer answer = text_answer(200, "application/json", std::move(text));
  if (version > 0) answer.with("X-Weir-Version", std::to_string(version));
  return answer;
}

HttpAnswer json_answer(const Json& json, Version version) {
  return json_text_answer(json_text(json), version);
}

}  // namespace weir::web
