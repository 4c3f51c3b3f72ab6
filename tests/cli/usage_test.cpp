// Wrong command lines, said in words.
#include "cli/usage.h"

#include <gtest/gtest.h>

namespace weir::cli {
namespace {

struct Command {
  CLI::App app{"one"};
  std::string text;
  int number = 0;
  bool flag = false;
  Command() {
    app.add_option("-m,--mapper", text)->required();
    app.add_option("--reduces", number)->check(CLI::Range(0, 10));
    app.add_flag("-w,--wait", flag);
  }
  std::string unknown(const std::vector<std::string>& arguments) const {
    return unknown_option(app, arguments).value_or("none");
  }
};

TEST(Usage, AnUnknownOptionIsNamedWithTheNearestOne) {
  const Command command;
  EXPECT_EQ(command.unknown({"--maper", "cat"}),
            "there is no option '--maper', did you mean '--mapper'?");
  EXPECT_EQ(command.unknown({"--reduce=3"}),
            "there is no option '--reduce', did you mean '--reduces'?");
  EXPECT_EQ(command.unknown({"--zzz"}), "there is no option '--zzz'");
}

TEST(Usage, WhatIsNoOptionIsNotTakenForOne) {
  const Command command;
  EXPECT_EQ(command.unknown({"--mapper", "-x", "--wait", "-w", "-"}), "none");
  EXPECT_EQ(command.unknown({"-mcat", "--reduces", "-3", "-3"}), "none");
  EXPECT_EQ(command.unknown({"--mapper=--x", "--", "--zzz"}), "none");
}

TEST(Usage, MessagesAreInWords) {
  Command command;
  const auto said = [&](std::vector<std::string> reversed) {
    try {
      command.app.parse(std::move(reversed));
    } catch (const CLI::ParseError& error) {
      return in_words(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said({"-3", "--reduces", "cat", "-m"}), "--reduces: -3 is not within 0 to 10");
  EXPECT_EQ(said({"more", "cat", "-m"}), "too much is said: more");
  command.app.formatter(std::make_shared<PlainFormatter>());
  EXPECT_NE(command.app.help().find("(0 to 10)"), std::string::npos) << command.app.help();
}

}  // namespace
}  // namespace weir::cli
