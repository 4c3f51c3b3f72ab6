#include "conf/hadoop_import.h"

#include <algorithm>

#include <fmt/format.h>

#include "conf/hadoop_parts.h"
#include "conf/load.h"
#include "conf/policies.h"

namespace weir {
namespace {

constexpr std::string_view kImportable =
    "a fair-scheduler.xml with <allocations>, or a capacity-scheduler.xml or mapred-site.xml with "
    "<configuration> and properties mapred.capacity-scheduler.*, yarn.scheduler.capacity.* or "
    "mapred.fairscheduler.*";

struct ImportedBody {
  std::string policy;
  std::string kind;  // what the file is, for people
  std::string yaml;
};

ImportedBody import_configuration(const XmlElement& root, Diagnostics& out) {
  const auto properties = read_configuration(root, out);
  const auto any = [&](std::string_view prefix) {
    return std::any_of(properties.begin(), properties.end(),
                       [&](const auto& entry) { return entry.first.starts_with(prefix); });
  };
  if (any("mapred.capacity-scheduler.")) {
    return {"capacity", "MapReduce's capacity scheduler", import_mr1_capacity(properties, out)};
  }
  if (any("yarn.scheduler.capacity.")) {
    return {"capacity", "YARN's capacity scheduler", import_yarn_capacity(properties, out)};
  }
  if (any("mapred.fairscheduler.")) {
    return {"fair", "MapReduce's fair scheduler", import_mr1_fair_site(properties, out)};
  }
  if (out.ok())
    out.error(root.at,
              fmt::format("none of its properties is a scheduler's, allowed: {}", kImportable));
  return {};
}

std::string with_head(const std::string& name, const ImportedBody& body,
                      const std::vector<std::string>& warnings) {
  std::string text = fmt::format("# Imported by `weir conf import` from {}, the settings of {}.\n",
                                 name, body.kind);
  if (!warnings.empty())
    text += "# What is not taken over as it stands there (line and column are that file's):\n";
  for (std::string line : warnings) {
    // One comment line each, whatever a value holds.
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    text += "#   " + line + "\n";
  }
  const std::vector<std::string> known = policy_names();
  if (std::find(known.begin(), known.end(), body.policy) != known.end())
    text += fmt::format("\npolicy: {}\n", body.policy);
  return text + body.yaml;
}

}  // namespace

Result<HadoopImport> import_hadoop(const std::string& name, std::string_view xml) {
  Diagnostics out(name);
  const XmlElement root = parse_xml(xml, out);
  if (!out.ok()) return out.as_error();
  ImportedBody body;
  if (root.name == "allocations") {
    body = {"fair", "Hadoop's fair scheduler", import_fair_allocations(root, out)};
  } else if (root.name == "configuration") {
    body = import_configuration(root, out);
  } else {
    out.error(root.at,
              fmt::format("the root element is <{}>, allowed: {}", root.name, kImportable));
  }
  if (!out.ok()) return out.as_error();
  HadoopImport result{.yaml = {}, .warnings = out.warnings()};
  result.yaml = with_head(name, body, result.warnings);
  // More pools or queues than we take, for example.
  const auto loaded = load_settings_text("the settings made of " + name, result.yaml);
  if (!loaded) return loaded.error();
  return result;
}

}  // namespace weir
