// A long look inside the engine, made a piece at a time as so many queries, so that heartbeats come
// in between. The state may change from one piece to the next.
#pragma once

#include <functional>

#include "tracker/jobtracker/engine_loop.h"

namespace weir {

// Runs `piece` on the engine's thread until it says that nothing is left (false), then `then` once,
// off it. When the JobTracker is busy, or ends, `then` is told so and has what was found until that
// moment.
void look_in_pieces(EngineLoop& loop, const Asker& asker, std::function<bool(const Engine&)> piece,
                    std::function<void(const Status& whole)> then);

}  // namespace weir
