// Files are untrusted: depth, size, aliases and garbage cost little and are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "conf/findings.h"
#include "conf/load.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Hostile, DeepNestingIsRefusedNotSuffered) {
  for (const std::string open : {"[", "{a: ", "- ", "? "}) {
    std::string text = "queues:\n  ";
    while (text.size() + open.size() < kMaxSettingsBytes) text += open;
    EXPECT_FALSE(load_settings_text("f", text).ok()) << open;
  }
  std::string nested;
  for (int i = 0; i < 33; ++i) nested += "queues: [{name: a, ";
  nested += "state: running";
  for (int i = 0; i < 33; ++i) nested += "}]";
  EXPECT_THAT(findings(nested),
              ElementsAre(HasSubstr("is at depth 33, allowed: 32 levels of queues")));
  std::string chain = "queues:\n  - {name: q0}\n";
  for (int i = 1; i < 5000; ++i) {
    chain += "  - {name: q" + std::to_string(i) + ", parent: q" + std::to_string(i - 1) + "}\n";
  }
  EXPECT_THAT(findings(chain), ElementsAre(HasSubstr("allowed: 32 levels of queues")));
}

TEST(Hostile, AliasesServeButBombsDoNot) {
  const auto loaded = good("administrators: &team [a, b]\nqueues: [{name: q, submit: *team}]\n");
  EXPECT_THAT(*loaded.settings.queues[0].submit, ElementsAre("a", "b"));
  std::string bomb = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*l" + std::to_string(i - 1);
    bomb += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [" + below;
    for (int j = 1; j < 10; ++j) bomb += ", " + below;
    bomb += "]\n";
  }
  EXPECT_THAT(findings(bomb),
              ElementsAre(HasSubstr("aliases and values make more than 1000000 nodes here")));
}

TEST(Hostile, BigSettings) {
  std::string text = "queues:\n";
  for (int i = 0; i < 10'000; ++i)
    text += "  - {name: queue" + std::to_string(i) + ", maximum: 50%}\n";
  EXPECT_EQ(good(text).settings.queues.size(), 10'000u);
  EXPECT_THAT(findings(text + "  - {name: more}\n"),
              ElementsAre("f:10002:5: more queues than 10000, allowed: at most that many"));
  std::string flat = "queues:\n  - {name: r}\n";
  for (int i = 0; i < 9'000; ++i) flat += "  - {name: queue" + std::to_string(i) + ", parent: r}\n";
  EXPECT_EQ(good(flat).settings.queues[0].queues.size(), 9'000u);
  EXPECT_THAT(
      findings("\n\n" + std::string(kMaxSettingsBytes, ' ')),
      ElementsAre("f:3:1048575: is larger than 1048576 bytes, allowed: a settings file of at most "
                  "1 MiB"));
  std::string wrong = "queues:\n";
  for (int i = 0; i < 2'000; ++i) wrong += "  - {nmae: x}\n";
  EXPECT_EQ(findings(wrong).back(), "f: 3500 more findings are not shown");
}

std::string read_whole(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Hostile, GarbageIsRefusedWithoutHarm) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string garbage(1 + random() % 2000, '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    EXPECT_FALSE(load_settings_text("f", garbage).ok());
  }
  // A good file with a few bytes changed, cut or doubled: any answer but a crash.
  const std::string sample = read_whole(conf_folder() + "/weir.yaml");
  constexpr std::string_view kBytes = "{}[]:,&*!|>'\"%@`#-? \n\tab1";
  for (int i = 0; i < 1500; ++i) {
    std::string text = sample;
    for (int change = 0; change < 4; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kBytes[random() % kBytes.size()];
          break;
        case 1:
          text.erase(at, random() % 40);
          break;
        default:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
      }
    }
    const auto loaded = load_settings_text("f", text);
    EXPECT_TRUE(loaded.ok() || !loaded.error().diagnostics.empty());
  }
}

}  // namespace
}  // namespace weir
