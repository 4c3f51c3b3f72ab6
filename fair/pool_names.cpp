#include "fair/pool_names.h"

#include <algorithm>

namespace weir {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::string_view kRootPrefix = "root.";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// As one part of a path.
std::string one_part(std::string_view name) {
  std::string part;
  for (const char c : trimmed(name)) {
    if (c == '.') {
      part += "_dot_";
    } else {
      part += c;
    }
  }
  return part;
}

std::string property(const JobSpec& spec, const std::string& key) {
  const auto found = spec.conf.find(key);
  return found == spec.conf.end() ? std::string() : std::string(trimmed(found->second));
}

}  // namespace

bool is_pool_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return !name.empty() && name.size() <= kLongest &&
         std::none_of(name.begin(), name.end(), [](char c) {
           return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == ',' || c == '/' ||
                  c == '.';
         });
}

Status check_pool_asked(std::string_view path) {
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    if (!is_pool_name(rest.substr(0, dot))) {
      return Error{ErrorCode::kBadRequest, "'" + std::string(path) + "' names no pool",
                   std::string(kPoolNameAllowed)};
    }
    if (dot == std::string_view::npos) return Ok{};
    rest.remove_prefix(dot + 1);
  }
}

Result<std::string> parse_pool_name(std::string_view text) {
  std::string_view name = trimmed(text);
  if (name.starts_with(kRootPrefix)) name.remove_prefix(kRootPrefix.size());
  const auto refuse = [&](const char* why) {
    return Error{ErrorCode::kBadRequest,
                 "'" + std::string(text.substr(0, kLongestName)) + "' names no pool: " + why,
                 "a pool's name is a path such as `production` or `research.vision`"};
  };
  if (name.empty()) return refuse("it is empty");
  if (name.size() > kLongestName) return refuse("it is longer than 200 characters");
  if (name.front() == '.' || name.back() == '.' || name.find("..") != std::string_view::npos) {
    return refuse("a part of the path is empty");
  }
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), control)) {
    return refuse("it holds a control character");
  }
  return std::string(name);
}

Result<std::string> unnamed_pool_of(const JobSpec& spec, std::string_view queue_path,
                                    const std::string& by) {
  std::string name;
  if (by == "queue") {
    name = queue_path;
  } else if (by == "user") {
    name = one_part(spec.user);
  } else if (by == "group") {
    if (!spec.groups.empty()) name = one_part(spec.groups.front());
  } else {
    name = property(spec, by);
  }
  if (name.empty()) name = kDefaultPool;
  return parse_pool_name(name);
}

bool names_its_pool(const JobSpec& spec, const std::string& by) {
  if (!property(spec, "pool").empty()) return true;
  return by != "queue" && by != "user" && by != "group" && !property(spec, by).empty();
}

Result<std::string> pool_name_of(const JobSpec& spec, std::string_view queue_path,
                                 std::string_view moved_to, const std::string& by) {
  std::string name(moved_to);
  if (name.empty()) name = property(spec, "pool");
  return name.empty() ? unnamed_pool_of(spec, queue_path, by) : parse_pool_name(name);
}

}  // namespace weir
