// Giving answers to Thrift's callbacks: a call has one callback for its result and one for a
// refusal, and an Answering holds both until whoever knows the answer, on whatever thread, gives
// one of them. Copies share the callbacks; the services see to it that one of them is called, once.
// A service gets written(...) for its answer: what it gives is put on the wire. Any thread.
#pragma once

#include <thrift/Thrift.h>

#include <functional>
#include <utility>

#include "client_types.h"
#include "jobqueue/model/result.h"
#include "thrift/wire_error.h"
#include "tracker/jobtracker/answer.h"

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

// `write` makes the wire's value of what a service gives.
template <class View, class Value, class Write>
Answer<View> written(Answering<Value> answering, Write write) {
  return [answering = std::move(answering), write = std::move(write)](Result<View> result) {
    if (!result) return answering.refuse(result.error());
    answering.give(write(*result));
  };
}

// Of a command.
inline Answer<Version> written_done(Answering<wire::Done> answering) {
  return written<Version>(std::move(answering), [](Version version) {
    wire::Done done;
    done.version = version;
    return done;
  });
}

}  // namespace weir
