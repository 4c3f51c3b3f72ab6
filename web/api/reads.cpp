#include "web/api/reads.h"

#include <utility>

namespace weir::web {

void read_views(ApiContext& context, const Call& call, const Query& query, Render render) {
  const Version version = query.integer("min_version").value_or(0);
  context.tracker.loop().views().when(
      version,
      call.reply.then<PublishedViewsPtr>(
          [render = std::move(render)](const PublishedViewsPtr& views) { return render(*views); }));
}

void read_shared(ApiContext& context, const Call& call, const Query& query, const std::string& key,
                 Render render) {
  if (query.integer("min_version")) return read_views(context, call, query, std::move(render));
  const auto make = [&context, render = std::move(render)](Answer<HttpAnswer> answer,
                                                           SharedAnswers::Wanted wanted) {
    give_made(context, std::move(answer), std::move(wanted),
              [&context, render] { return render(*context.tracker.loop().views().latest()); });
  };
  context.shared.get(key, call.reply, make);
}

void answer_with(const Answer<HttpAnswer>& answer, const std::function<HttpAnswer()>& make) {
  Result<HttpAnswer> made = no_worker();
  try {
    made = make();
  } catch (const Refusal& refusal) {
    made = refusal.error;
  } catch (const std::exception& error) {
    made = Error{ErrorCode::kInternal, error.what(), "", {}};
  }
  answer(std::move(made));
}

void give_made(ApiContext& context, Answer<HttpAnswer> answer, SharedAnswers::Wanted wanted,
               std::function<HttpAnswer()> make) {
  const bool taken = context.run([answer, wanted = std::move(wanted), make = std::move(make)] {
    if (wanted()) answer_with(answer, make);
  });
  if (!taken) answer(no_worker());
}

Answer<Version> or_conflict(const Call& call, Answer<Version> answer) {
  return [reply = call.reply, answer = std::move(answer)](Result<Version> version) {
    const bool wrong = !version && version.error().code == ErrorCode::kBadRequest;
    if (wrong) return reply.give(error_answer(Refusal{version.error(), 409, {}}));
    answer(std::move(version));
  };
}

Answer<Version> done(const Call& call, Json about) {
  return [reply = call.reply, about = std::move(about)](Result<Version> version) {
    if (!version) return reply.refuse(version.error());
    Json body = about;
    body["version"] = *version;
    HttpAnswer answer = json_answer(body, *version);
    answer.cache_control = "no-store";
    reply.give(std::move(answer));
  };
}

}  // namespace weir::web
