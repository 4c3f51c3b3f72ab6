// The file system that all trackers share, in memory, as far as jobs write to it: the trackers' own
// publishing (task_output.h) works on it. It forgets at a power cut what was not synced: contents
// of files, and names in directories, each by itself. A file's content is a line, written at once.
// One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tracker/tasktracker/file_system.h"

namespace weir::faults {

class VirtualFiles final : public tasktracker::FileSystem {
 public:
  Result<tasktracker::DirectoryPtr> open(const std::string& path) override;

  // Nothing, if the file is not there (any more).
  void write(const std::string& path, std::string content);
  // Empty: not there.
  std::string read(const std::string& path) const;
  bool contains(const std::string& path) const { return find(path) != nullptr; }
  std::vector<std::string> list(const std::string& directory) const;

  // Of each content and name that was not synced: whether it is kept all the same.
  void lose_power(const std::function<bool()>& keeps);

  // Is told of each name that publish() gives.
  std::function<void(const std::string& path, const std::string& content)> on_published;
  // Planted errors: what is synced is not.
  bool syncs_files = true;
  bool syncs_directories = true;

 private:
  struct Node {
    std::uint64_t number = 0;
    std::uint64_t links = 1;
    bool directory = false;
    std::string content, durable_content;
    std::map<std::string, std::shared_ptr<Node>> names, durable_names;
  };
  using NodePtr = std::shared_ptr<Node>;

  class OpenDirectory;

  // Below a directory, and from the root.
  static NodePtr find(NodePtr at, const std::string& path);
  NodePtr find(const std::string& path) const { return find(root_, path); }
  NodePtr made(bool directory);
  static void empty(Node& directory);
  static void lose(Node& node, const std::function<bool()>& keeps);
  static void count_links(Node& node);

  std::uint64_t numbers_ = 0;
  NodePtr root_ = made(true);
};

}  // namespace weir::faults
