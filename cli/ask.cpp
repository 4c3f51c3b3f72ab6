#include "cli/ask.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace weir::cli {

bool says_yes(Context& context, std::string_view question) {
  context.err << question << "? [y/N] " << std::flush;
  std::string answer;
  std::getline(context.in, answer);
  std::transform(answer.begin(), answer.end(), answer.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return answer == "y" || answer == "yes";
}

}  // namespace weir::cli
