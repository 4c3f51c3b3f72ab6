#include "conf/yaml_node.h"

#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "jobqueue/model/plain_text.h"

namespace weir {
namespace {

// Ends the parse; the finding is already recorded.
struct ParseEnded {};

Mark mark_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

// Builds the tree from events; the open containers are a stack.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(Diagnostics& out) : out_(out) {}

  YamlNode::Ptr root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      refuse(mark_of(mark),
             "something after the end of the YAML document, allowed: one document in a file (no "
             "`---` within it)");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = make(YamlNode::Kind::kNull, mark);
    // yaml-cpp places a missing value at whatever comes next, often lines below; its key is the
    // line to mend.
    if (!stack_.empty() && stack_.back().key) node->at = stack_.back().key->at;
    add(std::move(node), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = make(YamlNode::Kind::kScalar, mark);
    node->text = value;
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      refuse(mark_of(mark),
             "an alias within the part it stands for, allowed: an alias to a part that has ended");
    }
    expanded_ += found->second->weight;
    check_size(mark_of(mark));
    attach(found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kList, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::kMap, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor;
    YamlNode::Ptr key;  // of a map: the key that waits for its value
  };

  [[noreturn]] void refuse(Mark at, std::string what) {
    out_.error(at, std::move(what));
    throw ParseEnded{};
  }

  std::shared_ptr<YamlNode> make(YamlNode::Kind kind, const YAML::Mark& mark) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->at = mark_of(mark);
    ++expanded_;
    check_size(node->at);
    return node;
  }

  void check_size(Mark at) {
    if (expanded_ <= kMaxYamlNodes) return;
    refuse(
        at,
        fmt::format(
            "aliases and values make more than {} nodes here, allowed: at most that many in a file",
            kMaxYamlNodes));
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    auto node = make(kind, mark);
    if (stack_.size() >= static_cast<std::size_t>(kMaxYamlDepth)) {
      refuse(node->at,
             fmt::format("nested too deeply, allowed: {} levels of lists and maps", kMaxYamlDepth));
    }
    stack_.push_back({std::move(node), anchor, nullptr});
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  // An anchor is known only once its part has ended, so an alias can never make a ring.
  void add(YamlNode::Ptr node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(std::move(node));
  }

  void attach(YamlNode::Ptr node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    parent.node->weight += node->weight;
    if (parent.node->kind == YamlNode::Kind::kList) {
      parent.node->items.push_back(std::move(node));
    } else if (!parent.key) {
      parent.key = std::move(node);
    } else {
      parent.node->entries.emplace_back(std::move(parent.key), std::move(node));
      parent.key = nullptr;
    }
  }

  Diagnostics& out_;
  int documents_ = 0;
  std::int64_t expanded_ = 0;
  std::vector<Open> stack_;
  std::unordered_map<YAML::anchor_t, YamlNode::Ptr> anchors_;
  YamlNode::Ptr root_;
};

// Encoding and indentation, before yaml-cpp sees anything: its own words about them are hard to
// follow.
bool check_text(std::string_view text, Diagnostics& out) {
  Mark at{1, 1};
  bool indentation = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      out.error(at, fmt::format("byte 0x{:02x} is not UTF-8, allowed: YAML text in UTF-8",
                                static_cast<unsigned char>(c)));
      return false;
    }
    const bool control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    if (control) {
      out.error(at, fmt::format("control character 0x{:02x}, allowed: YAML text in UTF-8",
                                static_cast<unsigned char>(c)));
      return false;
    }
    if (c == '\t' && indentation) {
      const std::size_t next = text.find_first_not_of(" \t\r", i);
      if (next != std::string_view::npos && text[next] != '\n' && text[next] != '#') {
        out.error(at, "a tab in the indentation, allowed: spaces");
      }
      indentation = false;
    } else if (c != ' ') {
      indentation = false;
    }
    at.column += static_cast<int>(length);
    if (c == '\n') {
      at = {at.line + 1, 1};
      indentation = true;
    }
    i += length;
  }
  return out.ok();
}

}  // namespace

const YamlNode* value_of(const YamlNode& map, std::string_view name) {
  if (map.kind != YamlNode::Kind::kMap) return nullptr;
  for (const auto& [key, value] : map.entries) {
    if (key->kind == YamlNode::Kind::kScalar && key->text == name) return value.get();
  }
  return nullptr;
}

bool is_plain_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7f) return false;
    text.remove_prefix(length);
  }
  return true;
}

YamlNode::Ptr parse_yaml(std::string_view text, Diagnostics& out) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!check_text(text, out)) return nullptr;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(out);
    while (parser.HandleNextDocument(builder)) {
    }
    if (builder.root()) return builder.root();
    return std::make_shared<YamlNode>();
  } catch (const YAML::Exception& e) {
    const Mark at = e.mark.is_null() ? Mark{} : mark_of(e.mark);
    out.error(at, fmt::format("not YAML: {}, allowed: `key: value` lines indented with spaces, "
                              "lists of `- item`, {{flow: maps}} and [flow lists]",
                              e.msg));
  } catch (const ParseEnded&) {
  }
  return nullptr;
}

}  // namespace weir
