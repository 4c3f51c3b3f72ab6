// The pictures of docs/life-cycles.md are those of the tables.
#include "lab/life_cycle_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/temporary_directory.h"
#include "lab/run_lab.h"

namespace weir::cli {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

const std::string kDocs = WEIR_DOCS_FOLDER "/life-cycles.md";

TEST(LifeCyclePictures, DocsShowTheTables) {
  const std::string text = text_of(kDocs);
  const auto now = redrawn(text);
  ASSERT_TRUE(now.ok()) << now.error().message;
  EXPECT_TRUE(*now == text) << "a life cycle has changed: build/release/weir-lab life-cycles "
                               "--redraw docs/life-cycles.md, and tell there what it means";
  for (const life::Drawn& cycle : life::all()) {
    for (const life::Edge& edge : cycle.edges) {
      for (const std::string state : {edge.from, edge.to}) {
        if (state == "[*]") continue;
        EXPECT_THAT(text, HasSubstr("`" + state + "`"));
      }
    }
  }
}

TEST(LifeCyclePictures, AreLinesOfText) {
  EXPECT_EQ(mermaid({"light", {{"[*]", "ON", "somebody comes"}, {"ON", "[*]", "he goes"}}}),
            "```mermaid\nstateDiagram-v2\n  %% light\n"
            "  [*] --> ON  : somebody comes\n"
            "  ON  --> [*] : he goes\n```\n");
}

TEST(LifeCyclePictures, AreDrawnAgainInTheirPlaces) {
  const TemporaryDirectory directory;
  const std::string file = directory / "page.md";
  std::string old = text_of(kDocs);
  const std::size_t line = old.find("  HELD      --> WAITING");
  ASSERT_NE(line, std::string::npos);
  old.erase(line, old.find('\n', line) + 1 - line);
  std::ofstream(file) << old;
  EXPECT_EQ(lab({"life-cycles", "--redraw", file}).code, kExitDone);
  EXPECT_EQ(text_of(file), text_of(kDocs));
  std::ofstream(file) << "nothing\n";
  const Ran without = lab({"life-cycles", "--redraw", file});
  EXPECT_EQ(without.code, kExitRefused);
  EXPECT_THAT(without.err, HasSubstr("there is no picture of the life cycle 'job'"));
  EXPECT_EQ(text_of(file), "nothing\n");
}

TEST(LifeCyclePictures, TheCommandPrintsThem) {
  EXPECT_THAT(lab({"life-cycles"}).out, HasSubstr("  %% tracker\n"));
  const Json json = Json::parse(lab({"life-cycles", "-o", "json"}).out);
  ASSERT_EQ(json.size(), life::all().size());
  EXPECT_EQ(json[0]["life_cycle"], "job");
  EXPECT_EQ(json[0]["transitions"][0]["to"], "SUBMITTED");
}

}  // namespace
}  // namespace weir::cli
