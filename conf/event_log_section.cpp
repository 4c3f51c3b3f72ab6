#include "conf/event_log_section.h"

#include <fmt/format.h>

namespace weir {
namespace {

// What one place says of the log, which may be that there is none; nothing if it says nothing, or
// something wrong.
using Said = std::optional<std::optional<EventLogSettings>>;

Said read_log(const YamlNode* node, const std::string& path, Diagnostics& out) {
  if (node == nullptr) return std::nullopt;
  if (node->kind == YamlNode::Kind::kScalar && node->text == "off") return Said(std::in_place);
  const std::size_t errors = out.error_count();
  const MapReader map(node, path, out, {"path", "rotate", "keep"});
  EventLogSettings log;
  if (!map.read_string("path", log.path) && !map.has("path"))
    out.error(node->at, fmt::format("{} has no path, allowed: path: with a file", path));
  map.read_byte_size("rotate", log.rotate_bytes, {.least = 4096, .most = 1LL << 40});
  map.read_integer("keep", log.keep, {.least = 0, .most = 100'000});
  if (out.error_count() != errors) return std::nullopt;
  return Said(std::in_place, log);
}

}  // namespace

void read_event_log(const MapReader& root, std::optional<EventLogSettings>& target) {
  Diagnostics& out = root.out();
  const YamlNode* fair = root.find("fair");
  const YamlNode* old = fair == nullptr ? nullptr : value_of(*fair, "event_log");
  const Said here = read_log(root.find("event_log"), "event_log", out);
  const Said there = read_log(old, "fair.event_log", out);
  if (here && there && *here != *there) {
    out.error(old->at, fmt::format("fair.event_log is another than event_log at {}, allowed: "
                                   "event_log alone",
                                   to_string(root.at("event_log"))));
  } else if (there) {
    out.warning(old->at,
                "fair.event_log has moved: event_log at the top of the file does the same, "
                "whichever policy rules");
  }
  target = here ? *here : there.value_or(std::nullopt);
}

std::string format_event_log(const std::optional<EventLogSettings>& log) {
  if (!log) return "off";
  return fmt::format("{{path: {}, rotate: {}, keep: {}}}", log->path,
                     format_byte_size(log->rotate_bytes), log->keep);
}

}  // namespace weir
