// weir.yaml and the allocations file that it names: read together, kept together, and each finding
// under the name of the file it is in.
#include "conf/settings_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "conf/findings.h"
#include "fair/fair_settings.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SettingsTextTest : public ::testing::Test {
 protected:
  SettingsTextTest() {
    char folder[] = "/tmp/weir_text_XXXXXX";
    base_ = ::mkdtemp(folder);
  }
  ~SettingsTextTest() override { std::filesystem::remove_all(base_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(base_ + "/" + name) << text;
    return base_ + "/" + name;
  }
  std::vector<std::string> errors(const std::string& file) const {
    const auto loaded = load_settings(file);
    EXPECT_FALSE(loaded.ok());
    return loaded ? std::vector<std::string>() : loaded.error().diagnostics;
  }

  std::string base_;
};

std::vector<PoolSettings> pools_of(const Settings& settings) {
  return dynamic_cast<const FairSettings&>(*settings.policies.at("fair")).pools;
}

TEST_F(SettingsTextTest, AnAllocationsFileIsReadBesideTheSettings) {
  write("fair.yaml", "pools: [{name: a, weight: 2}]\nusers: [{name: al, max_running_jobs: 1}]\n");
  for (const std::string named : {"allocations: fair.yaml", "pools: {file: fair.yaml}"}) {
    const auto loaded = load_settings(write("weir.yaml", "fair: {" + named + "}\n"));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const auto pools = pools_of(loaded->settings);
    ASSERT_EQ(pools.size(), 1u);
    EXPECT_EQ(pools[0].weight, 2 * kWeightOne);
  }
}

// The store and the wire have one text; it needs no file any more.
TEST_F(SettingsTextTest, TheTextThatIsKeptHoldsBoth) {
  const std::string allocations = write("fair.yaml", "pools: [{name: a}]");
  auto loaded = load_settings(write("weir.yaml", "fair: {allocations: fair.yaml}"));
  ASSERT_TRUE(loaded.ok());
  std::filesystem::remove(allocations);
  const std::string text = loaded->settings.text;
  EXPECT_EQ(text, "fair: {allocations: fair.yaml}\n--- # allocations: " + allocations +
                      "\npools: [{name: a}]");
  loaded = load_settings_text("kept", text);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(pools_of(loaded->settings).size(), 1u);
  EXPECT_EQ(loaded->settings.text, text);
}

TEST_F(SettingsTextTest, FindingsNameTheFileTheyAreIn) {
  const std::string allocations =
      write("fair.yaml", "users: []\npools:\n  - {name: a, wieght: 2}\n");
  const std::string file = write("weir.yaml", "policy: best\nfair: {allocations: fair.yaml}\n");
  EXPECT_THAT(
      errors(file),
      ElementsAre(HasSubstr(file + ":1:9: policy is \"best\", allowed:"),
                  HasSubstr(allocations + ":3:15: unknown key \"wieght\" in pools.a, did you "
                                          "mean \"weight\"?, allowed:")));
  write("fair.yaml", "pools: [\n");
  EXPECT_THAT(errors(file)[1], HasSubstr(allocations + ":2:1: not YAML"));
  write("fair.yaml", "");
  EXPECT_THAT(errors(file)[1],
              HasSubstr(allocations + ": holds no allocations, allowed: at least one of the keys "
                                      "pools, users, defaults"));
  write("fair.yaml", std::string(kMaxSettingsBytes + 1, ' '));
  EXPECT_THAT(errors(file)[1], HasSubstr(allocations + ": is larger than 1048576 bytes"));
}

TEST_F(SettingsTextTest, AFileThatIsNotThereIsSaidWhereItIsNamed) {
  const std::string file = write("weir.yaml", "policy: best\nfair: {pools: {file: none.yaml}}\n");
  EXPECT_THAT(errors(file),
              ElementsAre(HasSubstr(":1:9: policy is"),
                          HasSubstr(file + ":2:22: the allocations file " + base_ +
                                    "/none.yaml cannot be opened: No such file or directory, "
                                    "allowed: a file that can be read")));
  // Settings without a place have no file beside them: a client's text opens nothing here.
  EXPECT_THAT(
      findings("fair: {allocations: /etc/passwd}\n"),
      ElementsAre(HasSubstr("f:1:21: the allocations file \"/etc/passwd\" did not come with "
                            "these settings, allowed:")));
}

TEST_F(SettingsTextTest, AKeyStandsInOneOfTheTwoFiles) {
  const std::string allocations = write("fair.yaml", "pools: []\nusers: []\n");
  const std::string file =
      write("weir.yaml", "fair: {allocations: fair.yaml, users: [], defaults: {mode: fifo}}\n");
  EXPECT_THAT(errors(file), ElementsAre(allocations + ":2:8: users is in the settings file too, "
                                                      "allowed: in one of the two files"));
  write("weir.yaml", "fair: {allocations: fair.yaml, pools: {file: fair.yaml}}\n");
  EXPECT_THAT(errors(file),
              ElementsAre(HasSubstr("allowed: no file here beside fair.allocations")));
}

}  // namespace
}  // namespace weir
