// The services as other ways in than Thrift use them: no wire types.
#include <gmock/gmock.h>

#include "harness.h"
#include "jobqueue/store/sqlite_store.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

template <class T>
Result<T> ask(const std::function<void(Answer<T>)>& question) {
  std::promise<Result<T>> answered;
  question([&answered](Result<T> answer) { answered.set_value(std::move(answer)); });
  return answered.get_future().get();
}

class SettingsServiceTest : public ::testing::Test {
 protected:
  void SetUp() override { start(); }
  void start() {
    tracker_.reset();
    auto store =
        open_sqlite_store(dir_.file("store"), SpecCodec{encode_job_spec, decode_job_spec});
    ASSERT_TRUE(store.ok()) << store.error().message;
    tracker_ = start_tracker(std::move(*store));
  }
  Result<Version> apply(const std::string& by, const std::string& text,
                        std::optional<std::int64_t> expected) {
    return ask<Version>([&](Answer<Version> answer) {
      tracker_->settings().apply({by, {}}, {"new.yaml", text}, expected, std::move(answer));
    });
  }
  static std::string text(const std::string& more = "") {
    return "policy: fifo\nadministrators: [root, ann]\nqueues:\n"
           "  - {name: default, guaranteed: 60%}\n"
           "  - {name: small, guaranteed: 40%}\n" +
           more;
  }

  TempDir dir_;
  std::unique_ptr<JobTracker> tracker_;
};

TEST_F(SettingsServiceTest, TwoAdministratorsDoNotOverwriteEachOther) {
  EXPECT_EQ(tracker_->settings().text().number, 0);
  ASSERT_TRUE(apply("root", text(), 0).ok());
  const SettingsTextView read = tracker_->settings().text();
  EXPECT_EQ(read.number, 1);
  EXPECT_EQ(read.by, "root");
  EXPECT_EQ(read.source, "new.yaml");
  EXPECT_EQ(read.policy, "fifo");
  EXPECT_EQ(read.text, text());
  EXPECT_GT(read.at_ms, 0);
  ASSERT_TRUE(apply("ann", text("history: {keep: 10h}\n"), read.number).ok());
  const auto late = apply("root", text("history: {keep: 20h}\n"), read.number);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kSettingsChanged);
  EXPECT_THAT(late.error().message, HasSubstr("number 2 were applied by ann"));
  EXPECT_EQ(tracker_->settings().text().text, text("history: {keep: 10h}\n"));
  EXPECT_FALSE(apply("root", text(), -1).ok());
}

TEST_F(SettingsServiceTest, TheNumberIsThatOfTheHistoryAlsoAfterARestart) {
  ASSERT_TRUE(apply("root", text(), std::nullopt).ok());
  ASSERT_TRUE(ask<Version>([&](Answer<Version> answer) {
                tracker_->settings().set_policy({"root", {}}, "capacity", std::move(answer));
              }).ok());
  ASSERT_TRUE(apply("root", text("history: {keep: 10h}\n"), 1).ok());
  const SettingsTextView before = tracker_->settings().text();
  EXPECT_EQ(before.number, 3);
  using Records = std::vector<SettingsRecordView>;
  const auto records =
      ask<Records>([&](Answer<Records> answer) { tracker_->settings().history(answer); });
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 3u);
  EXPECT_EQ(records->front().number, 3);
  EXPECT_EQ(records->front().at_ms, before.at_ms);
  start();
  EXPECT_EQ(tracker_->settings().text().number, 3);
  EXPECT_EQ(tracker_->settings().text().by, "root");
  EXPECT_FALSE(apply("root", text(), 1).ok());
  EXPECT_TRUE(apply("root", text(), 3).ok());
  EXPECT_EQ(tracker_->settings().text().number, 4);
}

TEST_F(SettingsServiceTest, ThePolicyIsTheOneThatRulesWhateverTheTextNames) {
  ASSERT_TRUE(apply("root", text(), std::nullopt).ok());
  for (const std::string policy : {"fair", "capacity"}) {
    ASSERT_TRUE(ask<Version>([&](Answer<Version> answer) {
                  tracker_->settings().set_policy({"root", {}}, policy, std::move(answer));
                }).ok());
    ASSERT_TRUE(apply("root", text("history: {keep: 10h}\n"), std::nullopt).ok());
    EXPECT_EQ(tracker_->settings().text().policy, policy) << "the text names fifo, as before";
    start();
    EXPECT_EQ(tracker_->settings().text().policy, policy);
  }
}

TEST_F(SettingsServiceTest, ACheckHasEveryFindingWithItsPlace) {
  const auto check = [this](const std::string& settings) {
    return *ask<SettingsCheckView>([&](Answer<SettingsCheckView> answer) {
      tracker_->settings().check({"mine.yaml", settings}, std::move(answer));
    });
  };
  EXPECT_TRUE(check(text()).ok);
  const SettingsCheckView found = check("policy: fifi\nqueues:\n  - {nam: a}\n");
  EXPECT_FALSE(found.ok);
  EXPECT_EQ(found.file, "mine.yaml");
  ASSERT_GE(found.findings.size(), 2u);
  EXPECT_EQ(found.findings[0].line, 1);
  EXPECT_EQ(found.findings[0].column, 9);
  EXPECT_FALSE(found.findings[0].warning);
  EXPECT_EQ(found.errors.at(0), "mine.yaml:1:9: " + found.findings[0].message);
  EXPECT_EQ(found.findings[1].line, 3);
  const SettingsCheckView broken = check("a: [");
  EXPECT_FALSE(broken.ok);
  EXPECT_GT(broken.findings.at(0).line, 0);
  EXPECT_FALSE(check("").ok);
  EXPECT_EQ(tracker_->settings().text().number, 0);  // nothing was applied
}

TEST_F(SettingsServiceTest, OverThriftTheNumberIsAnOptionalField) {
  auto admin = connect(tracker_->client_port())->client<wire::AdminServiceClient>("admin");
  wire::Caller root;
  root.user = "root";
  wire::SettingsFile file;
  file.name = "new.yaml";
  file.text = text();
  const auto apply = [&] {
    admin.call([&](auto& c) {
      wire::Done done;
      c.apply_settings(done, root, file);
    });
  };
  apply();
  file.__set_replaces(7);
  try {
    apply();
    ADD_FAILURE() << "taken";
  } catch (const wire::WeirError& error) {
    EXPECT_EQ(error.code, wire::ErrorCode::SETTINGS_CHANGED);
  }
  file.__set_replaces(1);
  apply();
  EXPECT_EQ(tracker_->settings().text().number, 2);
}

}  // namespace
}  // namespace weir
