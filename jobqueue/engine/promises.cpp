#include "jobqueue/engine/promises.h"

#include <utility>

#include "jobqueue/engine/parts.h"

namespace weir {
namespace {

// Which command takes effect where.
struct Effect {
  Parts& parts;

  ReplyBody operator()(const JobSubmitted& c) const { return parts.submissions.apply(c); }
  ReplyBody operator()(const JobKillRequested& c) const { return parts.job_commands.apply(c); }
  ReplyBody operator()(const PriorityChanged& c) const { return parts.job_commands.apply(c); }
  ReplyBody operator()(const JobMoved& c) const { return parts.job_commands.apply(c); }
  ReplyBody operator()(const JobReleased& c) const { return parts.job_commands.apply(c); }
  ReplyBody operator()(const QueueStateChanged& c) const { return parts.administration.apply(c); }
  ReplyBody operator()(const SettingsChanged& c) const { return parts.administration.apply(c); }
  ReplyBody operator()(const PolicyChanged& c) const { return parts.administration.apply(c); }
  ReplyBody operator()(const TrackersOrdered& c) const { return parts.orders.apply(c); }
};

}  // namespace

void Promises::promise(Token token, Command command) {
  const std::uint64_t seq = emit(command);
  if (std::holds_alternative<SettingsChanged>(command)) ++settings_pending_;
  pending_.push_back({seq, token, std::move(command), {}});
}

std::vector<const SettingsChanged*> Promises::pending_settings() const {
  std::vector<const SettingsChanged*> changes;
  for (const PendingCommand& command : pending_) {
    if (const auto* change = std::get_if<SettingsChanged>(&command.command))
      changes.push_back(change);
  }
  return changes;
}

PendingCommand Promises::take() {
  PendingCommand first = std::move(pending_.front());
  pending_.pop_front();
  if (std::holds_alternative<SettingsChanged>(first.command)) --settings_pending_;
  return first;
}

void Promises::answer_too(JobId submitted, Token token) {
  for (PendingCommand& pending : pending_) {
    const auto* command = std::get_if<JobSubmitted>(&pending.command);
    if (command != nullptr && command->job == submitted) pending.again.push_back(token);
  }
}

void Promises::settle(std::uint64_t seq) {
  durable_seq_ = std::max(durable_seq_, seq);
  while (!pending_.empty() && pending_.front().seq <= seq) {
    const PendingCommand pending = take();
    applied_seq_ = pending.seq;
    const ReplyBody answer = std::visit(Effect{parts_}, pending.command);
    for (const Token again : pending.again) reply(again, answer);
    reply(pending.token, answer);
  }
  parts_.jobs.settle_ends(seq);
  parts_.replies.answer_parked();
}

void Promises::on(const Durable& input, Token) {
  settle(input.seq);
}

void Promises::on(const StoreFailed& input, Token) {
  while (!pending_.empty() && pending_.front().seq <= input.seq) {
    const PendingCommand command = take();
    drop(command, input.message);
  }
}

void Promises::drop(const PendingCommand& command, const std::string& why) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&command.command))
    parts_.submissions.drop_submission(*submitted);
  const Error error{ErrorCode::kStoreFailed, "the store did not take it: " + why,
                    "nothing was changed; mend the store and try again"};
  refuse(command.token, "store", error);
  for (const Token again : command.again) reply(again, error);
}

}  // namespace weir
