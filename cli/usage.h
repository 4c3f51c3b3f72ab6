// Command lines in words: what is wrong with one that cannot be read, and how --help says what an
// option takes. CLI11's own messages name types and ranges as programs do, and an unknown option is
// hidden behind one that is missing.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weir::cli {

// The first argument that is no option of the command: "there is no option '--maper', did you mean
// '--mapper'?". `arguments`: those after the command's name.
std::optional<std::string> unknown_option(const CLI::App& command,
                                          const std::vector<std::string>& arguments);

// If what is missing is options, all of them: "--queue, --input and --output are required". Of a
// command that has been parsed.
std::optional<std::string> missing_options(const CLI::App& command, const CLI::ParseError& error);

// "--map-slots: Value -3 not in range 0 to 10" -> "--map-slots: -3 is not within 0 to 10"; also
// without the full stop or question mark at its end.
std::string in_words(std::string message);

// "N:INT in [0 - 10]" -> "N (0 to 10)"
class PlainFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace weir::cli
