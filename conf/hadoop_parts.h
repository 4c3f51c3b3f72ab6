// What the readers of Hadoop's files share: their values, where each stands, the names that we
// allow, and YAML as it is written. Used by conf/hadoop_*.cpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/diagnostics.h"
#include "conf/hadoop_xml.h"

namespace weir {

// One of Hadoop's values and where it stands; what is found about it goes to the findings of its
// file.
struct HadoopValue {
  std::string text;
  Mark at;
  std::string what;            // what messages call it: `minMaps of pool a`
  Diagnostics* out = nullptr;  // its file's, which outlive it
  bool blank_first = false;    // as in XmlElement
};

// `owner` is whose it is, or empty: `pool a`.
HadoopValue value_of_element(const XmlElement& element, const std::string& owner, Diagnostics& out);

void hadoop_error(const HadoopValue& value, std::string_view allowed);
void hadoop_warning(const HadoopValue& value, std::string what);
void no_counterpart(const HadoopValue& value, std::string_view why);
// Of a limit of 0, with which `nothing` (`no job`) runs: it is taken over, but seldom meant.
void tell_zero(const HadoopValue& value, std::string_view nothing);

std::string quoted_briefly(std::string_view text);  // on one line, not too long
std::string lower_case(std::string text);
std::vector<std::string> words_of(std::string_view text, std::string_view separators);

// Values as Java reads them; what is none is an error.
std::optional<std::int64_t> hadoop_integer(const HadoopValue& value);
std::optional<std::int64_t> hadoop_int(const HadoopValue& value);  // of 32 bits
std::optional<double> hadoop_number(const HadoopValue& value);
std::optional<bool> hadoop_boolean(const HadoopValue& value);
// A number in units of 1/`scale`, rounded; a warning if that changes it.
std::int64_t hadoop_scaled(const HadoopValue& value, double number, std::int64_t scale);

// `50% memory, 40% cpu`, `40%`, `memory-mb=50%, vcores=40%`: each percentage a word, and its name
// before a `=`. Nothing, and an error: YARN would refuse it.
std::optional<std::string> hadoop_percentage_list(const HadoopValue& value);
// Of the slots the least of them, in hundredths.
std::optional<std::int64_t> hadoop_percentages(const HadoopValue& value);

// The name with what we do not allow in names replaced, and a warning if that changes it.
std::string hadoop_name(const HadoopValue& value, bool queue);

// The users and @groups of `user1,user2 group1,group2`; `*` is everybody, a blank nobody.
std::vector<std::string> hadoop_access(const HadoopValue& value);

// A YAML scalar, in quotes if it needs them; a list of them.
std::string yaml_scalar(const std::string& text);
std::string yaml_list(const std::vector<std::string>& texts);

}  // namespace weir
