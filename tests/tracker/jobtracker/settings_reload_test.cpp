// The settings file and its allocations file while the JobTracker runs: an edit of either is in
// force a little later, or refused whole, and then the error stays to be seen until it is mended.
#include "tracker/jobtracker/settings_reload.h"

#include <gmock/gmock.h>

#include <fstream>

#include "fair/fair_settings.h"
#include "harness.h"
#include "tracker/jobtracker/settings_file.h"

namespace weir {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kSettings =
    "policy: fifo\nadministrators: [root]\nlisten: {thrift: '127.0.0.1:0'}\n"
    "queues:\n  - {name: default, guaranteed: 60%}\n  - {name: small, guaranteed: 40%}\n"
    "fair: {allocations: fair.yaml}\n";

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

class SettingsReloadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("fair.yaml", "pools: [{name: a, weight: 2}]\n");
    write("weir.yaml", kSettings);
    tracker_ = start_tracker(memory_store());
    const auto connection = connect(tracker_->client_port());
    admin_ = std::make_unique<AdminCalls>(connection->client<wire::AdminServiceClient>("admin"));
    reload_ = std::make_unique<SettingsReload>(*tracker_, dir_.file("weir.yaml"), "");
    look();
  }

  void write(const std::string& name, const std::string& text) const {
    write_text(dir_.file(name), text);
  }

  // Sees the change, and that it has come to rest.
  void look() {
    reload_->look();
    reload_->look();
  }

  std::shared_ptr<const Settings> settings() { return tracker_->loop().views().latest()->settings; }
  std::int64_t weight() {
    const auto in_force = settings();
    const auto found = in_force->policies.find("fair");
    if (found == in_force->policies.end()) return 0;
    const auto& fair = dynamic_cast<const FairSettings&>(*found->second);
    return fair.pools.empty() ? 0 : fair.pools.front().weight / kWeightOne;
  }

  // What `weir policy show` tells.
  std::vector<std::string> notices() {
    return admin_->call([](auto& c) {
      wire::PolicyInfo info;
      c.policy(info);
      return info.notices;
    });
  }

  static std::string kept(const std::string& hours, const std::string& source) {
    return std::string(kSettings) + "history: {keep: " + hours + "}\nconf: {source: " + source +
           "}\n";
  }
  // As `weir conf apply` does.
  std::string applied(const std::string& text) {
    wire::Caller root;
    root.user = "root";
    wire::SettingsFile file;
    file.name = "other.yaml";
    const AllocationsFile pools{"fair.yaml", "pools: [{name: a, weight: 2}]\n", ""};
    file.text = SettingsText{text, pools}.joined();
    try {
      admin_->call([&](auto& c) {
        wire::Done done;
        c.apply_settings(done, root, file);
        return done;
      });
    } catch (const wire::WeirError& error) {
      return error.message;
    }
    return "applied";
  }
  wire::FollowedFile followed() {
    return admin_->call([](auto& c) {
      wire::FollowedFile file;
      c.followed_file(file);
      return file;
    });
  }
  DurationMs kept_hours() { return settings()->history.keep_ms / 3'600'000; }

  // The engine answers on its own thread.
  template <class Condition>
  bool soon(Condition condition) {
    for (int i = 0; i < 2000 && !condition(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return condition();
  }

  TempDir dir_;
  std::unique_ptr<JobTracker> tracker_;
  std::unique_ptr<AdminCalls> admin_;
  std::unique_ptr<SettingsReload> reload_;
};

TEST_F(SettingsReloadTest, AnEditOfTheAllocationsFileIsApplied) {
  ASSERT_TRUE(soon([&] { return weight() == 2; }));
  write("fair.yaml", "pools: [{name: a, weight: 35}]\n");
  look();
  EXPECT_TRUE(soon([&] { return weight() == 35; }));
  EXPECT_THAT(settings()->text, HasSubstr("weight: 35"));
}

TEST_F(SettingsReloadTest, AWrongOneIsRefusedWholeAndTheErrorStaysUntilItIsMended) {
  ASSERT_TRUE(soon([&] { return weight() == 2; }));
  write("fair.yaml", "pools:\n  - {name: a, weight: 7}\n  - {name: b, wieght: 1}\n");
  look();
  const auto told = [&] {
    return ::testing::Value(
        notices(), Contains(HasSubstr(dir_.file("fair.yaml") + ":3:15: unknown "
                                                               "key \"wieght\" in pools.b")));
  };
  EXPECT_TRUE(told());
  look();
  EXPECT_TRUE(told());
  EXPECT_EQ(weight(), 2);
  write("fair.yaml", "pools: [{name: a, weight: 7}, {name: b}]\n");
  look();
  EXPECT_TRUE(soon([&] { return weight() == 7; }));
  EXPECT_TRUE(soon([&] { return notices().empty(); }));
}

// An editor's half of a file, for example.
TEST_F(SettingsReloadTest, AFileWithoutQueuesDropsNone) {
  write("weir.yaml", "policy: fifo\nadministrators: [root]\n");
  look();
  ASSERT_TRUE(soon([&] { return !notices().empty(); }));
  EXPECT_THAT(notices(), ::testing::Contains(::testing::HasSubstr("has no `queues`")));
  EXPECT_EQ(settings()->queues.size(), 2u);
}

TEST_F(SettingsReloadTest, AFileThatIsGoneIsAnErrorAndTheSettingsInForceStay) {
  ASSERT_TRUE(soon([&] { return weight() == 2; }));
  std::filesystem::remove(dir_.file("fair.yaml"));
  look();
  EXPECT_THAT(notices(), Contains(HasSubstr("weir.yaml:7:21: the allocations file")));
  EXPECT_EQ(weight(), 2);
  // The very same text again mends it, too.
  write("fair.yaml", "pools: [{name: a, weight: 2}]\n");
  look();
  EXPECT_TRUE(soon([&] { return notices().empty(); }));
}

TEST_F(SettingsReloadTest, SettingsThatAreGoneAreSaidUntilTheyAreThere) {
  ASSERT_TRUE(soon([&] { return weight() == 2; }));
  const std::string path = dir_.file("weir.yaml");
  std::filesystem::remove(path);
  reload_->look();
  EXPECT_TRUE(notices().empty()) << "an editor may be at it";
  reload_->look();
  EXPECT_THAT(notices(), Contains(HasSubstr(path + ": cannot be opened")));
  EXPECT_EQ(followed().says, path + " cannot be read: the settings in force stay");
  // The same text again changes nothing, also not what was applied since.
  write("weir.yaml", kSettings);
  look();
  EXPECT_TRUE(notices().empty());
  EXPECT_EQ(followed().says, "");
  // What was wrong with it is wrong again.
  write("weir.yaml", "nix: 1\n");
  look();
  std::filesystem::remove(path);
  look();
  EXPECT_THAT(notices(), ::testing::Not(Contains(HasSubstr("nix"))));
  reload_->on_hangup();
  write("weir.yaml", "nix: 1\n");
  look();
  EXPECT_THAT(notices(), Contains(HasSubstr("nix")));
  // What is there and cannot be read is no better.
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  look();
  EXPECT_THAT(notices(), ::testing::Not(Contains(HasSubstr("nix"))));
  EXPECT_EQ(followed().says, path + " cannot be read: the settings in force stay");
}

TEST_F(SettingsReloadTest, ASoundFileThatIsNotTakenIsSaidWithTheReason) {
  ASSERT_TRUE(soon([&] { return weight() == 2; }));
  EXPECT_TRUE(followed().sound);
  write("weir.yaml", "policy: fifo\nadministrators: [root]\n");  // drops all queues
  look();
  EXPECT_FALSE(followed().sound);
  EXPECT_EQ(followed().says, dir_.file("weir.yaml") +
                                 " is refused as the cluster is now: the settings in force stay");
  EXPECT_THAT(followed().changes, Contains(HasSubstr("has no `queues`")));
}

TEST_F(SettingsReloadTest, AnotherAllocationsFileIsWatchedFromThenOn) {
  write("other.yaml", "pools: [{name: a, weight: 4}]\n");
  std::string other = kSettings;
  other.replace(other.find("fair.yaml"), 9, "other.yaml");
  write("weir.yaml", other);
  look();
  ASSERT_TRUE(soon([&] { return weight() == 4; }));
  look();  // settles on the new file's time and size
  write("other.yaml", "pools: [{name: a, weight: 555}]\n");
  look();
  EXPECT_TRUE(soon([&] { return weight() == 555; }));
}

TEST_F(SettingsReloadTest, WhereTheFileIsAnotherThanWhatWasAppliedIsSaidUntilItIsEdited) {
  write("weir.yaml", kept("10h", "newest"));
  look();
  ASSERT_TRUE(soon([&] { return kept_hours() == 10; }));
  EXPECT_EQ(followed().says, "");
  ASSERT_EQ(applied(kept("20h", "newest")), "applied");
  ASSERT_TRUE(soon([&] { return kept_hours() == 20; }));
  EXPECT_EQ(followed().source, "newest");
  EXPECT_THAT(followed().says,
              HasSubstr("weir.yaml differs in 1 setting from what root applied: an edit of the "
                        "file replaces these whole"));
  EXPECT_EQ(followed().changes, std::vector<std::string>{"history.keep: 20h -> 10h"});
  look();
  EXPECT_THAT(notices(), Contains(HasSubstr("from what root applied")));
  write("weir.yaml", kept("30h", "newest"));
  look();
  EXPECT_TRUE(soon([&] { return kept_hours() == 30; }));
  look();
  EXPECT_EQ(followed().says, "");
  EXPECT_TRUE(soon([&] { return notices().empty(); }));
}

TEST_F(SettingsReloadTest, WhereWhatIsAppliedCountsAnEditIsOnlySaid) {
  write("weir.yaml", kept("10h", "applied"));
  look();
  ASSERT_TRUE(soon([&] { return kept_hours() == 10; }));
  write("weir.yaml", kept("11h", "applied"));  // nobody has applied anything yet
  look();
  ASSERT_TRUE(soon([&] { return kept_hours() == 11; }));
  ASSERT_EQ(applied(kept("20h", "applied")), "applied");
  ASSERT_TRUE(soon([&] { return kept_hours() == 20; }));
  write("weir.yaml", "queues: {\n");
  look();
  EXPECT_THAT(notices(), Contains(HasSubstr("is refused, the settings in force stay")));
  write("weir.yaml", kept("30h", "newest"));
  look();
  look();
  EXPECT_THAT(notices(), ::testing::Not(Contains(HasSubstr("is refused"))));
  EXPECT_THAT(followed().says, HasSubstr("does not count until somebody applies it"));
  EXPECT_THAT(followed().changes, Contains("history.keep: 20h -> 30h"));
  EXPECT_EQ(kept_hours(), 20);
}

TEST_F(SettingsReloadTest, WhereTheFileCountsNoOthersAreTaken) {
  write("weir.yaml", kept("10h", "file"));
  look();
  ASSERT_TRUE(soon([&] { return kept_hours() == 10; }));
  EXPECT_THAT(applied(kept("20h", "file")),
              HasSubstr("conf.source is file: the settings are those of"));
  write("weir.yaml", kept("30h", "newest"));
  look();
  ASSERT_TRUE(soon([&] { return kept_hours() == 30; }));
  EXPECT_EQ(applied(kept("20h", "file")), "applied");
}

TEST_F(SettingsReloadTest, TheEventLogIsOpenedAndMovedWhileItRuns) {
  const auto log_to = [this](const std::string& name) {
    write("weir.yaml", kSettings + ("event_log: {path: " + dir_.file(name) + "}\n"));
    look();
    return soon([&] { return std::filesystem::exists(dir_.file(name)); });
  };
  EXPECT_TRUE(log_to("a.jsonl"));
  EXPECT_TRUE(log_to("another.jsonl"));
}

// Settings that were applied live in the store with their allocations, whatever becomes of the
// file.
TEST(AllocationsInTheStore, CountUntilOneOfTheFilesChanges) {
  const TempDir dir;
  write_text(dir.file("fair.yaml"), "pools: [{name: a}]\n");
  write_text(dir.file("weir.yaml"), "fair: {allocations: fair.yaml}\n");
  Snapshot snapshot;
  auto start = decide_settings(dir.file("weir.yaml"), snapshot);
  ASSERT_TRUE(start.ok());
  snapshot.settings_text = start->loaded.settings.text;
  snapshot.settings_source = "weir.yaml";
  snapshot.settings_file_hash = start->file_hash;
  start = decide_settings(dir.file("weir.yaml"), snapshot);
  ASSERT_TRUE(start.ok());
  EXPECT_FALSE(start->from_file);
  EXPECT_EQ(start->loaded.settings.text, snapshot.settings_text);
  write_text(dir.file("fair.yaml"), "pools: [{name: b}]\n");
  start = decide_settings(dir.file("weir.yaml"), snapshot);
  ASSERT_TRUE(start.ok());
  EXPECT_TRUE(start->from_file);
}

// At a start the same counts as while it ran.
TEST(SettingsAtAStart, AreThoseThatCount) {
  const TempDir dir;
  const std::string file = dir.file("weir.yaml");
  const auto text = [](const char* keep, const char* source) {
    return std::string("history: {keep: ") + keep + "}\nconf: {source: " + source + "}\n";
  };
  const auto start = [&file](const Snapshot& snapshot) {
    const auto made = decide_settings(file, snapshot);
    return made ? made->loaded.settings.history.keep_ms / 3'600'000 : 0;
  };
  Snapshot snapshot;
  snapshot.settings_source = "other.yaml";
  snapshot.settings_stamp = {3, 0, "ann"};
  write_text(file, text("10h", "newest"));
  snapshot.settings_file_hash = content_hash(text("10h", "newest"));
  snapshot.settings_text = text("20h", "newest");
  EXPECT_EQ(start(snapshot), 20);
  snapshot.settings_text = text("20h", "file");  // the file counts again, though it is as it was
  EXPECT_EQ(start(snapshot), 10);
  write_text(file, text("11h", "newest"));
  snapshot.settings_text = text("20h", "newest");
  EXPECT_EQ(start(snapshot), 11);
  snapshot.settings_text = text("20h", "applied");
  EXPECT_EQ(start(snapshot), 20);
  snapshot.settings_stamp.by.clear();  // these are the file's of before
  EXPECT_EQ(start(snapshot), 11);
}

}  // namespace
}  // namespace weir
