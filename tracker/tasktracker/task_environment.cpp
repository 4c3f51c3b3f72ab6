#include "tracker/tasktracker/task_environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>

#include "tracker/tasktracker/leftovers.h"
#include "tracker/tasktracker/task_output.h"

namespace weir::tasktracker {
namespace {

using Variables = std::map<std::string, std::string>;

std::string variable_name(std::string_view conf_key) {
  std::string name(conf_key);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  return name;
}

// WEIR_WORK_DIR is the mark that leftover processes are found by.
constexpr std::string_view kPassedOn[] = {"PATH", "HOME",     "USER", "LOGNAME",       "SHELL",
                                          "LANG", "LANGUAGE", "TZ",   kWorkDirVariable};
constexpr std::string_view kPassedOnPrefix = "LC_";

void set_mapreduce(const TaskSpec& spec, Variables& variables) {
  const auto set = [&](std::initializer_list<const char*> names, const std::string& value) {
    for (const char* name : names) variables[name] = value;
  };
  const bool map = spec.is_map();
  set({"mapreduce_task_partition", "mapred_task_partition"}, std::to_string(spec.id.task.index));
  set({"mapreduce_task_ismap", "mapred_task_is_map"}, map ? "true" : "false");
  set({"mapreduce_job_maps", "mapred_map_tasks"}, std::to_string(spec.maps));
  set({"mapreduce_job_reduces", "mapred_reduce_tasks"}, std::to_string(spec.reduces));
  if (!spec.input.empty()) {
    set({"mapreduce_map_input_file", "map_input_file"}, spec.input[0].file);
    set({"mapreduce_map_input_start", "map_input_start"}, std::to_string(spec.input[0].offset));
    set({"mapreduce_map_input_length", "map_input_length"}, std::to_string(spec.input_bytes()));
    set({"weir_map_input_pieces"}, std::to_string(spec.input.size()));
  }
  if (!map || spec.map_only())
    set({"mapreduce_task_output_dir", "mapred_work_output_dir"}, task_output_dir(spec));
}

std::string upper_name(std::string_view name) {
  std::string upper = variable_name(name);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

// WEIR_RES_GPU=0,3: which ones.
void set_application(const TaskSpec& spec, Variables& variables) {
  const ApplicationTask& task = spec.application;
  variables["WEIR_JOB"] = job_name(spec.id.task.job);
  variables["WEIR_GROUP"] = task.group;
  variables["WEIR_TASK_INDEX"] = std::to_string(spec.id.task.index);
  variables["WEIR_TASK_COUNT"] = std::to_string(task.count);
  variables["WEIR_ATTEMPT"] = attempt_name(spec.id);
  variables["WEIR_MEMORY_MB"] = std::to_string(task.memory_mb);
  variables["WEIR_VCORES"] = std::to_string(task.vcores);
  for (std::size_t i = 0; i < task.ports.size(); ++i)
    variables["WEIR_PORT" + std::to_string(i)] = std::to_string(task.ports[i]);
  if (!task.peers.empty()) variables["WEIR_PEERS"] = peers_file(spec);
  for (const auto& [resource, numbers] : task.units) {
    std::string& listed = variables["WEIR_RES_" + upper_name(resource)];
    listed.clear();  // of what the job gave it
    for (const std::uint32_t number : numbers)
      listed += (listed.empty() ? "" : ",") + std::to_string(number);
  }
}

void set_own(const TaskSpec& spec, Variables& variables) {
  const auto set = [&](std::initializer_list<const char*> names, const std::string& value) {
    for (const char* name : names) variables[name] = value;
  };
  set({"mapreduce_job_id", "mapred_job_id"}, job_name(spec.id.task.job));
  set({"mapreduce_job_name", "mapred_job_name"}, spec.job_display_name);
  set({"mapreduce_task_id", "mapred_tip_id"}, task_name(spec.id.task));
  set({"mapreduce_task_attempt_id", "mapred_task_id"}, attempt_name(spec.id));
  spec.of_application() ? set_application(spec, variables) : set_mapreduce(spec, variables);
}

}  // namespace

std::vector<std::string> passed_on(const std::vector<std::string>& named) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry), name = text.substr(0, text.find('='));
    if (name.empty() || name.size() == text.size()) continue;
    if (name.starts_with(kPassedOnPrefix) ||
        std::find(std::begin(kPassedOn), std::end(kPassedOn), name) != std::end(kPassedOn) ||
        std::find(named.begin(), named.end(), name) != named.end())
      entries.emplace_back(text);
  }
  return entries;
}

std::string passed_on_text(const std::vector<std::string>& named) {
  std::string text;
  for (const std::string_view name : kPassedOn) text.append(name).append(" ");
  text.append(kPassedOnPrefix).append("*");
  for (const std::string& name : named) text.append(" ").append(name);
  return text;
}

std::string peers_file(const TaskSpec& spec) {
  return spec.attempt_dir + "/peers";
}

std::string temporary_dir(const TaskSpec& spec) {
  return spec.attempt_dir + "/tmp";
}

std::vector<std::string> task_environment(const TaskSpec& spec) {
  Variables variables;
  for (const std::string& entry : passed_on(spec.settings.environment)) {
    const std::size_t equals = entry.find('=');
    variables[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  variables["TMPDIR"] = temporary_dir(spec);
  for (const auto& [key, value] : spec.conf) {
    if (!key.empty() && key.find('\0') == std::string::npos) variables[variable_name(key)] = value;
  }
  for (const auto& [name, value] : spec.environment) {
    if (!name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string::npos)
      variables[name] = value;
  }
  // Last, what no job may say otherwise: programs rely on it, and the search for leftovers.
  set_own(spec, variables);
  if (const char* work_dir = ::getenv(kWorkDirVariable)) variables[kWorkDirVariable] = work_dir;
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) {
    // A value with a zero byte ends there for the program, as the system has it.
    entries.push_back(name + "=" + value.substr(0, value.find('\0')));
  }
  return entries;
}

}  // namespace weir::tasktracker
