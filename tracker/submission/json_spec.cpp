#include "tracker/submission/json_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "conf/values.h"
#include "jobqueue/model/plain_text.h"
#include "jobqueue/model/submission_checks.h"
#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_check.h"
#include "thrift/wire_job.h"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;

std::string shown(const std::string& name) {
  return plain_text(name, {.most_bytes = 100});
}

Error wrong_type(const std::string& field, const Json& value, const char* wanted) {
  const bool vowel = std::string_view("aeiou").find(value.type_name()[0]) != std::string_view::npos;
  const std::string is = value.is_null() ? "null" : (vowel ? "an " : "a ") +
                                                        std::string(value.type_name());
  return bad_request(field + ": is " + is, wanted);
}

// --- Values ---

Status read(const std::string& field, const Json& value, std::string& out) {
  if (!value.is_string()) return wrong_type(field, value, "a string");
  out = value.get<std::string>();
  return Ok{};
}

Status read(const std::string& field, const Json& value, bool& out) {
  if (!value.is_boolean()) return wrong_type(field, value, "true or false");
  out = value.get<bool>();
  return Ok{};
}

Status read(const std::string& field, const Json& value, std::int64_t& out) {
  if (!value.is_number_integer()) return wrong_type(field, value, "a whole number");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
    return bad_request(field + ": " + value.dump() + " is out of range", "a smaller number");
  }
  out = value.get<std::int64_t>();
  return Ok{};
}

Status read(const std::string& field, const Json& value, std::int32_t& out) {
  std::int64_t number = 0;
  if (Status s = read(field, value, number); !s) return s;
  if (number < INT32_MIN || number > INT32_MAX) {
    return bad_request(field + ": " + std::to_string(number) + " is out of range",
                       "a smaller number");
  }
  out = static_cast<std::int32_t>(number);
  return Ok{};
}

Status read(const std::string& field, const Json& value, std::vector<std::string>& out) {
  if (!value.is_array()) return wrong_type(field, value, "an array of strings");
  for (std::size_t i = 0; i < value.size(); ++i) {
    out.emplace_back();
    if (Status s = read(field + "[" + std::to_string(i) + "]", value[i], out.back()); !s) return s;
  }
  return Ok{};
}

Status read(const std::string& field, const Json& value, std::map<std::string, std::string>& out) {
  if (!value.is_object()) return wrong_type(field, value, "an object of strings");
  for (const auto& [key, entry] : value.items()) {
    if (Status s = read(field + "[" + shown(key) + "]", entry, out[key]); !s) return s;
  }
  return Ok{};
}

// --- Objects: what their fields are called, and where they go ---

using Reader = std::function<Status(const std::string& field, const Json& value)>;
using Fields = std::vector<std::pair<std::string_view, Reader>>;

Status read_object(const std::string& where, const Json& object, const Fields& fields) {
  std::vector<std::string_view> known;
  for (const auto& [name, reader] : fields) known.push_back(name);
  for (const auto& [name, value] : object.items()) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const auto near = nearest(name, known);
      const std::string in = where.empty() ? "" : where.substr(0, where.size() - 1) + ": ";
      return bad_request(
          in + "there is no field '" + shown(name) + "'" +
              (near ? ", did you mean '" + std::string(*near) + "'?" : ""),
          fmt::format("one of: {}", fmt::join(known, ", ")));
    }
    const Reader& reader = fields[static_cast<std::size_t>(found - known.begin())].second;
    if (Status s = reader(where + name, value); !s) return s;
  }
  return Ok{};
}

template <class Value>
Reader into(Value& out) {
  return [&out](const std::string& field, const Json& value) { return read(field, value, out); };
}

// An optional field of the wire: it is told that it is set.
template <class Value, class Isset>
Reader into(Value& out, Isset set) {
  return [&out, set](const std::string& field, const Json& value) {
    Status s = read(field, value, out);
    if (s) set();
    return s;
  };
}

Status read_files(const Json& value, std::vector<wire::JobFile>& out) {
  if (!value.is_array()) return wrong_type("files", value, "an array of {name, content}");
  if (Status s = check_file_count(value.size()); !s) return s;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string where = "files[" + std::to_string(i) + "]";
    if (!value[i].is_object()) return wrong_type(where, value[i], "an object {name, content}");
    wire::JobFile file;
    const Fields fields = {
        {"name", into(file.name)},
        {"content", into(file.content)},
        {"executable", into(file.executable, [&file] { file.__isset.executable = true; })}};
    if (Status s = read_object(where + ".", value[i], fields); !s) return s;
    out.push_back(std::move(file));
  }
  return Ok{};
}

Reader refuse_splits() {
  return [](const std::string& field, const Json&) -> Status {
    return bad_request(field + ": are made by the JobTracker",
                       "input_files: paths, directories or patterns, and split_bytes");
  };
}

Fields fields_of(Submission& submission) {
  wire::JobSpec& spec = submission.spec;
  auto& set = spec.__isset;
#define WEIR_OPTIONAL(field) \
  { #field, into(spec.field, [&set] { set.field = true; }) }
  return {{"name", into(spec.name)},
          {"queue", into(spec.queue)},
          {"input_files", into(spec.input_files)},
          {"output", into(spec.output)},
          {"mapper", into(spec.mapper)},
          WEIR_OPTIONAL(reducer),
          WEIR_OPTIONAL(combiner),
          WEIR_OPTIONAL(reduces),
          WEIR_OPTIONAL(priority),
          WEIR_OPTIONAL(conf),
          WEIR_OPTIONAL(max_attempts),
          WEIR_OPTIONAL(task_timeout_ms),
          WEIR_OPTIONAL(slowstart_millionths),
          WEIR_OPTIONAL(slots_per_map),
          WEIR_OPTIONAL(slots_per_reduce),
          WEIR_OPTIONAL(map_memory_mb),
          WEIR_OPTIONAL(reduce_memory_mb),
          WEIR_OPTIONAL(sort_memory_mb),
          WEIR_OPTIONAL(environment),
          WEIR_OPTIONAL(working_directory),
          WEIR_OPTIONAL(hold),
          WEIR_OPTIONAL(time_limit_ms),
          {"files",
           [&spec](const std::string&, const Json& value) {
             spec.__isset.files = true;
             return read_files(value, spec.files);
           }},
          {"splits", refuse_splits()},
          {"split_bytes", into(submission.split_bytes)},
          {"combine_bytes",
           [&submission](const std::string& field, const Json& value) {
             return read(field, value, submission.combine_bytes.emplace());
           }},
          {"submission", into(submission.id)}};
#undef WEIR_OPTIONAL
}

Status check_input(const Submission& submission) {
  if (Status s = check_input_files(submission.spec.input_files); !s) return s;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (Status s = check_range("split_bytes", submission.split_bytes, 1, most); !s) return s;
  if (!submission.combine_bytes) return Ok{};
  return check_range("combine_bytes", *submission.combine_bytes, 1, most);
}

}  // namespace

Result<Submission> read_submission(const Json& body) {
  if (!body.is_object()) {
    return bad_request("the submission is no JSON object",
                       "an object with queue, input_files, output, mapper, ...");
  }
  Submission out;
  if (const Status s = read_object("", body, fields_of(out)); !s) return s.error();
  for (const char* field : {"queue", "input_files", "output", "mapper"}) {
    if (!body.contains(field))
      return bad_request(fmt::format("{}: is missing", field),
                         "queue, input_files, output and mapper are needed");
  }
  const TextRule rule{.max_bytes = SubmissionLimits::kSubmissionBytes, .may_be_empty = true};
  if (const Status s = check_text("submission", out.id, rule); !s) return s.error();
  if (const Status s = check_description(out.spec); !s) return s.error();
  if (!out.spec.priority.empty()) {
    if (const auto priority = priority_from_wire(out.spec.priority); !priority)
      return priority.error();
  }
  if (const Status s = check_input(out); !s) return s.error();
  return out;
}

Result<std::shared_ptr<const JobSpec>> complete(Submission submission, InputSplits input,
                                                const Caller& caller) {
  wire::JobSpec& wanted = submission.spec;
  wanted.__set_input(std::move(wanted.input_files));
  wanted.__set_split_bytes(submission.split_bytes);
  if (submission.combine_bytes) wanted.__set_combine_bytes(*submission.combine_bytes);
  wanted.input_files = std::move(input.files);
  wanted.splits.clear();
  wanted.splits.reserve(input.splits.size());
  for (const Split& split : input.splits) wanted.splits.push_back(to_wire(split));
  auto spec = from_wire(wanted, caller);
  if (!spec) return spec.error();
  spec->submission = std::move(submission.id);
  spec->origin.address = std::move(submission.address);
  return std::make_shared<const JobSpec>(std::move(*spec));
}

}  // namespace weir
