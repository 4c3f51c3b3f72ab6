#include "conf/hadoop_xml.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "conf/hadoop_encoding.h"
#include "conf/yaml_node.h"

namespace weir {
namespace {

constexpr std::string_view kXmlBlanks = " \t\r\n";

// Byte offsets to lines and columns, in characters. Sums are kept for blocks of the text, so that a
// file of one long line takes no longer than one of many.
class XmlPositions {
 public:
  explicit XmlPositions(std::string_view text) : text_(text) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i % kBlock == 0) blocks_.push_back(characters);
      if (begins_character(text[i])) ++characters;
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
    blocks_.push_back(characters);  // also for an offset at the end of a text of whole blocks
  }
  Mark at(std::ptrdiff_t offset) const {
    const auto byte =
        std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size());
    const auto line = std::upper_bound(starts_.begin(), starts_.end(), byte) - 1;
    const std::size_t column = characters_before(byte) - characters_before(*line);
    return {static_cast<int>(line - starts_.begin()) + 1, static_cast<int>(column) + 1};
  }

 private:
  static constexpr std::size_t kBlock = 256;

  static bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }
  std::size_t characters_before(std::size_t byte) const {
    const std::string_view rest = text_.substr(byte - byte % kBlock, byte % kBlock);
    return blocks_[byte / kBlock] +
           static_cast<std::size_t>(std::count_if(rest.begin(), rest.end(), begins_character));
  }

  std::string_view text_;
  std::vector<std::size_t> starts_ = {0};
  std::vector<std::size_t> blocks_;  // characters before each
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kXmlBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kXmlBlanks) - first + 1));
}

class XmlConverter {
 public:
  XmlConverter(const XmlPositions& positions, Diagnostics& out)
      : positions_(positions), out_(out) {}

  XmlElement convert(const pugi::xml_node& node, int depth) {
    XmlElement element;
    element.name = node.name();
    // The offset is that of the name.
    element.at = positions_.at(node.offset_debug() - 1);
    if (depth > kMaxXmlDepth) {
      out_.error(element.at,
                 fmt::format("nested too deeply, allowed: {} levels of elements", kMaxXmlDepth));
      return element;
    }
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      element.attributes.emplace_back(attribute.name(), trimmed(attribute.value()));
      check(element.attributes.back().second, element.at);
    }
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) {
        element.children.push_back(convert(child, depth + 1));
      } else {
        element.text += child.value();
      }
    }
    element.blank_first = element.text.find_first_not_of(kXmlBlanks) != 0;
    element.text = trimmed(element.text);
    return element;
  }

 private:
  void check(const std::string& text, Mark at) {
    if (!is_plain_line(text)) out_.error(at, "an attribute has control characters, allowed: text");
  }

  const XmlPositions& positions_;
  Diagnostics& out_;
};

// Control characters and broken UTF-8 would end up in our YAML and on terminals.
bool check_xml_text(std::string_view text, const XmlPositions& positions, Diagnostics& out) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\t\r\n", begin), text.size());
    if (!is_plain_line(text.substr(begin, end - begin))) {
      out.error(positions.at(static_cast<std::ptrdiff_t>(begin)),
                "text that is not UTF-8, or a control character, allowed: XML in UTF-8, UTF-16 or "
                "ISO-8859-1");
      return false;
    }
    begin = end + 1;
  }
  return true;
}

// Where the tags of a text stop matching, of which the parser tells no more than that they do: the
// element that is open there, and the end that is not its own (empty: the file's).
struct TagMismatch {
  std::string open, end;
  std::size_t open_at = 0, end_at = 0;
};

class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text) {}

  std::optional<TagMismatch> mismatch() {
    while ((at_ = text_.find('<', at_)) != std::string_view::npos) {
      if (skip("<!--", "-->") || skip("<![CDATA[", "]]>") || skip("<?", "?>") || skip("<!", ">"))
        continue;
      const std::size_t begin = at_ + 1;
      const bool closes = begin < text_.size() && text_[begin] == '/';
      const std::string_view name = name_at(begin + (closes ? 1 : 0));
      const bool empty = end_of_tag();
      if (closes && !open_.empty() && open_.back().first == name) {
        open_.pop_back();
      } else if (closes) {
        return found(name, begin + 1);
      } else if (!empty) {
        open_.emplace_back(name, begin);
      }
    }
    return found("", text_.size());
  }

 private:
  bool skip(std::string_view opening, std::string_view closing) {
    if (!text_.substr(at_).starts_with(opening)) return false;
    const std::size_t end = text_.find(closing, at_ + opening.size());
    at_ = end == std::string_view::npos ? text_.size() : end + closing.size();
    return true;
  }
  std::string_view name_at(std::size_t begin) const {
    const std::string_view rest = text_.substr(std::min(begin, text_.size()));
    return rest.substr(0, std::min(rest.find_first_of(" \t\r\n/>"), rest.size()));
  }
  // Goes behind the tag; whether it is <this/>. A `>` in a quoted value ends nothing.
  bool end_of_tag() {
    char quote = 0;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote == 0 && c == '>') return text_[at_++ - 1] == '/';
      if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
    return false;
  }
  std::optional<TagMismatch> found(std::string_view end, std::size_t end_at) const {
    if (open_.empty()) return std::nullopt;
    return TagMismatch{.open = std::string(open_.back().first),
                       .end = std::string(end),
                       .open_at = open_.back().second,
                       .end_at = end_at};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::pair<std::string_view, std::size_t>> open_;
};

void tell_not_xml(const pugi::xml_parse_result& result, std::string_view text,
                  const XmlPositions& positions, Diagnostics& out) {
  const auto mark = [&](std::size_t at) { return positions.at(static_cast<std::ptrdiff_t>(at)); };
  if (result.status == pugi::status_end_element_mismatch) {
    if (const auto wrong = TagReader(text).mismatch()) {
      const Mark end = mark(wrong->end_at);
      const std::string until = wrong->end.empty()
                                    ? "the file ends"
                                    : fmt::format("</{}> at {}:{} closes another one", wrong->end,
                                                  end.line, end.column);
      return out.error(mark(wrong->open_at),
                       fmt::format("not XML: <{}> is not closed where {}, allowed: a well-formed "
                                   "XML file",
                                   wrong->open, until));
    }
  }
  out.error(positions.at(result.offset),
            fmt::format("not XML: {}, allowed: a well-formed XML file", result.description()));
}

}  // namespace

const XmlElement* XmlElement::child(std::string_view child_name) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const XmlElement& e) { return e.name == child_name; });
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::attribute(std::string_view attribute_name) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute_name) return value;
  }
  return {};
}

XmlElement parse_xml(std::string_view bytes, Diagnostics& out) {
  if (bytes.size() > kMaxXmlBytes) {
    out.error({}, fmt::format("is larger than {} bytes, allowed: an XML file of at most 4 MiB",
                              kMaxXmlBytes));
    return {};
  }
  const std::string text = utf8_of_xml(bytes);
  const XmlPositions positions(text);
  if (!check_xml_text(text, positions, out)) return {};
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) {
    tell_not_xml(result, text, positions, out);
    return {};
  }
  pugi::xml_node root;
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find("<!") != std::string_view::npos) {
      out.error({1, 1}, "a document type with declarations of its own, allowed: none");
    } else if (node.type() == pugi::node_element && root) {
      out.error(positions.at(node.offset_debug() - 1),
                fmt::format("not XML: a second root element <{}>, allowed: one", node.name()));
    } else if (node.type() == pugi::node_element) {
      root = node;
    }
  }
  if (!out.ok()) return {};
  XmlElement element = XmlConverter(positions, out).convert(root, 1);
  return out.ok() ? element : XmlElement{};
}

}  // namespace weir
