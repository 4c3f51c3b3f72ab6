#include "tracker/jobtracker/look_in_pieces.h"

#include <memory>
#include <utility>

namespace weir {
namespace {

struct Look {
  EngineLoop& loop;
  const Asker asker;
  const std::function<bool(const Engine&)> piece;
  const std::function<void(const Status&)> then;
};

void look_on(const std::shared_ptr<Look>& look) {
  const auto one = [look](const Result<EngineLoop::Inside>& inside) {
    if (inside && look->piece(*inside->engine)) return look_on(look);
    look->loop.hand_over(
        [look, whole = inside ? Status(Ok{}) : Status(inside.error())] { look->then(whole); });
  };
  look->loop.query(one, look->asker);
}

}  // namespace

void look_in_pieces(EngineLoop& loop, const Asker& asker, std::function<bool(const Engine&)> piece,
                    std::function<void(const Status&)> then) {
  look_on(std::make_shared<Look>(Look{loop, asker, std::move(piece), std::move(then)}));
}

}  // namespace weir
