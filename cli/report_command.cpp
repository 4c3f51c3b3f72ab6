#include "cli/report_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/http_address.h"
#include "cli/sink.h"
#include "live/report_reader.h"
#include "report/report.h"

namespace weir::cli {
namespace {

struct ReportOptions {
  std::string http;
  std::string since = "24h";
  std::string output;
};

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

int make_report(Context& context, const ReportOptions& options) {
  const std::int64_t now = now_ms();
  const std::int64_t since = point_in_time("--since", options.since, [&] { return now; });
  if (since >= now) throw wrong_use("--since: that is not in the past");
  const HttpAddress address = http_address(context, options.http);
  live::HttpClient client(address.host, address.port);
  report::Report report;
  try {
    report = live::read_report(client, since, now);
  } catch (const live::HttpTrouble& trouble) {
    throw CliFailure(kExitUnreachable,
                     fmt::format("cannot reach the JobTracker's HTTP port at {} ({})",
                                 printable(client.address()), printable(trouble.what())));
  } catch (const live::ApiRefused& refused) {
    throw CliFailure(kExitRefused, printable(refused.what()));
  }
  report.title = "Cluster at " + client.address();
  report.subtitle = fmt::format("{} to {}, local time.", local_time(since), local_time(now));
  report.made_from.insert(report.made_from.begin(),
                          {{"JobTracker", client.address()},
                           {"from", local_time(since)},
                           {"to", local_time(now)}});
  report.made_from.emplace_back("made by", "weir report, version " WEIR_VERSION);
  Sink sink(context, options.output);
  sink.stream() << report::html(report);
  sink.close();
  if (options.output != "-") context.out << printable(options.output) << " written\n";
  return kExitDone;
}

}  // namespace

void add_report_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "report", "the last hours of the cluster as a page with charts, to look at or print");
  command->group("Cluster");
  const auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("--since", options->since,
                   "from when on: a span (30m 12h 7d) or a date (default: 24h)")
      ->type_name("TIME");
  command->add_option("--output", options->output, "the HTML file to write; - is stdout")
      ->type_name("FILE")
      ->required();
  add_http_option(*command, options->http);
  add_connection_options(*command, context);
  command->footer(
      "One HTML file without scripts: use by queue against guarantee, lent and borrowed, waits,\n"
      "kills and what they threw away, the slowest jobs, totals (docs/terminal.md).\n\n"
      "Examples:\n"
      "  weir report --since 24h --output report.html\n"
      "  weir report --since 2026-11-01 --http jobtracker:8080 --output november.html");
  command->callback([&context, options] {
    context.action = [&context, options] { return make_report(context, *options); };
  });
}

}  // namespace weir::cli
