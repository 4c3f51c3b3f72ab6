// Outputs belong to the job that took them, whatever path leads to them.
#include "tracker/tasktracker/job_output.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <thread>

#include "tracker/tasktracker/task_output.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kMe = "job_0007 1763881200000";
constexpr const char* kOther = "job_0008 1763881200000";

// POSIX's, with something that happens before each step.
class WatchedDirectory final : public Directory {
 public:
  using Step = std::function<void()>;
  WatchedDirectory(DirectoryPtr real, Step& step)
      : Directory(real->path()), real_(std::move(real)), step_(step) {}
  Result<DirectoryPtr> open(const std::string& name) override {
    return watched(at().open(name), step_);
  }
  Result<UniqueFd> create_file(const std::string& name) override { return at().create_file(name); }
  Status make_directory(const std::string& name) override { return at().make_directory(name); }
  Status write_small(const std::string& name, const UniqueFd& fd, std::string_view text) override {
    return at().write_small(name, fd, text);
  }
  std::string read_small(const std::string& name) override { return at().read_small(name); }
  Status sync_file(const std::string& name, const UniqueFd& fd) override {
    return at().sync_file(name, fd);
  }
  Status sync(const std::string& name) override { return at().sync(name); }
  Result<bool> publish(const std::string& from, const std::string& to) override {
    return at().publish(from, to);
  }
  Result<bool> rename_directory(const std::string& from, const std::string& to) override {
    return at().rename_directory(from, to);
  }
  std::optional<Info> info(const std::string& name) override { return at().info(name); }
  std::vector<std::string> list(const std::string& name) override { return at().list(name); }
  Status remove_tree(const std::string& name) override { return at().remove_tree(name); }
  Status remove_file(const std::string& name) override { return at().remove_file(name); }
  Result<bool> remove_directory(const std::string& name) override {
    return at().remove_directory(name);
  }

  static Result<DirectoryPtr> watched(Result<DirectoryPtr> found, Step& step) {
    if (!found || *found == nullptr) return found;
    return DirectoryPtr(new WatchedDirectory(std::move(*found), step));
  }

 private:
  Directory& at() {
    step_();
    return *real_;
  }
  DirectoryPtr real_;
  Step& step_;
};

class WatchedFiles final : public FileSystem {
 public:
  explicit WatchedFiles(std::function<void()> step) : step_(std::move(step)) {}
  Result<DirectoryPtr> open(const std::string& path) override {
    step_();
    return WatchedDirectory::watched(posix_files().open(path), step_);
  }

 private:
  std::function<void()> step_;
};

class JobOutputs : public testing::Test {
 protected:
  TaskSpec spec(std::uint32_t task, std::uint32_t attempt = 0, const char* owner = kMe) const {
    TaskSpec spec;
    spec.id = {{JobId(owner == kMe ? 7 : 8), TaskKind::kReduce, task}, attempt};
    spec.output = out_;
    spec.owner = owner;
    return spec;
  }
  // As an attempt does it, up to its commit.
  TaskOutput written(std::uint32_t task, std::uint32_t attempt = 0) {
    auto output = TaskOutput::create(spec(task, attempt));
    EXPECT_TRUE(output.ok()) << output.error().message;
    EXPECT_TRUE(write_all(output->fd(), "mine", "").ok());
    return std::move(*output);
  }
  void publish(std::uint32_t task) { EXPECT_TRUE(written(task).commit().ok()); }
  std::vector<std::string> names(const std::string& below = "") const {
    std::vector<std::string> all;
    const std::string folder = below.empty() ? dir_.path() : dir_ / below;
    for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  TempDir dir_;
  std::string out_ = dir_ / "out";
  JobOutput mine_{out_, kMe};
};

TEST_F(JobOutputs, OneThatExistedFailsTheJobAndIsUntouched) {
  fs::create_directories(out_ + "/_temporary");  // as another's that runs, and as one by hand
  dir_.write("out/_SUCCESS", "");
  dir_.write("out/part-00000", "theirs");
  const auto before = names("out");
  const auto made = TaskOutput::create(spec(0));
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("out: exists and was not made by this job"));
  EXPECT_FALSE(complete_job_output(mine_, 2).ok());
  EXPECT_TRUE(abort_job_output(mine_, 1).ok());
  remove_late_output(mine_);
  remove_unpublished(mine_, spec(0).id);
  EXPECT_EQ(names("out"), before);
  EXPECT_EQ(read_text(out_ + "/part-00000"), "theirs");
}

// The first tasks of a job start at one moment, on several trackers.
TEST_F(JobOutputs, TasksThatTakeThePlaceAtOnceAllHaveIt) {
  constexpr int kRounds = 100, kTasks = 8;
  for (int round = 0; round < kRounds; ++round) {
    const JobOutput output{dir_ / ("out" + std::to_string(round)), kMe};
    std::vector<std::string> wrong(kTasks);
    std::barrier start(kTasks);
    std::vector<std::thread> tasks;
    for (int task = 0; task < kTasks; ++task) {
      tasks.emplace_back([&, task] {
        start.arrive_and_wait();
        const Status kept = keep_output_place(output, std::to_string(task), posix_files());
        if (!kept) wrong[static_cast<std::size_t>(task)] = kept.error().message;
      });
    }
    for (std::thread& task : tasks) task.join();
    for (const std::string& each : wrong) ASSERT_EQ(each, "") << "round " << round;
  }
}

TEST_F(JobOutputs, AnEmptyOneThatExistedIsUntouchedToo) {
  fs::create_directory(out_);
  EXPECT_FALSE(TaskOutput::create(spec(0)).ok());
  EXPECT_TRUE(abort_job_output(mine_, 1).ok());
  EXPECT_THAT(names(), ElementsAre("out"));
}

// By a link, or by the other of two names that a file system has for it.
TEST_F(JobOutputs, AnothersThroughALinkIsUntouched) {
  publish(0);
  ASSERT_EQ(::symlink(out_.c_str(), (dir_ / "link").c_str()), 0);
  const JobOutput theirs{dir_ / "link", kOther};
  TaskSpec other = spec(0, 0, kOther);
  other.output = theirs.path;
  EXPECT_FALSE(TaskOutput::create(other).ok());
  EXPECT_TRUE(abort_job_output(theirs, 1).ok());
  EXPECT_THAT(names("out"), ElementsAre("_owner", "_temporary", "part-00000"));
  EXPECT_TRUE(complete_job_output(mine_, 2).ok());
  EXPECT_TRUE(abort_job_output(theirs, 1).ok());
  EXPECT_THAT(names("out"), ElementsAre("_SUCCESS", "part-00000"));
}

TEST_F(JobOutputs, ACopyIsNotTheJobs) {
  publish(0);
  fs::copy(out_, dir_ / "copy", fs::copy_options::recursive);
  EXPECT_TRUE(abort_job_output({dir_ / "copy", kMe}, 1).ok());
  EXPECT_THAT(names("copy"), ElementsAre("_owner", "_temporary", "part-00000"));
}

TEST_F(JobOutputs, AKilledJobLeavesNothing) {
  publish(0);
  publish(1);
  const TaskOutput unpublished = written(2);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(abort_job_output(mine_, 3).ok());
  EXPECT_THAT(names(), IsEmpty());
}

// A kill overtook the publishing.
TEST_F(JobOutputs, NorDoesOneThatHadSucceededWhenItWasKilled) {
  publish(0);
  publish(1);
  ASSERT_TRUE(complete_job_output(mine_, 2).ok());
  EXPECT_TRUE(abort_job_output(mine_, 2).ok());
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(JobOutputs, WhatOthersPutThereStays) {
  publish(0);
  dir_.write("out/notes", "by hand");
  dir_.write("out/part-00001", "by hand");
  dir_.write("out/_SUCCESS", "job_0099 1\n");
  EXPECT_TRUE(abort_job_output(mine_, 2).ok());
  EXPECT_THAT(names("out"), ElementsAre("_SUCCESS", "notes", "part-00001"));
}

TEST_F(JobOutputs, TheLastStepIsIdempotent) {
  publish(0);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(complete_job_output(mine_, 2).ok());
  EXPECT_THAT(names("out"), ElementsAre("_SUCCESS", "part-00000"));
  EXPECT_EQ(read_text(out_ + "/_SUCCESS"), std::string(kMe) + "\n");
  EXPECT_THAT(names(), ElementsAre("out"));
}

// The duty of a tracker that had hung for long is another's meanwhile, and both go on; or the first
// one dies then.
TEST_F(JobOutputs, TheLastStepIsDoneByTwoAtOnce) {
  struct Died {};
  for (const std::uint32_t parts : {0u, 1u}) {
    for (const bool dies : {false, true}) {
      int steps = 1;
      for (int other_at = 0; other_at < steps; ++other_at) {
        SCOPED_TRACE(testing::Message() << parts << " " << dies << " before step " << other_at);
        fs::remove_all(out_);
        if (parts > 0) publish(0);
        steps = 0;
        WatchedFiles files([&] {
          if (dies && steps == other_at + 1) throw Died();
          if (steps++ == other_at) EXPECT_TRUE(complete_job_output(mine_, 2 * parts).ok());
        });
        try {
          const Status done = complete_job_output(mine_, 2 * parts, files);
          EXPECT_TRUE(done.ok()) << done.error().message;
        } catch (const Died&) {
          steps = other_at + 2;
        }
        EXPECT_EQ(read_text(out_ + "/_SUCCESS"), std::string(kMe) + "\n");
        if (!dies) {
          EXPECT_EQ(names("out").size(), 1 + parts);
          EXPECT_THAT(names(), ElementsAre("out"));
        }
        ASSERT_FALSE(HasFailure());
      }
      EXPECT_GT(steps, 10);
    }
  }
}

// A task may have made it.
TEST_F(JobOutputs, ASuccessThatSaysNothingIsReplaced) {
  publish(0);
  dir_.write("out/_SUCCESS", "");
  EXPECT_TRUE(complete_job_output(mine_, 2).ok());
  EXPECT_EQ(read_text(out_ + "/_SUCCESS"), std::string(kMe) + "\n");
  EXPECT_THAT(names("out"), ElementsAre("_SUCCESS", "part-00000"));
}

TEST_F(JobOutputs, AJobWithoutOutputIsMarkedToo) {
  EXPECT_TRUE(complete_job_output(mine_, 0).ok());
  EXPECT_THAT(names("out"), ElementsAre("_SUCCESS"));
}

// What is cut off anywhere is gone on with: as a file system looks at each of these points.
TEST_F(JobOutputs, AnEndThatWasCutOffIsGoneOnWith) {
  publish(0);
  fs::remove(out_ + "/_temporary/attempt_0007_r_000000_0.part-00000");
  dir_.write("out/_SUCCESS", std::string(kMe) + "\n");
  EXPECT_TRUE(complete_job_output(mine_, 2).ok());
  EXPECT_THAT(names("out"), ElementsAre("_SUCCESS", "part-00000"));
  ASSERT_TRUE(TaskOutput::create(spec(0, 1)).ok());  // a store that was restored from a copy
  EXPECT_TRUE(abort_job_output(mine_, 1).ok());
  EXPECT_THAT(names(), IsEmpty());
  fs::create_directories(dir_ / ".weir-job_0007-1763881200000-ended");
  fs::create_directories(dir_ / ".weir-job_0007-1763881200000");
  EXPECT_TRUE(abort_job_output(mine_, 1).ok());
  EXPECT_THAT(names(), IsEmpty());
}

// A store that was restored from a copy may know a job as running that has ended since.
TEST_F(JobOutputs, WhatThisVeryJobHadCompletedIsKept) {
  fs::create_directory(out_);
  dir_.write("out/part-00003", "of its earlier life");
  dir_.write("out/_SUCCESS", std::string(kMe) + "0\n");  // of its number, but another job
  EXPECT_FALSE(TaskOutput::create(spec(3)).ok());
  dir_.write("out/_SUCCESS", std::string(kMe) + "\n");
  auto mine = TaskOutput::create(spec(3));
  ASSERT_TRUE(mine.ok());
  EXPECT_EQ(*mine->commit(), "output had been published by this job, which had succeeded");
  EXPECT_EQ(read_text(out_ + "/part-00003"), "of its earlier life");
  EXPECT_TRUE(complete_job_output(mine_, 2).ok());
  fs::remove(out_ + "/_SUCCESS");
  fs::create_symlink(out_ + "/mark", out_ + "/_SUCCESS");
  dir_.write("out/mark", std::string(kMe) + "\n");
  EXPECT_FALSE(TaskOutput::create(spec(3)).ok());  // a link is no mark
}

// The directory that an attempt's commands have beside the output: an earlier one's, if that is
// empty.
TEST_F(JobOutputs, AnEmptyDirectoryAsideIsHandedOn) {
  const auto place = [&](std::uint32_t task) {
    return out_ + "/_temporary/" + attempt_name(spec(task).id);
  };
  const auto inode = [](const std::string& path) {
    struct stat there {};
    return ::lstat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode) ? there.st_ino : 0;
  };
  const auto follow = [&](std::uint32_t task) {
    TaskSpec next = spec(task);
    next.spare_output_dir = attempt_name(spec(task - 1).id);
    return TaskOutput::create(next).ok();
  };
  publish(0);
  const ino_t made = inode(place(0));
  ASSERT_TRUE(follow(1));
  EXPECT_EQ(inode(place(1)), made);
  EXPECT_FALSE(fs::exists(place(0)));
  dir_.write("out/_temporary/attempt_0007_r_000001_0/left", "");
  ASSERT_TRUE(follow(2));
  EXPECT_TRUE(fs::is_empty(place(2)));
  // Nor does a link lead elsewhere that was put there instead.
  fs::remove(place(2));
  fs::create_directory_symlink(dir_.path(), place(2));
  ASSERT_TRUE(follow(3));
  EXPECT_NE(inode(place(3)), 0u);
  EXPECT_TRUE(fs::exists(dir_ / "out"));
  fs::remove(place(3));
  ASSERT_TRUE(follow(4));  // there is none
  EXPECT_NE(inode(place(4)), 0u);
  EXPECT_TRUE(abort_job_output(mine_, 5).ok());
  EXPECT_THAT(names(), IsEmpty());
}

// An attempt that was killed may have published before: what shows whose that is stays.
TEST_F(JobOutputs, TheLinkToWhatIsPublishedStays) {
  TaskOutput published = written(0), unpublished = written(1);
  ASSERT_TRUE(published.commit().ok());
  for (const std::uint32_t task : {0, 1}) remove_unpublished(mine_, spec(task).id);
  EXPECT_THAT(names("out/_temporary"), ElementsAre("attempt_0007_r_000000_0.part-00000"));
  EXPECT_EQ(*written(0, 1).commit(), "output had been published by attempt_0007_r_000000_0");
}

// The job of another cluster with the same number has other attempts of these names.
TEST_F(JobOutputs, OnlyItsOwnAttemptsAreCleanedUpAfter) {
  const TaskOutput running = written(0);
  const JobOutput theirs{out_, "job_0007 1"};
  remove_unpublished(theirs, spec(0).id);
  remove_late_output(theirs);
  EXPECT_TRUE(fs::exists(running.path()));
  remove_unpublished(mine_, spec(0).id);
  EXPECT_FALSE(fs::exists(running.path()));
}

// A tracker that had hung for long comes to its duty when the job has been killed.
TEST_F(JobOutputs, NothingIsCompletedThatIsGone) {
  publish(0);
  EXPECT_TRUE(abort_job_output(mine_, 1).ok());
  EXPECT_FALSE(complete_job_output(mine_, 1).ok());
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(JobOutputs, ALateAttemptOfAKilledJobLeavesNothing) {
  publish(0);
  EXPECT_TRUE(abort_job_output(mine_, 1).ok());
  const TaskOutput late = written(1);
  remove_late_output(mine_);
  EXPECT_THAT(names(), IsEmpty());
}

// Its tracker drops the job before the last duty, which is to know what was published.
TEST_F(JobOutputs, AnEarlyDropTakesNothingFromTheEnd) {
  publish(0);
  remove_late_output(mine_);
  EXPECT_TRUE(abort_job_output(mine_, 1).ok());
  EXPECT_THAT(names(), IsEmpty());
}

// Links that a task makes below its job's output lead nobody elsewhere.
TEST_F(JobOutputs, LinksBelowItLeadNowhere) {
  fs::create_directory(dir_ / "victim");
  dir_.write("victim/precious", "");
  publish(0);
  fs::remove_all(out_ + "/_temporary");
  ASSERT_EQ(::symlink((dir_ / "victim").c_str(), (out_ + "/_temporary").c_str()), 0);
  EXPECT_FALSE(TaskOutput::create(spec(1)).ok());
  EXPECT_TRUE(complete_job_output(mine_, 2).ok());
  EXPECT_THAT(names("victim"), ElementsAre("precious"));
  EXPECT_THAT(names("out"), ElementsAre("_SUCCESS", "part-00000"));
}

// What is at its path by the time is another directory.
TEST_F(JobOutputs, WhatWasOpenedStaysWhatIsWrittenTo) {
  TaskOutput output = written(0);
  fs::rename(out_, dir_ / "moved");
  fs::create_directory(out_);
  EXPECT_TRUE(output.commit().ok());
  EXPECT_THAT(names("out"), IsEmpty());
  EXPECT_TRUE(fs::exists(dir_ / "moved/part-00000"));
}

}  // namespace
}  // namespace weir::tasktracker
