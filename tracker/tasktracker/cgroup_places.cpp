#include "tracker/tasktracker/cgroup_places.h"

#include <algorithm>
#include <map>

namespace weir::tasktracker {
namespace {

constexpr std::string_view kControllers[] = {"memory", "pids", "cpu"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool names(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The kernel writes blanks in a path as \040, and so on.
std::string unescape(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '7';
    };
    if (text[i] == '\\' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      path += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] -
                                '0');
      i += 3;
    } else {
      path += text[i];
    }
  }
  return path;
}

// A mount of the hierarchy shows what is below `root` of it; a group that is not is seen from
// inside a container, whose own group the mount's top is.
std::string below_mount(const std::string& mount, const std::string& root,
                        const std::string& group) {
  const std::string prefix = root == "/" ? "" : root;
  if (!group.starts_with(prefix)) return mount;
  const std::string rest = group.substr(prefix.size());
  return rest.empty() || rest == "/" || rest[0] != '/' ? mount : mount + rest;
}

struct Mount {
  std::string point, root, options;
};

// "36 35 98:0 /root /point rw,relatime shared:1 - cgroup cgroup rw,memory"
std::vector<Mount> mounts_of(std::string_view mountinfo, std::string_view type) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const auto fields = split(line.substr(0, dash), ' ');
    const auto system = split(line.substr(dash + 3), ' ');
    if (fields.size() < 6 || system.empty() || system[0] != type) continue;
    mounts.push_back({unescape(fields[4]), unescape(fields[3]), std::string(system.back())});
  }
  return mounts;
}

// Controllers -> path, from lines "4:memory:/a/b"; version 2 is "0::/a/b".
std::map<std::string, std::string> groups_of(std::string_view self_cgroup) {
  std::map<std::string, std::string> groups;
  for (const std::string_view line : split(self_cgroup, '\n')) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    groups[std::string(line.substr(first + 1, second - first - 1))] = line.substr(second + 1);
  }
  return groups;
}

}  // namespace

CgroupPlaces cgroup_places(std::string_view self_cgroup, std::string_view mountinfo) {
  CgroupPlaces found;
  const auto groups = groups_of(self_cgroup);
  for (const auto& [list, group] : groups) {
    CgroupPlace place;
    for (const std::string_view controller : kControllers) {
      if (names(list, controller)) place.controllers.emplace_back(controller);
    }
    if (place.controllers.empty()) continue;
    for (const Mount& mount : mounts_of(mountinfo, "cgroup")) {
      if (!names(mount.options, place.controllers[0])) continue;
      place.mount = mount.point;
      place.directory = below_mount(mount.point, mount.root, group);
      found.version = 1;
      found.places.push_back(place);
      break;
    }
  }
  const auto unified = mounts_of(mountinfo, "cgroup2");
  const auto own = groups.find("");
  if (found.version == 1 || unified.empty() || own == groups.end()) return found;
  found.version = 2;
  found.places.push_back(
      {below_mount(unified[0].point, unified[0].root, own->second), unified[0].point, {}});
  return found;
}

}  // namespace weir::tasktracker
