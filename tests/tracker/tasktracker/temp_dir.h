// A directory of a test's own, removed with it; and files in it.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace weir::tasktracker {

class TempDir {
 public:
  explicit TempDir(const std::string& parent = "/tmp") : path_(parent + "/weir_test_XXXXXX") {
    (void)!::mkdtemp(path_.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

// What there is to read: of a process in /proc that ends meanwhile nothing.
inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char part[4096];
  while (file.read(part, sizeof part), file.gcount() > 0)
    text.append(part, static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace weir::tasktracker
