#include "cli/conf_history.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cli/conf_commands.h"
#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/settings_text.h"

namespace weir::cli {
namespace {

using Records = std::vector<SettingsRecordView>;

std::string when(const SettingsRecordView& record) {
  return record.at_ms == 0 ? "earlier" : local_time(record.at_ms);
}

std::string what(const SettingsRecordView& record) {
  if (record.source.empty()) return "policy set to " + record.policy;
  return fmt::format("{} {}", record.by.empty() ? "read" : "applied", record.source);
}

std::string who(const SettingsRecordView& record) {
  return record.by.empty() ? "the JobTracker" : record.by;
}

std::string by_whom(const SettingsRecordView& record) {
  return fmt::format("by {}, {} ({} in `weir conf history`)", who(record), when(record),
                     record.number);
}

// What is in force, and the records that made it so.
struct InForce {
  std::string policy;
  const SettingsRecordView* settings = nullptr;  // null: none is known
  const SettingsRecordView* command = nullptr;   // that set another policy than they name
};

InForce in_force(JobTracker& jobtracker, const Records& records) {
  InForce out;
  out.policy = jobtracker.policy().current;
  const auto newest = [&records](auto&& is) -> const SettingsRecordView* {
    const auto found = std::find_if(records.begin(), records.end(), is);
    return found == records.end() ? nullptr : &*found;
  };
  out.settings = newest([](const auto& record) { return !record.source.empty(); });
  if (out.settings != nullptr && out.settings->policy != out.policy) {
    out.command = newest([&out](const auto& record) {
      return record.source.empty() && record.policy == out.policy;
    });
  }
  return out;
}

// Comments before the text, so that what is printed is a settings file.
std::string heading(const InForce& now) {
  std::string text;
  if (now.settings != nullptr)
    text += fmt::format("# {} {}\n", printable(what(*now.settings)), by_whom(*now.settings));
  if (now.command != nullptr) {
    text += fmt::format("# but policy {} rules, set {}\n", now.policy, by_whom(*now.command));
  }
  return text;
}

// A terminal is not steered by it; a file gets it as it is.
void print_text(Context& context, const std::string& text, const char* prefix) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    context.out << prefix << (context.terminal.out ? printable(line) : line) << "\n";
    at = end + 1;
  }
}

std::string origin_of(const SettingView& setting, const InForce& now) {
  if (setting.origin == "command" && setting.name == "policy" && now.command != nullptr)
    return fmt::format("command of {}, {}", who(*now.command), when(*now.command));
  if (setting.origin == "settings" && now.settings != nullptr) return now.settings->source;
  return setting.origin;
}

int show(Context& context, bool origin) {
  JobTracker jobtracker(context);
  const Records records = jobtracker.settings_history();
  const InForce now = in_force(jobtracker, records);
  const std::string text = jobtracker.settings_text();
  std::vector<SettingView> settings;
  if (origin) settings = jobtracker.settings_in_force();
  if (context.json()) {
    Json out = {{"policy", now.policy},
                {"text", text},
                {"settings_record", now.settings ? to_json(*now.settings) : Json()},
                {"policy_record", now.command ? to_json(*now.command) : Json()}};
    if (origin) out["settings"] = to_json(settings);
    print_json(context.out, out);
    return kExitDone;
  }
  context.out << heading(now);
  const SettingsFileView file = jobtracker.followed_file();
  if (!file.says.empty()) context.out << fmt::format("# {}\n", printable(file.says));
  if (!origin) {
    const SettingsText parts = SettingsText::split(text);
    print_text(context, parts.text, "");
    if (parts.allocations) {
      context.out << fmt::format("# allocations file {}:\n", printable(parts.allocations->file));
      print_text(context, parts.allocations->text, "# ");
    }
    return kExitDone;
  }
  Table table({{.header = "SETTING", .least_width = 20},
               {.header = "VALUE", .least_width = 10},
               {.header = "FROM", .least_width = 8}});
  for (const auto& setting : settings)
    table.add({setting.name, setting.value, origin_of(setting, now)});
  context.out << table.render(context.columns());
  return kExitDone;
}

int history(Context& context) {
  JobTracker jobtracker(context);
  const Records records = jobtracker.settings_history();
  if (context.json()) {
    print_json(context.out, to_json(records));
    return kExitDone;
  }
  if (records.empty()) {
    context.out << "no settings were applied yet\n";
    return kExitDone;
  }
  Table table({{.header = "NUMBER", .right = true},
               {.header = "WHEN"},
               {.header = "BY", .least_width = 8},
               {.header = "WHAT", .least_width = 20},
               {.header = "POLICY"}});
  for (const auto& record : records)
    table.add({std::to_string(record.number), when(record), who(record), what(record),
               record.policy});
  context.out << table.render(context.columns());
  return kExitDone;
}

// A file's name once more, not a list of all that it was reverted to.
std::string reverted_name(const std::string& source, std::int64_t number) {
  return fmt::format("{}, as of {}", source.substr(0, source.find(", as of ")), number);
}

int revert(Context& context, std::int64_t number) {
  JobTracker jobtracker(context);
  const Records records = jobtracker.settings_history();
  const auto found = std::find_if(records.begin(), records.end(), [number](const auto& record) {
    return record.number == number;
  });
  if (found == records.end()) {
    throw CliFailure::findings(
        kExitRefused, {fmt::format("there is no number {}; see `weir conf history`", number)});
  }
  if (found->source.empty()) {
    const auto version = jobtracker.set_policy(caller(context), found->policy);
    if (context.json()) {
      print_json(context.out, {{"policy", found->policy}, {"version", version}});
    } else {
      context.out << fmt::format("policy is {} now; jobs and running tasks go on\n",
                                 found->policy);
    }
    return kExitDone;
  }
  return apply_settings(
      context, {reverted_name(found->source, number), jobtracker.settings_of(number)});
}

}  // namespace

void add_conf_history_commands(CLI::App& group, Context& context) {
  const auto origin = std::make_shared<bool>(false);
  auto* command = group.add_subcommand("show", "the settings in force");
  command->add_flag("--origin", *origin,
                    "each setting with its value and where it comes from: the settings, a command, "
                    "or the default");
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "Who applied them, and when, stands in comments before them: what is printed can be "
      "applied.\n\nExamples:\n  weir conf show > weir.yaml\n  weir conf show --origin");
  command->callback([&context, origin] {
    context.action = [&context, origin] { return show(context, *origin); };
  });

  command = group.add_subcommand("history", "the newest 100 changes of the settings");
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer("Examples:\n  weir conf history\n  weir conf history -o json");
  command->callback([&context] { context.action = [&context] { return history(context); }; });

  const auto number = std::make_shared<std::int64_t>(0);
  command = group.add_subcommand("revert", "apply settings that were in force before");
  command->add_option("NUMBER", *number, "as listed by `weir conf history`")->required();
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer(
      "They are checked as a file is, and this is a change of its own. The settings file stays as "
      "it is.\n\nExamples:\n  weir conf revert 3");
  command->callback([&context, number] {
    context.action = [&context, number] { return revert(context, *number); };
  });
}

}  // namespace weir::cli
