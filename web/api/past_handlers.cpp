// What was: the queues' figures over time, and what was decided.
#include <fmt/format.h>

#include <charconv>

#include "web/api/handlers.h"
#include "web/server/target.h"

namespace weir::web {

void get_series(ApiContext& context, const Call& call) {
  const Query query = call.query({"queue", "since", "step"});
  SeriesQuery wanted;
  wanted.queue = query.text("queue").value_or("root");
  wanted.since = query.integer("since").value_or(0);
  wanted.step = query.text("step").value_or("");
  if (wanted.step.empty() && query.text("step"))
    refuse("query: step: '' is none", "1s, 10s, 1m or 15m, or no step");
  const auto series = context.tracker.series().read(wanted);
  if (!series) refuse(series.error());
  call.reply.give(json_text_answer(json_line(to_json(*series)) + "\n"));
}

void get_decisions(ApiContext& context, const Call& call) {
  const Query query = call.query({"queue", "job", "kind", "since", "limit", "cursor"});
  DecisionFilter filter;
  if (const auto queue = query.text("queue"); queue && !queue->empty()) {
    // A path, or a last part that only one queue has; one that is gone stands for itself.
    const auto views = context.tracker.loop().views().latest();
    const auto path = queue_of_the_past(*views, *queue);
    if (!path) refuse(path.error());
    filter.queue = *path;
  }
  if (const auto text = query.text("job")) {
    filter.job = parse_job_name(*text);
    if (!filter.job) refuse("query: job: '" + text->substr(0, 64) + "' is no job", "7 or job_0007");
  }
  filter.kinds = query.list("kind");
  filter.since = query.integer("since").value_or(0);
  filter.before = query.integer("cursor").value_or(0);
  constexpr auto kOtherwise = static_cast<std::int64_t>(JobService::kJobsListed);
  filter.limit = static_cast<std::size_t>(query.limit(kOtherwise));
  const EngineLoop& loop = context.tracker.loop();
  const auto page = loop.decisions().read(filter, loop.time().wall());
  if (!page) refuse(page.error());
  HttpAnswer answer = json_text_answer(json_lines(page->decisions));
  answer.with("X-Weir-Complete-Since", std::to_string(page->complete_since));
  if (page->more && !page->decisions.empty()) {
    const std::string cursor = std::to_string(page->decisions.back().number);
    answer.with("X-Weir-Next-Cursor", cursor)
        .with("Link", next_page(call.request, "/decisions", cursor));
  }
  call.reply.give(std::move(answer));
}

}  // namespace weir::web
