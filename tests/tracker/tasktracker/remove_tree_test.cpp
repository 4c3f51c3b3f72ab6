// Trees as hostile tasks leave them are removed: deep ones with few descriptors, without following
// a link; and what cannot be removed stops no tracker.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tracker/tasktracker/posix.h"
#include "tracker/tasktracker/temp_dir.h"
#include "tracker/tasktracker/tree_size.h"

namespace weir::tasktracker {
namespace {

namespace fs = std::filesystem;

constexpr int kDepth = 20000;
constexpr const char* kLongName = "a-directory-of-a-name-that-makes-the-path-longer-than-any-limit";

// Directories in one another, with a file in each hundredth; no path is as long as it would have
// to be to name the deepest.
void make_deep(const std::string& top, int depth = kDepth) {
  ASSERT_TRUE(make_directories(top).ok());
  UniqueFd at(::open(top.c_str(), O_RDONLY | O_DIRECTORY));
  for (int level = 0; level < depth; ++level) {
    ASSERT_EQ(::mkdirat(at.get(), kLongName, 0700), 0);
    at.reset(::openat(at.get(), kLongName, O_RDONLY | O_DIRECTORY));
    if (level % 100 != 0) continue;
    const UniqueFd file(::openat(at.get(), "file", O_WRONLY | O_CREAT, 0600));
    ASSERT_EQ(::write(file.get(), "x", 1), 1);
  }
}

// Where many directories are made in a moment.
std::string quick_place() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

// The soft limit of open files, for a scope.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{most, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// As two trackers do that are at the same last duty. It happens between any two calls.
TEST(RemoveTree, OneThatSomebodyElseRemovesIsRemoved) {
  TempDir dir(quick_place());
  std::atomic<bool> over = false;
  std::thread other([&] {
    while (!over) ::rmdir((dir / "tree").c_str());
  });
  std::string wrong;
  for (int round = 0; round < 100'000 && wrong.empty(); ++round) {
    ::mkdir((dir / "tree").c_str(), 0700);
    const Status removed = remove_tree(dir / "tree");
    if (!removed) wrong = removed.error().message;
  }
  over = true;
  other.join();
  EXPECT_EQ(wrong, "");
}

TEST(RemoveTree, ADeepTreeTakesFewDescriptors) {
  TempDir dir(quick_place());
  make_deep(dir / "deep");
  const FewDescriptors few(128);
  const TreeSize size = tree_size(dir / "deep");
  EXPECT_EQ(size.entries, kDepth + kDepth / 100);
  EXPECT_TRUE(size.complete);
  const Status removed = remove_tree(dir / "deep");
  EXPECT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_FALSE(fs::exists(fs::symlink_status(dir / "deep")));
}

TEST(RemoveTree, LinksLeadNowhere) {
  TempDir dir;
  fs::create_directories(dir / "tree/sub");
  fs::create_directory(dir / "precious");
  dir.write("precious/file", "kept");
  fs::create_directory_symlink(dir / "precious", dir / "tree/sub/link");
  fs::create_directory_symlink(dir / "precious", dir / "link");
  EXPECT_TRUE(remove_tree(dir / "tree").ok());
  EXPECT_TRUE(remove_tree(dir / "link").ok());
  EXPECT_EQ(read_text(dir / "precious/file"), "kept");
  EXPECT_FALSE(fs::exists(dir / "tree"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(dir / "link")));
}

TEST(RemoveTree, AFileAPipeAndNothing) {
  TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(remove_tree(dir / "pipe").ok());
  EXPECT_TRUE(remove_tree(dir.write("file", "x")).ok());
  EXPECT_TRUE(remove_tree(dir / "nothing").ok());
  EXPECT_TRUE(remove_tree(dir / "nothing/at/all").ok());
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

// Also of whoever is not root: the owner of a directory may open it up again.
TEST(RemoveTree, DirectoriesThatWereClosed) {
  TempDir dir;
  fs::create_directories(dir / "tree/a/b/c");
  dir.write("tree/a/b/c/file", "x");
  for (const char* closed : {"tree/a/b/c", "tree/a/b", "tree/a", "tree"})
    fs::permissions(dir / closed, fs::perms::none);
  const Status removed = remove_tree(dir / "tree");
  EXPECT_TRUE(removed.ok()) << removed.error().message;
  EXPECT_FALSE(fs::exists(dir / "tree"));
}

TEST(RemoveTree, AWideTree) {
  TempDir dir(quick_place());
  for (int i = 0; i < 50; ++i) {
    make_deep(dir / ("tree/" + std::to_string(i)), 40);
    dir.write("tree/file" + std::to_string(i), "x");
  }
  EXPECT_TRUE(remove_tree(dir / "tree").ok());
  EXPECT_FALSE(fs::exists(dir / "tree"));
}

TEST(TreeSize, CountsBlocksOfWhatIsThere) {
  TempDir dir;
  EXPECT_EQ(tree_size(dir / "nothing").bytes, 0);
  fs::create_directories(dir / "tree/a/b");
  const std::int64_t before = tree_size(dir / "tree").bytes;
  dir.write("tree/a/b/file", std::string(1 << 20, 'x'));
  dir.write("elsewhere", std::string(1 << 20, 'x'));
  fs::create_symlink(dir / "elsewhere", dir / "tree/link");
  fs::create_directory_symlink(dir.path(), dir / "tree/up");
  const TreeSize size = tree_size(dir / "tree");
  EXPECT_GE(size.bytes - before, 1 << 20);
  EXPECT_LT(size.bytes - before, (1 << 20) + 65536);
  EXPECT_EQ(size.entries, 5);
  EXPECT_TRUE(size.complete);
  EXPECT_FALSE(tree_size(dir / "tree", 3).complete);
}

}  // namespace
}  // namespace weir::tasktracker
