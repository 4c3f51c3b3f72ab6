#include "lab/faults/virtual_files.h"

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

VirtualFiles::NodePtr VirtualFiles::find(NodePtr at, const std::string& path) {
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    if (end > from) {
      const auto found = at->names.find(path.substr(from, end - from));
      if (found == at->names.end()) return nullptr;
      at = found->second;
    }
    from = end + 1;
  }
  return at;
}

std::vector<std::string> VirtualFiles::list(const std::string& directory) const {
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

// Held by its node: what has its path meanwhile is another. Nothing is made in one that is removed.
class VirtualFiles::OpenDirectory final : public tasktracker::Directory {
 public:
  OpenDirectory(VirtualFiles& files, NodePtr node, std::string path)
      : Directory(std::move(path)), files_(files), node_(std::move(node)) {}

  Result<tasktracker::DirectoryPtr> open(const std::string& name) override {
    NodePtr found = find(node_, name);
    if (found == nullptr) return tasktracker::DirectoryPtr();
    return tasktracker::DirectoryPtr(
        new OpenDirectory(files_, std::move(found), path_of(name)));
  }

  Result<UniqueFd> create_file(const std::string& name) override {
    const auto [parent, leaf] = place(name);
    if (parent == nullptr) return absent(path_of(name));
    auto& file = parent->names[leaf];
    if (file != nullptr) --file->links;
    file = files_.made(false);
    return UniqueFd();
  }

  Status write_small(const std::string& name, const UniqueFd&, std::string_view text) override {
    if (const NodePtr file = find(node_, name)) file->content = text;
    return Ok{};
  }

  std::string read_small(const std::string& name) override {
    const NodePtr file = find(node_, name);
    return file == nullptr ? "" : file->content;
  }

  Status make_directory(const std::string& name) override {
    const auto [parent, leaf] = place(name);
    if (parent == nullptr) return absent(path_of(name));
    auto& directory = parent->names[leaf];
    if (directory == nullptr) directory = files_.made(true);
    return Ok{};
  }

  // One that was removed meanwhile is synced as any that is open.
  Status sync_file(const std::string& name, const UniqueFd&) override {
    const NodePtr file = find(node_, name);
    if (file && files_.syncs_files) file->durable_content = file->content;
    return Ok{};
  }

  Status sync(const std::string& name) override {
    const NodePtr directory = find(node_, name);
    if (directory == nullptr) return absent(path_of(name));
    if (files_.syncs_directories) directory->durable_names = directory->names;
    return Ok{};
  }

  Result<bool> publish(const std::string& from, const std::string& to) override {
    const NodePtr file = find(node_, from);
    const auto [parent, leaf] = place(to);
    if (file == nullptr || parent == nullptr) return absent(path_of(from));
    if (!parent->names.try_emplace(leaf, file).second) return false;
    ++file->links;
    if (files_.on_published) files_.on_published(path_of(to), file->content);
    return true;
  }

  // One step of the file system's own log: for good with the old name, if that was.
  Result<bool> rename_directory(const std::string& from, const std::string& to) override {
    const auto [old_parent, old_leaf] = place(from);
    const auto [parent, leaf] = place(to);
    const NodePtr directory = find(node_, from);
    if (directory == nullptr || parent == nullptr) return absent(path_of(from));
    if (!parent->names.try_emplace(leaf, directory).second) return false;
    old_parent->names.erase(old_leaf);
    const auto durable = old_parent->durable_names.find(old_leaf);
    if (durable != old_parent->durable_names.end() && durable->second == directory) {
      old_parent->durable_names.erase(durable);
      parent->durable_names[leaf] = directory;
    }
    return true;
  }

  std::optional<Info> info(const std::string& name) override {
    const NodePtr node = find(node_, name);
    if (node == nullptr) return std::nullopt;
    return Info{{1, node->number}, node->links};
  }

  std::vector<std::string> list(const std::string& name) override {
    std::vector<std::string> names;
    if (const NodePtr node = find(node_, name)) {
      for (const auto& [each, unused] : node->names) names.push_back(each);
    }
    return names;
  }

  Status remove_tree(const std::string& name) override {
    const auto [parent, leaf] = place(name);
    const NodePtr node = find(node_, name);
    if (node == nullptr) return Ok{};
    if (node->directory) empty(*node);
    --node->links;
    parent->names.erase(leaf);
    return Ok{};
  }

  Status remove_file(const std::string& name) override { return remove_tree(name); }

  Result<bool> remove_directory(const std::string& name) override {
    const NodePtr node = find(node_, name);
    if (node != nullptr && !node->names.empty()) return false;
    if (auto removed = remove_tree(name); !removed) return removed.error();
    return true;
  }

 private:
  // The directory that a name's last part is in, if it is still anywhere, and that part.
  std::pair<NodePtr, std::string> place(const std::string& name) const {
    const std::size_t slash = name.rfind('/');
    NodePtr holder = slash == std::string::npos ? node_ : find(node_, name.substr(0, slash));
    if (holder != nullptr && holder->links == 0) holder = nullptr;
    return {holder, name.substr(slash == std::string::npos ? 0 : slash + 1)};
  }

  VirtualFiles& files_;
  NodePtr node_;
};

Result<tasktracker::DirectoryPtr> VirtualFiles::open(const std::string& path) {
  NodePtr found = find(path);
  if (found == nullptr) return tasktracker::DirectoryPtr();
  return tasktracker::DirectoryPtr(new OpenDirectory(*this, std::move(found), path));
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
