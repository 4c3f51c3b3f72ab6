// What a store gives back at the next start of what an engine said.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "jobqueue/store/sqlite_store.h"

namespace weir::test {

inline Snapshot stored_snapshot(const std::vector<Event>& events) {
  std::vector<JobSpec> specs;  // whole: as bytes, they are their places here
  const auto store = make_memory_store({[&](const JobSpec& spec) {
                                          specs.push_back(spec);
                                          return std::to_string(specs.size() - 1);
                                        },
                                        [&](std::string_view place) -> Result<JobSpec> {
                                          return specs.at(std::stoul(std::string(place)));
                                        }});
  EXPECT_TRUE(store->load().ok());
  for (const Event& event : events) {
    if (event.seq > 0) {
      EXPECT_TRUE(store->append({&event, 1}).ok());
    }
  }
  return *store->load();
}

}  // namespace weir::test
