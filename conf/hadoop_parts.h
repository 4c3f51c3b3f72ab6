// What the readers of Hadoop's files share: their numbers, the names that we allow, and YAML as it
// is written. Used by conf/hadoop_*.cpp alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/diagnostics.h"
#include "conf/hadoop_xml.h"

namespace weir {

// One of Hadoop's values and where it stands.
struct HadoopValue {
  std::string text;
  Mark at;
  std::string what;  // what messages call it: `minMaps of pool a`
};

std::string quoted_briefly(std::string_view text);  // on one line, not too long

// Numbers as Java reads them; what is none is an error.
std::optional<std::int64_t> hadoop_integer(const HadoopValue& value, Diagnostics& out);
std::optional<double> hadoop_number(const HadoopValue& value, Diagnostics& out);
// A number in units of 1/`scale`, rounded; a warning if that changes it.
std::int64_t hadoop_scaled(const HadoopValue& value, double number, std::int64_t scale,
                           Diagnostics& out);

void no_counterpart(const HadoopValue& value, std::string_view why, Diagnostics& out);

// The name with what we do not allow in names replaced, and a warning if that changes it.
std::string hadoop_name(const HadoopValue& value, bool queue, Diagnostics& out);

// A YAML scalar, in quotes if it needs them.
std::string yaml_scalar(const std::string& text);

// A queue as it will be written; both capacity schedulers make a tree of these.
struct ImportedQueue {
  std::string name;
  Mark at;
  std::optional<std::int64_t> guaranteed_hundredths;
  std::optional<Mark> guaranteed_at;
  std::vector<std::string> keys;  // `maximum: 80%`, without the guarantee
  std::vector<ImportedQueue> queues;
};

// Makes the guarantees of siblings total 100%, with a warning if they did not.
void settle_guarantees(std::vector<ImportedQueue>& family, const std::string& parent,
                       Diagnostics& out);
std::string yaml_of_queues(const std::vector<ImportedQueue>& queues, int indent);

// `<configuration>`: property names to values, the last of several. Anything else is a warning.
std::map<std::string, HadoopValue> read_configuration(const XmlElement& root, Diagnostics& out);

// Each kind of file: the YAML without its head.
std::string import_fair_allocations(const XmlElement& root, Diagnostics& out);
std::string import_mr1_fair_site(const std::map<std::string, HadoopValue>& properties,
                                 Diagnostics& out);
std::string import_mr1_capacity(const std::map<std::string, HadoopValue>& properties,
                                Diagnostics& out);
std::string import_yarn_capacity(const std::map<std::string, HadoopValue>& properties,
                                 Diagnostics& out);

}  // namespace weir
