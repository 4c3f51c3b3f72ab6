#include "web/api/job_body.h"

#include <boost/beast/core/detail/base64.hpp>

#include "jobqueue/model/submission_limits.h"
#include "thrift/convert.h"
#include "web/api/fields.h"
#include "web/api/refusal.h"

namespace weir::web {
namespace {

std::int64_t needed_number(Fields& fields, std::string_view name) {
  const auto value = fields.integer(name);
  if (!value) refuse(fields.path(name) + ": is missing", "a whole number");
  return *value;
}

std::int32_t needed_place(Fields& fields) {
  const auto file = fields.integer32("file");
  if (!file) refuse(fields.path("file") + ": is missing", "a place in input_files, from 0");
  return *file;
}

wire::Split split_of(Fields& fields) {
  wire::Split split;
  split.file = needed_place(fields);
  split.offset = needed_number(fields, "offset");
  split.length = needed_number(fields, "length");
  if (auto hosts = fields.texts("hosts")) split.__set_hosts(std::move(*hosts));
  std::vector<wire::FilePiece> more;
  const bool pieces = fields.objects("more", [&](Fields& piece) {
    wire::FilePiece next;
    next.file = needed_place(piece);
    next.offset = needed_number(piece, "offset");
    next.length = needed_number(piece, "length");
    more.push_back(next);
  });
  if (pieces) split.__set_more(std::move(more));
  return split;
}

// Nothing if it is no base64.
std::optional<std::string> from_base64(const std::string& text) {
  namespace base64 = boost::beast::detail::base64;
  const std::size_t pad = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string out(base64::decoded_size(text.size()) + 3, '\0');
  const auto [written, read] = base64::decode(out.data(), text.data(), text.size());
  if (text.size() % 4 != 0 || read != text.size() - pad) return std::nullopt;
  out.resize(written);
  return out;
}

wire::JobFile file_of(Fields& fields) {
  wire::JobFile file;
  file.name = fields.needed("name");
  const auto text = fields.text("content");
  const auto bytes = fields.text("content_base64");
  if (text.has_value() == bytes.has_value())
    refuse(fields.path("content") + ": a file has one content", "content or content_base64");
  if (bytes) {
    auto content = from_base64(*bytes);
    if (!content) refuse(fields.path("content_base64") + ": is no base64", "base64 with padding");
    file.content = std::move(*content);
  } else {
    file.content = *text;
  }
  if (const auto executable = fields.boolean("executable")) file.__set_executable(*executable);
  return file;
}

void read_programs(Fields& fields, wire::JobSpec& spec) {
  spec.name = fields.text("name").value_or("");
  spec.queue = fields.needed("queue");
  spec.output = fields.needed("output");
  spec.mapper = fields.needed("mapper");
  if (auto reducer = fields.text("reducer")) spec.__set_reducer(std::move(*reducer));
  if (auto combiner = fields.text("combiner")) spec.__set_combiner(std::move(*combiner));
  if (const auto reduces = fields.integer32("reduces")) spec.__set_reduces(*reduces);
  if (auto priority = fields.text("priority")) spec.__set_priority(std::move(*priority));
  if (auto conf = fields.text_map("conf")) spec.__set_conf(std::move(*conf));
  if (auto more = fields.text_map("environment")) spec.__set_environment(std::move(*more));
  if (auto where = fields.text("working_directory"))
    spec.__set_working_directory(std::move(*where));
  std::vector<wire::JobFile> files;
  if (fields.objects("files", [&](Fields& file) { files.push_back(file_of(file)); }))
    spec.__set_files(std::move(files));
}

void read_limits(Fields& fields, wire::JobSpec& spec) {
  if (const auto value = fields.integer32("max_attempts")) spec.__set_max_attempts(*value);
  if (const auto value = fields.integer("task_timeout_ms")) spec.__set_task_timeout_ms(*value);
  if (const auto value = fields.integer32("slowstart_millionths"))
    spec.__set_slowstart_millionths(*value);
  if (const auto value = fields.integer("slots_per_map")) spec.__set_slots_per_map(*value);
  if (const auto value = fields.integer("slots_per_reduce")) spec.__set_slots_per_reduce(*value);
  if (const auto value = fields.integer("map_memory_mb")) spec.__set_map_memory_mb(*value);
  if (const auto value = fields.integer("reduce_memory_mb")) spec.__set_reduce_memory_mb(*value);
  if (const auto value = fields.integer("sort_memory_mb")) spec.__set_sort_memory_mb(*value);
  if (const auto value = fields.boolean("hold")) spec.__set_hold(*value);
  if (const auto value = fields.integer("time_limit_ms")) spec.__set_time_limit_ms(*value);
}

}  // namespace

Result<JobSpec> job_of(const Json& body, const Caller& caller) {
  Fields fields(body, "");
  wire::JobSpec spec;
  read_programs(fields, spec);
  read_limits(fields, spec);
  spec.input_files = fields.texts("input_files").value_or(std::vector<std::string>{});
  fields.objects("splits", [&](Fields& split) { spec.splits.push_back(split_of(split)); });
  const std::string submission = fields.text("submission").value_or("");
  fields.end();
  const TextRule rule{.max_bytes = SubmissionLimits::kSubmissionBytes, .may_be_empty = true};
  if (const Status fits = check_text("submission", submission, rule); !fits) return fits.error();
  auto job = from_wire(spec, caller);
  if (job) job->submission = submission;
  return job;
}

}  // namespace weir::web
