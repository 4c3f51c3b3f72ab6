#include "conf/settings_text.h"

#include <algorithm>
#include <climits>

#include <fmt/format.h>

#include "conf/text_file.h"

namespace weir {
namespace {

constexpr std::string_view kSeparator = "--- # allocations: ";

}  // namespace

std::string SettingsText::joined() const {
  if (!allocations) return text;
  std::string result = text;
  if (!result.ends_with('\n')) result += '\n';
  // What cannot be read is no text, but tells the two apart when somebody compares.
  return fmt::format("{}{}{}\n{}{}", result, kSeparator, allocations->file, allocations->problem,
                     allocations->text);
}

SettingsText SettingsText::split(std::string_view joined) {
  const std::string mark = "\n" + std::string(kSeparator);
  const std::size_t end = joined.find(mark);
  if (end == std::string_view::npos) return {std::string(joined), std::nullopt};
  const std::size_t name = end + mark.size();
  const std::size_t line_end = std::min(joined.find('\n', name), joined.size());
  const std::size_t text = std::min(line_end + 1, joined.size());
  // The name is for messages only, and may come from a client.
  std::string file(joined.substr(name, line_end - name));
  if (file.empty() || file.size() > PATH_MAX || !is_plain_line(file)) file = "allocations";
  return {std::string(joined.substr(0, end + 1)),
          AllocationsFile{
              .file = std::move(file), .text = std::string(joined.substr(text)), .problem = {}}};
}

Result<SettingsText> read_settings_text(const std::string& file) {
  std::string problem;
  auto text = read_text_file(file, kMaxSettingsBytes, problem);
  if (!text) {
    Diagnostics out(file);
    out.error({}, fmt::format("{}, allowed: a settings file that can be read", problem));
    return out.as_error();
  }
  SettingsText result{std::move(*text), std::nullopt};
  Diagnostics unused(file);  // whoever reads the settings finds it again
  if (result.text.size() > kMaxSettingsBytes) return result;
  if (const YamlNode::Ptr document = parse_yaml(result.text, unused)) {
    result.allocations = read_allocations(*document, directory_of(file));
  }
  return result;
}

const YamlNode* allocations_name(const YamlNode& document) {
  const YamlNode* fair = value_of(document, "fair");  // no other policy's section names a file
  if (fair == nullptr) return nullptr;
  const YamlNode* name = value_of(*fair, "allocations");
  if (name == nullptr) {
    const YamlNode* pools = value_of(*fair, "pools");
    if (pools != nullptr) name = value_of(*pools, "file");
  }
  const bool named = name != nullptr && name->kind == YamlNode::Kind::kScalar &&
                     !name->text.empty() && is_plain_line(name->text);
  return named ? name : nullptr;
}

Allocations read_allocations(const YamlNode& document, const std::string& directory) {
  const YamlNode* name = allocations_name(document);
  if (name == nullptr) return std::nullopt;
  AllocationsFile result;
  const bool absolute = name->text.starts_with('/') || directory.empty();
  result.file = absolute ? name->text : fmt::format("{}/{}", directory, name->text);
  if (auto text = read_text_file(result.file, kMaxSettingsBytes, result.problem))
    result.text = std::move(*text);
  return result;
}

std::string directory_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : file.substr(0, slash);
}

}  // namespace weir
