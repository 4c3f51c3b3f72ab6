#include "tracker/tasktracker/task_spec.h"

#include <algorithm>
#include <charconv>

#include "tracker/tasktracker/attempt_id.h"
#include "tracker/tasktracker/duty.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

void put(std::string& out, std::string_view name, std::string_view value) {
  out.append(name)
      .append(" ")
      .append(std::to_string(value.size()))
      .append("\n")
      .append(value)
      .append("\n");
}

// Calls `text(name, string&)` or `number(name, integer&)` for every plain field, so that writing
// and reading agree.
template <class Spec, class Text, class Number>
void for_each_field(Spec& spec, Text text, Number number) {
  text("name", spec.job_display_name);
  text("mapper", spec.mapper);
  text("reducer", spec.reducer);
  text("combiner", spec.combiner);
  number("maps", spec.maps);
  number("reduces", spec.reduces);
  text("input_file", spec.input_file);
  number("input_offset", spec.input_offset);
  number("input_length", spec.input_length);
  text("output", spec.output);
  text("owner", spec.owner);
  text("working_directory", spec.working_directory);
  number("memory_mb", spec.memory_mb);
  number("sort_memory_mb", spec.sort_memory_mb);
  number("max_line_mb", spec.max_line_mb);
  number("compute_granted", spec.compute_granted);
  text("attempt_dir", spec.attempt_dir);
  text("map_output_dir", spec.map_output_dir);
  text("log_dir", spec.log_dir);
  number("log_stream_mb", spec.log_stream_mb);
  text("hidden_root", spec.hidden_root);
  number("task_open_files", spec.settings.open_files);
  number("task_file_mb", spec.settings.file_mb);
  number("task_core_mb", spec.settings.core_mb);
  number("task_user_processes", spec.settings.user_processes);
}

// Likewise for every plain list.
template <class Spec, class List>
void for_each_list(Spec& spec, List list) {
  list("cgroup", spec.cgroups);
  list("sealed_mount", spec.sealed_mounts);
  list("pass_variable", spec.settings.environment);
}

template <class Integer>
bool parse_field(std::string_view text, Integer& into) {
  if constexpr (std::is_same_v<Integer, bool>) {
    into = text == "1";
    return text == "0" || text == "1";
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc() && end == text.data() + text.size();
  }
}

// "OFFSET LENGTH FILE"
std::string piece_text(const InputPiece& piece) {
  return std::to_string(piece.offset) + " " + std::to_string(piece.length) + " " + piece.file;
}

bool parse_piece(std::string_view text, InputPiece& into) {
  const std::size_t first = text.find(' ');
  if (first == std::string_view::npos) return false;
  const std::size_t second = text.find(' ', first + 1);
  if (second == std::string_view::npos) return false;
  into.file = text.substr(second + 1);
  return parse_field(text.substr(0, first), into.offset) &&
         parse_field(text.substr(first + 1, second - first - 1), into.length);
}

// "0" or "1" for executable, the name, a zero byte, the content.
bool parse_file(std::string_view text, JobFile& into) {
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos || end == 0) return false;
  into.name = text.substr(1, end - 1);
  into.content = text.substr(end + 1);
  return parse_field(text.substr(0, 1), into.executable);
}

bool set_field(TaskSpec& spec, std::string_view name, std::string_view value) {
  bool known = false, valid = true;
  if (name == "attempt") {
    const auto key = parse_attempt_name(value);
    if (key) spec.id = *key;
    return key.has_value();
  }
  if (name == "file") return parse_file(value, spec.files.emplace_back());
  if (name == "more_input") return parse_piece(value, spec.more_input.emplace_back());
  if (name == "conf" || name == "environment") {
    const std::size_t end = value.find('\0');
    if (end == std::string_view::npos) return false;
    auto& map = name == "conf" ? spec.conf : spec.environment;
    map[std::string(value.substr(0, end))] = value.substr(end + 1);
    return true;
  }
  for_each_list(spec, [&](std::string_view field, std::vector<std::string>& into) {
    if (field != name) return;
    known = true;
    into.emplace_back(value);
  });
  for_each_field(
      spec,
      [&](std::string_view field, std::string& into) {
        if (field != name) return;
        known = true;
        into = value;
      },
      [&](std::string_view field, auto& into) {
        if (field != name) return;
        known = true;
        valid = parse_field(value, into);
      });
  return known && valid;
}

constexpr std::int64_t kMostSortMemoryMb = 2000;

}  // namespace

std::string encode_task_spec(const TaskSpec& spec) {
  std::string out;
  put(out, "attempt", attempt_name(spec.id));
  for_each_field(
      spec, [&](std::string_view name, const std::string& value) { put(out, name, value); },
      [&](std::string_view name, const auto& value) { put(out, name, std::to_string(value)); });
  for_each_list(spec, [&](std::string_view name, const std::vector<std::string>& values) {
    for (const std::string& value : values) put(out, name, value);
  });
  for (const InputPiece& piece : spec.more_input) put(out, "more_input", piece_text(piece));
  for (const JobFile& file : spec.files)
    put(out, "file", (file.executable ? "1" : "0") + file.name + '\0' + file.content);
  for (const auto& [key, value] : spec.conf) put(out, "conf", key + '\0' + value);
  for (const auto& [key, value] : spec.environment) put(out, "environment", key + '\0' + value);
  put(out, "end", "");
  return out;
}

Result<TaskSpec> decode_task_spec(std::string_view bytes) {
  TaskSpec spec;
  bool has_attempt = false;
  for (;;) {
    const std::size_t space = bytes.substr(0, 64).find(' ');
    const std::size_t newline = bytes.substr(0, 64).find('\n');
    std::size_t length = 0;
    if (space == std::string_view::npos || newline == std::string_view::npos || newline < space ||
        !parse_field(bytes.substr(space + 1, newline - space - 1), length) ||
        length >= bytes.size() - newline - 1 || bytes[newline + 1 + length] != '\n') {
      return data_error("task file: damaged, expected `name length` and that many bytes");
    }
    const std::string_view name = bytes.substr(0, space);
    if (name == "end" && !has_attempt) return data_error("task file: has no `attempt`");
    if (name == "end") return spec;
    if (!set_field(spec, name, bytes.substr(newline + 1, length))) {
      return data_error("task file: cannot use the value of '" + std::string(name) + "'");
    }
    has_attempt = has_attempt || name == "attempt";
    bytes.remove_prefix(newline + 1 + length + 1);
  }
}

namespace {

// The split of a map's launch, with the paths of its files.
Status set_input(TaskSpec& spec, const wire::Split& split, const wire::JobSpec& job) {
  const auto file = [&](std::int32_t number) -> Result<std::string> {
    if (number >= 0 && static_cast<std::size_t>(number) < job.input_files.size())
      return job.input_files[static_cast<std::size_t>(number)];
    return data_error(attempt_name(spec.id) + ": its split names input file " +
                      std::to_string(number) + ", the job has " +
                      std::to_string(job.input_files.size()));
  };
  auto first = file(split.file);
  if (!first) return first.error();
  spec.input_file = std::move(*first);
  spec.input_offset = split.offset;
  spec.input_length = split.length;
  spec.more_input.reserve(split.more.size());
  for (const wire::FilePiece& piece : split.more) {
    auto path = file(piece.file);
    if (!path) return path.error();
    spec.more_input.push_back({std::move(*path), piece.offset, piece.length});
  }
  return Ok{};
}

}  // namespace

Result<TaskSpec> make_task_spec(const wire::JobDescription& job, const wire::Launch& launch) {
  const auto key = to_key(launch.id);
  if (!key) return data_error("launch: attempt id out of range");
  const wire::JobSpec& from = job.spec;
  TaskSpec spec;
  spec.id = *key;
  spec.job_display_name = from.name;
  spec.mapper = from.mapper;
  spec.reducer = from.reducer;
  spec.combiner = from.combiner;
  if (job.maps < 0 || from.reduces < 0)
    return data_error(job.job_name + ": number of tasks below 0");
  spec.maps = static_cast<std::uint32_t>(job.maps);
  spec.reduces = static_cast<std::uint32_t>(from.reduces);
  spec.output = from.output;
  spec.owner = output_of(job).owner;
  spec.conf = from.conf;
  spec.environment = from.environment;
  spec.working_directory = from.working_directory;
  for (const wire::JobFile& file : from.files)
    spec.files.push_back({file.name, file.content, file.__isset.executable && file.executable});
  spec.memory_mb = spec.is_map() ? from.map_memory_mb : from.reduce_memory_mb;
  spec.sort_memory_mb = std::clamp<std::int64_t>(from.sort_memory_mb, 1, kMostSortMemoryMb);
  spec.compute_granted = !launch.__isset.compute_granted || launch.compute_granted;
  if (const auto line = from.conf.find("weir.max.line.mb"); line != from.conf.end()) {
    if (!parse_field(std::string_view(line->second), spec.max_line_mb) || spec.max_line_mb < 1 ||
        spec.max_line_mb > kMostSortMemoryMb) {
      return data_error("conf weir.max.line.mb: is '" + line->second +
                        "', allowed are whole numbers from 1 to 2000");
    }
  }
  if (spec.is_map()) {
    if (auto set = set_input(spec, launch.split, from); !set) return set.error();
  } else if (key->task.index >= spec.reduces) {
    return data_error(attempt_name(*key) + ": the job has " + std::to_string(spec.reduces) +
                      " reduces");
  }
  return spec;
}

}  // namespace weir::tasktracker
