// What is shown of text that was made to steer a terminal or to forge a line.
#include "jobqueue/model/plain_text.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

struct ShownCase {
  std::string_view text, shown;
};

class PlainText : public testing::TestWithParam<ShownCase> {};

TEST_P(PlainText, ShowsNothingThatSteers) {
  EXPECT_EQ(plain_text(GetParam().text), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PlainText,
    testing::Values(ShownCase{"", ""}, ShownCase{"plain ~", "plain ~"},
                    ShownCase{"Grüße, 日本 🙂", "Grüße, 日本 🙂"},
                    ShownCase{"👩\u200D💻 \u0645\u200C\u062E", "👩\u200D💻 \u0645\u200C\u062E"},
                    // Escapes, of 7 bits and of 8, encoded and raw.
                    ShownCase{"\x1b[2J\x1b]0;title\x07", "?[2J?]0;title?"},
                    ShownCase{"\xc2\x9b" "2J", "?2J"}, ShownCase{"\x9b" "2J", "?2J"},
                    ShownCase{"\xc2\x80|\xc2\x9f|\xc2\xa0", "?|?|\xc2\xa0"},
                    ShownCase{"a\rb\nc\td\x7f", "a?b?c?d?"},
                    ShownCase{std::string_view("nul\0", 4), "nul?"},
                    // Direction, no width, ends of lines, tags.
                    ShownCase{"gpj.\u202Eexe", "gpj.?exe"}, ShownCase{"a\u200Bb", "a?b"},
                    ShownCase{"\uFEFFa", "?a"}, ShownCase{"\u2028\u2029", "??"},
                    ShownCase{"\u200E\u200F\u061C\u2066\u2069", "?????"},
                    ShownCase{"\u2060\u2064\u00AD\u180E\uFFF9", "?????"},
                    ShownCase{"\U000E0041\U000E007F", "??"},
                    // No UTF-8: overlong, surrogates, cut off, beyond the last.
                    ShownCase{"\xc0\x9b", "??"}, ShownCase{"\xed\xa0\x80", "???"},
                    ShownCase{"\xe2\x80", "??"}, ShownCase{"\xf4\x90\x80\x80", "????"},
                    ShownCase{"\xff\xfe", "??"}));

TEST(PlainTextRules, NewlinesAndTabsStayWhereTheyMay) {
  EXPECT_EQ(plain_text("a\n\tb\r", {.newlines = true, .tabs = true}), "a\n\tb?");
  EXPECT_EQ(plain_text("a\n\tb", {.newlines = true}), "a\n?b");
}

TEST(PlainTextRules, JsonEscapes) {
  EXPECT_EQ(json_escape(0x1b), "\\u001b");
  EXPECT_EQ(json_escape(0x202E), "\\u202e");
  EXPECT_EQ(json_escape(0xE0041), "\\udb40\\udc41");
}

TEST(PlainTextRules, SeveralLinesAreShownInOne) {
  EXPECT_EQ(one_line("exit code 1:\n\n  no such file\r\n\tgone\x1b\n"),
            "exit code 1: no such file | gone?");
  EXPECT_EQ(one_line("\n \n"), "");
  EXPECT_EQ(one_line("one\ntwo", {.most_bytes = 5}), "one |");
}

TEST(PlainTextRules, IsCutBetweenCharacters) {
  EXPECT_EQ(plain_text("aéé", {.most_bytes = 4}), "aé");
  EXPECT_EQ(plain_text("\x1b\x1b\x1b", {.most_bytes = 2}), "??");
}

}  // namespace
}  // namespace weir
