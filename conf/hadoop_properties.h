// The properties of Hadoop's `<configuration>` files: of several files together, in the order in
// which they stand there. Readers take what they know; what nobody has taken is told at the end.
// Used by conf/hadoop_*.cpp alone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conf/hadoop_parts.h"

namespace weir {

class HadoopProperties {
 public:
  // One more file. Of two properties of one name the later counts, as in Hadoop, unless the first
  // is final. What is no property is a warning.
  void read(const XmlElement& root, Diagnostics& out);

  // Once all files are read: `${name}` becomes the value of that property, as in Hadoop. One that
  // refers to what is in none of the files is a warning, and gone.
  void resolve();

  bool any(std::string_view prefix) const;
  // Null if there is none. A property that has been taken is not told as left over.
  const HadoopValue* find(std::string_view name) const;
  const HadoopValue* take(std::string_view name);
  // The first of two names of the same property.
  const HadoopValue* take(std::string_view name, std::string_view other_name);
  std::vector<HadoopValue> with_prefix(std::string_view prefix) const;
  // With those whose value refers to nothing: `find` has them no more.
  std::vector<HadoopValue> named_with_prefix(std::string_view prefix) const;

  // Those left over are told each, with what `why` says of the name; those of which it says nothing
  // are none of the scheduler's and are counted.
  void tell_rest(const std::function<std::optional<std::string>(std::string_view name)>& why);

 private:
  struct Property {
    HadoopValue value;
    bool final = false;
    bool taken = false;
  };
  void set(Property property);
  std::optional<std::string> resolved(std::string text) const;

  std::vector<Property> properties_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace weir
