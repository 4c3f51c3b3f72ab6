#include <fmt/format.h>

#include "report/markup.h"
#include "report/report.h"
#include "report/style.h"
#include "report/tables.h"
#include "report/use_charts.h"

namespace weir::report {
namespace {

std::string section(const char* title, const char* says, const std::string& content) {
  return fmt::format("<section><h2>{}</h2>\n<p class=\"lead\">{}</p>\n{}</section>\n", title, says,
                     content);
}

std::string made_from(const Report& report) {
  std::string text = "<dl class=\"made\">";
  for (const auto& [what, value] : report.made_from) {
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(what), escaped(value));
  }
  text += "</dl>\n";
  if (report.notes.empty()) return text;
  text += "<ul class=\"notes\">";
  for (const std::string& note : report.notes) text += "<li>" + escaped(note) + "</li>\n";
  return text + "</ul>\n";
}

}  // namespace

std::string html(const Report& report) {
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta "
             "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta "
             "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
             "'unsafe-inline'\">\n<title>{0}</title>\n<style>",
             escaped(report.title)) +
         kStyle +
         fmt::format("</style></head>\n<body>\n<header><h1>{}</h1>\n<p class=\"lead\">{}</p>"
                     "</header>\n<main>\n",
                     escaped(report.title), escaped(report.subtitle)) +
         headline(report) +
         section("Use of the cluster",
                 report.slots() ? "Slots that tasks held, by queue."
                                : "What tasks held of each dimension, by queue.",
                 cluster_charts(report)) +
         section("Queues", "What each queue used against what it is owed, the largest users first.",
                 queue_charts(report)) +
         section("Waits", "From submission to the first launched task, jobs by queue.",
                 wait_charts(report)) +
         section("Kills and waste",
                 report.slots() ? "Tasks killed so that another queue got its slots, and the "
                                  "slot-time they had used."
                                : "Tasks killed so that another queue got what it is owed, and "
                                  "what they had had.",
                 kill_chart(report) + kill_table(report)) +
         section("Slowest jobs", "By the time from submission to the end.", slow_jobs(report)) +
         section("Totals",
                 report.slots() ? "By queue; use is the part of the cluster's slot-time."
                                : "By queue; use is the part of what the cluster had of it.",
                 totals_table(report)) +
         section("What this was made from", "", made_from(report)) + "</main>\n</body></html>\n";
}

}  // namespace weir::report
