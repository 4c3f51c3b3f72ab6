// What is handed over to weir-lab, and in which words.
#include "cli/lab_hand_over.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

using Words = std::vector<std::string>;

TEST(LabHandOver, RandomStoriesBrokenRulesAndExperimentsAreOfTheLab) {
  EXPECT_EQ(words_for_the_lab({"sim", "--fuzz", "--only", "rules", "--seeds", "3"}),
            (Words{"fuzz", "--only", "rules", "--seeds", "3"}));
  EXPECT_EQ(words_for_the_lab({"sim", "--plant", "lost_kill", "--fuzz"}),
            (Words{"fuzz", "--plant", "lost_kill"}));
  EXPECT_EQ(words_for_the_lab({"sim", "--break=running", "s.yaml"}),
            (Words{"sim", "--break=running", "s.yaml"}));
  EXPECT_EQ(words_for_the_lab({"experiment", "small-jobs"}), (Words{"experiment", "small-jobs"}));
}

TEST(LabHandOver, TheRestIsNot) {
  EXPECT_EQ(words_for_the_lab({}), std::nullopt);
  EXPECT_EQ(words_for_the_lab({"sim", "s.yaml", "--check", "full"}), std::nullopt);
  EXPECT_EQ(words_for_the_lab({"submit", "--name", "--fuzz"}), std::nullopt);
}

}  // namespace
}  // namespace weir::cli
