// An XML file of Hadoop's as a plain tree with positions. Files are untrusted: the size, the number
// of elements and the depth are bounded, text must be without control characters
// (hadoop_encoding.h), a document that declares entities is refused, and nothing that it refers to
// is ever opened. The parser (pugixml) is known here alone. Pure function, any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conf/diagnostics.h"

namespace weir {

struct XmlElement {
  std::string name;
  Mark at;
  std::string text;          // its own, without blanks around it
  bool blank_first = false;  // one stood before the text: an access list of groups alone
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  const XmlElement* child(std::string_view child_name) const;  // the first; null if there is none
  std::string_view attribute(std::string_view attribute_name) const;  // empty if there is none
};

inline constexpr std::size_t kMaxXmlBytes = 4 * 1024 * 1024;
inline constexpr int kMaxXmlDepth = 64;

// The root element; without a name, and with findings in `out`, if there is no good one.
XmlElement parse_xml(std::string_view bytes, Diagnostics& out);

}  // namespace weir
