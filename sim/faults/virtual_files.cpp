#include "sim/faults/virtual_files.h"

#include <set>
#include <utility>

namespace weir::faults {
namespace {

using tasktracker::UniqueFd;

Error absent(const std::string& path) {
  return tasktracker::data_error(path + ": No such file or directory");
}

}  // namespace

VirtualFiles::NodePtr VirtualFiles::made(bool directory) {
  auto node = std::make_shared<Node>();
  node->number = ++numbers_;
  node->directory = directory;
  return node;
}

VirtualFiles::NodePtr VirtualFiles::find(const std::string& path) const {
  NodePtr at = root_;
  for (std::size_t from = 1; from < path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    const auto found = at->names.find(path.substr(from, end - from));
    if (found == at->names.end()) return nullptr;
    at = found->second;
    from = end + 1;
  }
  return at;
}

std::pair<VirtualFiles::NodePtr, std::string> VirtualFiles::place(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  return {find(path.substr(0, slash)), path.substr(slash + 1)};
}

Result<UniqueFd> VirtualFiles::create_file(const std::string& path) {
  const auto [parent, name] = place(path);
  if (parent == nullptr) return absent(path);
  auto& file = parent->names[name];
  if (file == nullptr) file = made(false);
  file->content.clear();
  return UniqueFd();
}

Status VirtualFiles::write_small(const std::string& path, const UniqueFd&, std::string_view text) {
  write(path, std::string(text));
  return Ok{};
}

Status VirtualFiles::make_directory(const std::string& path) {
  const auto [parent, name] = place(path);
  if (parent == nullptr) return absent(path);
  auto& directory = parent->names[name];
  if (directory == nullptr) directory = made(true);
  return Ok{};
}

// One that was removed meanwhile is synced as any that is open.
Status VirtualFiles::sync_file(const std::string& path, const UniqueFd&) {
  if (const NodePtr file = find(path); file && syncs_files) file->durable_content = file->content;
  return Ok{};
}

Status VirtualFiles::sync_directory(const std::string& path) {
  const NodePtr directory = find(path);
  if (directory == nullptr) return absent(path);
  if (syncs_directories) directory->durable_names = directory->names;
  return Ok{};
}

Result<bool> VirtualFiles::publish(const std::string& from, const std::string& to) {
  const NodePtr file = find(from);
  const auto [parent, name] = place(to);
  if (file == nullptr || parent == nullptr) return absent(from);
  if (!parent->names.try_emplace(name, file).second) return false;
  ++file->links;
  if (on_published) on_published(to, file->content);
  return true;
}

std::optional<VirtualFiles::Info> VirtualFiles::info(const std::string& path) {
  const NodePtr node = find(path);
  if (node == nullptr) return std::nullopt;
  return Info{{1, node->number}, node->links};
}

std::vector<std::string> VirtualFiles::list(const std::string& directory) {
  std::vector<std::string> names;
  if (const NodePtr node = find(directory)) {
    for (const auto& [name, unused] : node->names) names.push_back(name);
  }
  return names;
}

void VirtualFiles::empty(Node& directory) {
  for (const auto& [name, node] : directory.names) {
    if (node->directory) empty(*node);
    --node->links;
  }
  directory.names.clear();
}

Status VirtualFiles::remove_tree(const std::string& path) {
  const auto [parent, name] = place(path);
  const NodePtr node = find(path);
  if (node == nullptr) return Ok{};
  if (node->directory) empty(*node);
  --node->links;
  parent->names.erase(name);
  return Ok{};
}

Status VirtualFiles::remove_file(const std::string& path) {
  return remove_tree(path);
}

Result<bool> VirtualFiles::remove_directory(const std::string& path) {
  const NodePtr node = find(path);
  if (node != nullptr && !node->names.empty()) return false;
  if (auto removed = remove_tree(path); !removed) return removed.error();
  return true;
}

void VirtualFiles::write(const std::string& path, std::string content) {
  if (const NodePtr file = find(path)) file->content = std::move(content);
}

std::string VirtualFiles::read(const std::string& path) const {
  const NodePtr file = find(path);
  return file == nullptr ? "" : file->content;
}

// --- Power cuts ---

void VirtualFiles::lose(Node& node, const std::function<bool()>& keeps) {
  if (node.content != node.durable_content && keeps()) node.durable_content = node.content;
  node.content = node.durable_content;
  std::set<std::string> all;
  for (const auto& [name, unused] : node.names) all.insert(name);
  for (const auto& [name, unused] : node.durable_names) all.insert(name);
  for (const std::string& name : all) {
    const auto now = node.names.find(name);
    const auto synced = node.durable_names.find(name);
    const bool same = now != node.names.end() && synced != node.durable_names.end() &&
                      now->second == synced->second;
    if (same || !keeps()) continue;
    if (now == node.names.end()) {
      node.durable_names.erase(name);
    } else {
      node.durable_names[name] = now->second;
    }
  }
  node.names = node.durable_names;
  for (const auto& [name, child] : node.names) {
    child->links = 0;
    lose(*child, keeps);
  }
}

void VirtualFiles::count_links(Node& node) {
  for (const auto& [name, child] : node.names) {
    ++child->links;
    count_links(*child);
  }
}

void VirtualFiles::lose_power(const std::function<bool()>& keeps) {
  lose(*root_, keeps);
  count_links(*root_);
}

}  // namespace weir::faults
