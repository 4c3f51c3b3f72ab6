// What trackers ask: descriptions of jobs, where map outputs are, and where the members of a gang.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

class Questions : public Part {
 public:
  using Part::Part;

  void on(const DescribeJob& input, Token token);
  void on(const QueryMapOutputs& input, Token token);
  void on(const QueryPeers& input, Token token);

 private:
  Status may_ask(const std::optional<std::vector<std::string>>& askers, JobId job) const;
};

}  // namespace weir
