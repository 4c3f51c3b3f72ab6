// Names and messages of others on a user's terminal: cells of a table, one a line of the input, in
// as many columns as the first byte says. No control character gets through, and no line is wider
// than it should be.
#include <vector>

#include "cli/table.h"
#include "views/text_width.h"
#include "fuzz/target.h"
#include "jobqueue/model/check.h"

using namespace weir;
using namespace weir::cli;

void weir::fuzz::run(std::string_view input) {
  constexpr std::size_t kLeast = 20;  // of what cannot be cut: the right column and the gap
  const std::size_t columns = kLeast + take_choice(input, 256);
  Table table({{"NAME", false, 4}, {"N", true}});
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    table.add({std::string(input.substr(0, end)), "1"});
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  const std::string rendered = table.render(columns);
  for (std::string_view text = rendered; !text.empty();) {
    const std::string_view line = text.substr(0, text.find('\n'));
    WEIR_CHECK(display_width(line) <= columns, "a line fits");
    for (const unsigned char c : line) WEIR_CHECK(c >= 0x20 && c != 0x7f, "no control character");
    text.remove_prefix(line.size() + 1);
  }
}
