// `--samples`: at every update of the policy one line a queue and slot class, inner queues too, in
// the order of the settings. What does not apply under the ruling policy is null. One thread.
#pragma once

#include <ostream>

#include "eventlog/json_line.h"
#include "sim/observer.h"

namespace weir {

class SampleLog : public Observer {
 public:
  explicit SampleLog(std::ostream& out) : line_(out) {}
  void on_step(const Engine& engine, const Input& input, const Output& output) override;

 private:
  void write_pools(const Engine& engine);
  template <class FigureOf>
  void write(const Engine& engine, const std::string& queue, Dimension dimension,
             FigureOf figure_of);

  JsonLine line_;
};

}  // namespace weir
