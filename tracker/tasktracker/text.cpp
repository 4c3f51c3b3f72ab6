#include "tracker/tasktracker/text.h"

#include "jobqueue/model/plain_text.h"

namespace weir::tasktracker {

std::string printable(std::string_view bytes, std::size_t limit, bool keep_newlines) {
  return plain_text(bytes, {.most_bytes = limit, .newlines = keep_newlines, .tabs = true});
}

}  // namespace weir::tasktracker
