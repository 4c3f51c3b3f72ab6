// Giving answers to Thrift's callbacks: a call has one callback for its result and one for a
// refusal, and an Answering holds both until whoever knows the answer, on whatever thread, gives
// one of them. Copies share the callbacks; the services see to it that one of them is called, once.
// Any thread.
#pragma once

#include <thrift/Thrift.h>

#include <functional>
#include <utility>

#include "jobqueue/model/result.h"
#include "thrift/wire_error.h"

namespace weir {

using RefusalCallback = std::function<void(apache::thrift::TDelayedException*)>;

template <class Value>
class Answering {
 public:
  Answering(std::function<void(const Value&)> give, RefusalCallback refuse)
      : give_(std::move(give)), refuse_(std::move(refuse)) {}

  void give(const Value& value) const { give_(value); }
  void refuse(const Error& error) const {
    refuse_(apache::thrift::TDelayedException::delayException(to_wire(error)));
  }

 private:
  std::function<void(const Value&)> give_;
  RefusalCallback refuse_;
};

}  // namespace weir
