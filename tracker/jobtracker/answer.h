// How a service answers: through one callback, called exactly once, with the value or the refusal;
// on the caller's thread, the engine's or another. Services never make their caller wait, and who
// is called must not either: what takes time (writing a long list, say) goes to
// EngineLoop::hand_over.
#pragma once

#include <cstdint>
#include <functional>

#include "jobqueue/model/result.h"

namespace weir {

template <class T>
using Answer = std::function<void(Result<T>)>;

// Of the published views: the one that shows the effect of a command.
using Version = std::int64_t;

}  // namespace weir
