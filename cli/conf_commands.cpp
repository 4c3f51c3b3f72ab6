#include "cli/conf_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "cli/conf_history.h"
#include "cli/connection.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/policy_tables.h"
#include "cli/table.h"
#include "conf/hadoop_import.h"
#include "conf/hadoop_xml.h"
#include "conf/load.h"
#include "jobqueue/model/time.h"
#include "tracker/published/settings_check.h"

namespace weir::cli {
namespace {

using Files = std::vector<std::string>;

std::vector<std::string> findings(const Error& error) {
  return error.diagnostics.empty() ? std::vector<std::string>{error.message} : error.diagnostics;
}

// One that cannot be read is no file of settings, either.
SettingsCheckView check_file(const std::string& file) {
  const auto source = read_settings_text(file);
  if (source) return check_of_settings(file, *source);
  SettingsCheckView out;
  out.file = file;
  out.ok = false;
  out.errors = findings(source.error());
  for (const std::string& line : out.errors) out.findings.push_back({file, 0, 0, false, line});
  return out;
}

int check(Context& context, const Files& files) {
  std::vector<SettingsCheckView> report;
  std::vector<std::string> errors;
  for (const auto& file : files) {
    report.push_back(check_file(file));
    const SettingsCheckView& found = report.back();
    errors.insert(errors.end(), found.errors.begin(), found.errors.end());
    // Those of a file that is refused come with its errors.
    if (!found.ok) errors.insert(errors.end(), found.warnings.begin(), found.warnings.end());
    if (context.json() || !found.ok) continue;
    for (const auto& notice : found.warnings) context.err << printable(notice) << "\n";
    context.out << printable(file) << ": ok\n";
  }
  if (context.json()) print_json(context.out, to_json(report));
  if (!errors.empty()) throw CliFailure::findings(kExitRefused, errors);
  return kExitDone;
}

// The file with the allocations file that it names, as one text: the JobTracker does not see our
// files.
NamedSettings settings_file(const std::string& name) {
  const auto source = read_settings_text(name);
  if (!source) throw CliFailure::findings(kExitRefused, findings(source.error()));
  if (source->text.size() > kMaxSettingsBytes) {
    throw wrong_use(fmt::format("settings file {}: larger than {}, the most there may be",
                                printable(name), short_bytes(kMaxSettingsBytes)));
  }
  if (source->allocations && !source->allocations->problem.empty()) {
    const auto loaded = load_settings_text(name, *source);
    if (!loaded) throw CliFailure::findings(kExitRefused, findings(loaded.error()));
  }
  return {name, source->joined()};
}

std::string before_after(std::optional<std::int64_t> before, std::optional<std::int64_t> after) {
  const std::int64_t was = before.value_or(0), is = after.value_or(0);
  return was == is ? std::to_string(is) : fmt::format("{} -> {}", was, is);
}

std::string what_becomes(const SettingsDiffView::Queue& queue) {
  std::string text = queue.change;
  if (!queue.moves_to) return text;
  const std::int32_t jobs = queue.jobs.value_or(0);
  return text + (jobs == 0 ? "" : fmt::format(", {} job{}", jobs, jobs == 1 ? "" : "s")) + " to " +
         *queue.moves_to;
}

// What a switch of the policy shows beforehand, and the claims.
void print_preview(Context& context, const SettingsDiffView::Preview& preview) {
  context.out << "\nWho gains and who loses, as the cluster is now\n"
              << change_text(preview.now, preview.then, context.columns());
  Table claims({{.header = "CLAIM OF", .least_width = 10},
                {"CLASS"},
                {.header = "OWED", .right = true},
                {.header = "AS NOW", .right = true},
                {.header = "KILLS IN", .right = true}});
  for (const auto& claim : preview.claims) {
    claims.add({printable(claim.queue), claim.kind, std::to_string(claim.slots),
                std::to_string(claim.open),
                claim.left_ms < 0 ? "never" : short_duration(claim.left_ms)});
  }
  context.out << (claims.empty() ? "No claim would be open.\n" : claims.render(context.columns()));
}

std::string table_of_amounts(Context& context, const SettingsDiffView& diff) {
  Table table({{.header = "QUEUE", .least_width = 10},
               {.header = "CHANGE", .least_width = 9},
               {"DIMENSION"},
               {.header = "GUARANTEED", .right = true},
               {.header = "MAX", .right = true, .rank = 1}});
  for (const auto& queue : diff.queues) {
    for (const SettingsDiffView::Amounts& of : queue.amounts) {
      const bool first = &of == &queue.amounts.front();
      table.add({first ? queue.queue : "", first ? what_becomes(queue) : "", of.dimension,
                 before_after(of.guaranteed_before, of.guaranteed_after),
                 before_after(of.maximum_before, of.maximum_after)});
    }
  }
  return table.empty() ? ""
                       : "with the cluster as large as it is now:\n" +
                             table.render(context.columns());
}

std::string table_of_slots(Context& context, const SettingsDiffView& diff) {
  Table table({{.header = "QUEUE", .least_width = 10},
               {.header = "CHANGE", .least_width = 9},
               {.header = "GUARANTEED MAPS", .right = true},
               {.header = "MAX", .right = true, .rank = 1},
               {.header = "GUARANTEED REDUCES", .right = true},
               {.header = "MAX", .right = true, .rank = 1}});
  for (const auto& queue : diff.queues) {
    table.add({queue.queue, what_becomes(queue), before_after(queue.maps_before, queue.maps_after),
               before_after(queue.maps_maximum_before, queue.maps_maximum_after),
               before_after(queue.reduces_before, queue.reduces_after),
               before_after(queue.reduces_maximum_before, queue.reduces_maximum_after)});
  }
  if (table.empty()) return "";
  const std::string above =
      diff.map_slots ? fmt::format("slots, with the cluster's {} map and {} reduce slots of now:\n",
                                   *diff.map_slots, diff.reduce_slots.value_or(0))
                     : "";
  return above + table.render(context.columns());
}

void print_diff(Context& context, const SettingsDiffView& diff) {
  const bool amounts = std::any_of(diff.queues.begin(), diff.queues.end(),
                                   [](const auto& queue) { return !queue.amounts.empty(); });
  context.out << (amounts ? table_of_amounts(context, diff) : table_of_slots(context, diff));
  for (const auto& change : diff.changes) context.out << printable(change) << "\n";
  const bool none = diff.changes.empty() &&
                    std::all_of(diff.queues.begin(), diff.queues.end(),
                                [](const auto& queue) { return queue.change == "unchanged"; });
  if (none) context.out << (diff.at_restart.empty() ? "no change\n" : "no change now\n");
  if (!none && diff.preview) print_preview(context, *diff.preview);
}

void print_at_restart(std::ostream& to, const SettingsDiffView& diff) {
  for (const auto& line : diff.at_restart)
    to << printable(line) << " (takes effect when the JobTracker is started with this file)\n";
}

// Of the file that the JobTracker follows.
int diff_followed(Context& context) {
  JobTracker jobtracker(context);
  const SettingsFileView file = jobtracker.followed_file();
  if (context.json()) print_json(context.out, to_json(file));
  if (!file.sound) {  // as when the file is named: what is wrong is no difference
    std::vector<std::string> lines = file.changes;
    lines.push_back(file.says);
    throw CliFailure::findings(kExitRefused, lines);
  }
  if (context.json()) return kExitDone;
  for (const auto& change : file.changes) context.out << printable(change) << "\n";
  context.out << (file.file.empty()  ? "the JobTracker follows no file\n"
                  : file.says.empty() ? printable(file.file) + " is what is in force\n"
                                      : printable(file.says) + "\n");
  return kExitDone;
}

int diff(Context& context, const Files& files) {
  if (files.empty()) return diff_followed(context);
  const auto file = settings_file(files.front());
  JobTracker jobtracker(context);
  const SettingsDiffView diff = jobtracker.diff(file);
  if (context.json()) {
    print_json(context.out, to_json(diff));
  } else {
    print_diff(context, diff);
    print_at_restart(context.out, diff);
    for (const auto& warning : diff.warnings) context.err << printable(warning) << "\n";
  }
  if (diff.refusals.empty()) return kExitDone;
  std::vector<std::string> lines = diff.refusals;
  lines.push_back("as the cluster is now, these settings would be refused");
  throw CliFailure::findings(kExitRefused, lines);
}

int apply(Context& context, const Files& files, std::optional<std::int64_t> replaces) {
  NamedSettings file = settings_file(files.front());
  file.replaces = replaces;
  return apply_settings(context, file);
}

std::string read_xml(const std::string& name) {
  std::ifstream stream(name, std::ios::binary);
  std::string xml(kMaxXmlBytes + 1, '\0');
  if (stream) stream.read(xml.data(), static_cast<std::streamsize>(xml.size()));
  if (!stream.is_open() || stream.bad() || (stream.fail() && !stream.eof()))
    throw wrong_use(fmt::format("{}: {}", printable(name), std::strerror(errno)));
  xml.resize(static_cast<std::size_t>(stream.gcount()));
  return xml;
}

// The warnings do not change the exit code: the settings are good.
int import(Context& context, const Files& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(read_xml(name));
  std::vector<HadoopFile> files;
  for (std::size_t i = 0; i < names.size(); ++i) files.push_back({names[i], texts[i]});
  const auto imported = import_hadoop(files);
  if (!imported) throw CliFailure::findings(kExitRefused, findings(imported.error()));
  if (context.json()) {
    print_json(context.out,
               {{"files", names}, {"settings", imported->yaml}, {"warnings", imported->warnings}});
    return kExitDone;
  }
  for (const auto& warning : imported->warnings) context.err << printable(warning) << "\n";
  context.out << imported->yaml;
  return kExitDone;
}

}  // namespace

int apply_settings(Context& context, const NamedSettings& file) {
  JobTracker jobtracker(context);
  // What it comes to, seen before; a refusal is told by the application itself.
  SettingsDiffView diff;
  bool seen = true;
  try {
    diff = jobtracker.diff(file);
  } catch (const Refused&) {
    seen = false;
  }
  const auto version = jobtracker.apply(caller(context), file);
  const SettingsFileView followed = jobtracker.followed_file();
  if (context.json()) {
    print_json(context.out, {{"file", file.name},
                             {"applied", true},
                             {"version", version},
                             {"warnings", diff.warnings},
                             {"at_restart", diff.at_restart},
                             {"settings_file", to_json(followed)}});
    return kExitDone;
  }
  context.out << fmt::format("{} applied\n", printable(file.name));
  if (!followed.says.empty()) {
    context.err << fmt::format("weir: warning: the JobTracker's {}; see `weir conf diff`\n",
                               printable(followed.says));
  }
  if (!seen) return kExitDone;
  print_at_restart(context.err, diff);
  for (const auto& warning : diff.warnings) context.err << printable(warning) << "\n";
  return kExitDone;
}

void add_conf_commands(CLI::App& app, Context& context) {
  auto* group =
      app.add_subcommand("conf", "settings: check files, what they would change, apply, revert");
  group->group("Cluster")->require_subcommand(1);
  group->footer(
      "Examples:\n  weir conf check weir.yaml\n  weir conf diff weir.yaml\n"
      "  weir conf apply weir.yaml\n  weir conf history");
  const auto files = std::make_shared<Files>();
  const auto chosen = [&context, files](int (*run)(Context&, const Files&)) {
    return [&context, files, run] {
      context.action = [&context, files, run] { return run(context, *files); };
    };
  };

  auto* command = group->add_subcommand("check", "all errors at once, without a JobTracker");
  command->add_option("FILE", *files, "settings files")->required();
  add_output_option(*command, context);
  command->footer("Examples:\n  weir conf check weir.yaml\n  weir conf check conf/*.yaml -o json");
  command->callback(chosen(check));

  command = group->add_subcommand("diff", "what applying a file would change");
  command
      ->add_option("FILE", *files,
                   "a settings file (default: the one that the JobTracker follows, as it read it)")
      ->expected(1);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  command->footer("Examples:\n  weir conf diff weir.yaml\n  weir conf diff");
  command->callback(chosen(diff));

  command = group->add_subcommand("apply", "in one step, or not at all with every reason");
  command->add_option("FILE", *files, "a settings file")->required()->expected(1);
  add_caller_option(*command, context);
  add_output_option(*command, context);
  add_connection_options(*command, context);
  const auto replaces = std::make_shared<std::optional<std::int64_t>>();
  command
      ->add_option("--if-version", *replaces,
                   "only while the settings of this number are in force, the newest with a name in "
                   "`weir conf history`: so that nobody's change is undone unknowingly")
      ->type_name("N");
  command->footer(
      "Examples:\n  weir conf apply weir.yaml\n  weir conf apply weir.yaml --if-version 7");
  command->callback([&context, files, replaces] {
    context.action = [&context, files, replaces] { return apply(context, *files, *replaces); };
  });

  add_conf_history_commands(*group, context);

  command = group->add_subcommand("import", "Hadoop's scheduler files as settings, on stdout");
  command
      ->add_option("FILE", *files,
                   "the files of one cluster: fair-scheduler.xml or capacity-scheduler.xml, and "
                   "mapred-site.xml, mapred-queues.xml, mapred-queue-acls.xml or yarn-site.xml")
      ->required();
  add_output_option(*command, context);
  command->footer(
      "What has no counterpart is said on stderr and in comments.\n"
      "Examples:\n  weir conf import fair-scheduler.xml > weir.yaml\n"
      "  weir conf import capacity-scheduler.xml mapred-site.xml > weir.yaml");
  command->callback(chosen(import));
}

}  // namespace weir::cli
