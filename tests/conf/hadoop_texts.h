// Hadoop's files in tests: those of tests/conf/hadoop and texts of a test's own, imported, and what
// is looked for in the settings that they give.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "capacity/capacity_settings.h"
#include "conf/findings.h"
#include "conf/hadoop_import.h"
#include "fair/fair_settings.h"
#include "jobqueue/model/queue_tree.h"

namespace weir {

inline std::string file_text(const std::string& name) {
  std::ifstream stream(conf_folder() + "/../tests/conf/hadoop/" + name);
  EXPECT_TRUE(stream.is_open()) << name;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline HadoopImport imported_texts(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<HadoopFile> files;
  for (const auto& [name, text] : texts) files.push_back({name, text});
  auto result = import_hadoop(files);
  if (result) return std::move(*result);
  for (const std::string& line : result.error().diagnostics) ADD_FAILURE() << line;
  return {};
}

inline HadoopImport imported_files(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const std::string& name : names)
    texts.emplace_back(name.substr(name.find('/') + 1), file_text(name));
  return imported_texts(texts);
}

inline std::vector<std::string> refusals_of(
    const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<HadoopFile> files;
  for (const auto& [name, text] : texts) files.push_back({name, text});
  const auto result = import_hadoop(files);
  EXPECT_FALSE(result.ok());
  return result ? std::vector<std::string>() : result.error().diagnostics;
}

inline std::string properties(const std::vector<std::pair<std::string, std::string>>& all) {
  std::string xml = "<configuration>\n";
  for (const auto& [name, value] : all) {
    xml += "<property><name>" + name + "</name><value>" + value + "</value></property>\n";
  }
  return xml + "</configuration>\n";
}

// The leaves, in order.
inline std::vector<std::string> leaves(const std::vector<QueueSettings>& queues) {
  const auto tree = QueueTree::build(queues);
  EXPECT_TRUE(tree.ok());
  std::vector<std::string> paths;
  for (const QueueId leaf : tree->leaves()) paths.push_back(tree->node(leaf).path);
  return paths;
}

inline const QueueSettings& queue_named(const std::vector<QueueSettings>& family,
                                        const std::string& name) {
  static const QueueSettings kNone;
  const auto found = std::find_if(family.begin(), family.end(),
                                  [&](const QueueSettings& q) { return q.name == name; });
  if (found != family.end()) return *found;
  ADD_FAILURE() << "no queue " << name;
  return kNone;
}

inline const PoolSettings& pool_named(const std::vector<PoolSettings>& family,
                                      const std::string& name) {
  static const PoolSettings kNone;
  const auto found = std::find_if(family.begin(), family.end(),
                                  [&](const PoolSettings& p) { return p.name == name; });
  if (found != family.end()) return *found;
  ADD_FAILURE() << "no pool " << name;
  return kNone;
}

inline const FairSettings& fair_of(const Loaded& loaded) {
  return dynamic_cast<const FairSettings&>(*loaded.settings.policies.at("fair"));
}

inline const CapacitySettings& capacity_of(const Loaded& loaded) {
  return dynamic_cast<const CapacitySettings&>(*loaded.settings.policies.at("capacity"));
}

}  // namespace weir
