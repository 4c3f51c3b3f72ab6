// The pages: files of web/pages/, which are in the binary. A file is at /assets/NAME; every address
// that is a view (/, /queues, /jobs/7) is the same page, whose scripts draw what the address says.
// Any thread.
#pragma once

#include <map>
#include <string>

#include "web/server/answer.h"
#include "web/server/request.h"

namespace weir::web {

class Pages {
 public:
  Pages();

  HttpAnswer answer(const HttpRequest& request) const;
  std::size_t files() const { return files_.size(); }

 private:
  std::map<std::string, HttpAnswer> files_;  // by name, ready to be sent
};

}  // namespace weir::web
