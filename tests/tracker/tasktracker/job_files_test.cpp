#include "tracker/tasktracker/job_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

namespace fs = std::filesystem;

TEST(JobFiles, AreWrittenAsTheyAre) {
  const TempDir dir;
  const std::string bytes("a\0\n", 3);
  const Status done = write_job_files(dir.path(), {{"map.py", bytes, true}, {"-x", "", false}});
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(read_text(dir / "map.py"), bytes);
  EXPECT_TRUE(fs::exists(dir / "-x"));
  EXPECT_EQ(::access((dir / "map.py").c_str(), X_OK), 0);
  EXPECT_NE(::access((dir / "-x").c_str(), X_OK), 0);
}

TEST(JobFiles, NothingLeadsOutOfTheDirectory) {
  const TempDir dir;
  fs::create_directory(dir / "work");
  const std::string work = dir / "work";
  const std::vector<std::string> names = {"../out", "/tmp/x",           ".", "..", "",
                                          "a/b",    std::string("a\0b", 3)};
  for (const std::string& name : names)
    EXPECT_FALSE(write_job_files(work, {{name, "x", false}}).ok()) << name;
  dir.write("precious", "p");
  fs::create_symlink(dir / "precious", work + "/link");
  fs::create_symlink(dir / "fresh", work + "/dangling");
  EXPECT_FALSE(write_job_files(work, {{"link", "x", false}}).ok());
  EXPECT_FALSE(write_job_files(work, {{"dangling", "x", false}}).ok());
  EXPECT_EQ(read_text(dir / "precious"), "p");
  EXPECT_FALSE(fs::exists(dir / "fresh"));
  EXPECT_FALSE(write_job_files(work, {{"twice", "1", false}, {"twice", "2", false}}).ok());
  fs::create_directory_symlink(work, dir / "other");
  EXPECT_FALSE(write_job_files(dir / "other", {{"a", "x", false}}).ok());
}

}  // namespace
}  // namespace weir::tasktracker
