// Reads of the published views: at the version that is asked for, and where many ask for the same,
// once for all of them. Any thread.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "web/api/api.h"

namespace weir::web {

// Reads of `min_version` (a parameter of every such path) or newer.
using Render = std::function<HttpAnswer(const PublishedViews& views)>;
void read_views(ApiContext& context, const Call& call, const Query& query, Render render);
// For what is the same for everybody (shared_answers.h). A read that names a version is not shared.
void read_shared(ApiContext& context, const Call& call, const Query& query, const std::string& key,
                 Render render);

// Gives what `make` makes; a Refusal that it throws is the answer.
void answer_with(const Answer<HttpAnswer>& answer, const std::function<HttpAnswer()>& make);
// On a worker of the web port, if it is wanted by then.
void give_made(ApiContext& context, Answer<HttpAnswer> answer, SharedAnswers::Wanted wanted,
               std::function<HttpAnswer()> make);

// What a service gives to everybody who asks for `key`.
template <class View>
void share(ApiContext& context, const Call& call, const std::string& key,
           std::function<void(Answer<View>)> ask, std::function<HttpAnswer(const View&)> render) {
  const auto make = [&context, ask = std::move(ask), render = std::move(render)](
                        Answer<HttpAnswer> answer, SharedAnswers::Wanted wanted) {
    ask([&context, answer = std::move(answer), wanted, render](Result<View> view) {
      if (!view) return answer(view.error());
      give_made(context, answer, wanted,
                [render, view = std::move(*view)] { return render(view); });
    });
  };
  context.shared.get(key, call.reply, make);
}

// The answer to a command: {"version": ...} after what it was about.
Answer<Version> done(const Call& call, Json about);
// What is refused as wrong is so as things are now alone: 409.
Answer<Version> or_conflict(const Call& call, Answer<Version> answer);

}  // namespace weir::web
