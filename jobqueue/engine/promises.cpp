// Promises: a command is written first, takes effect and is answered once it is durable, and is
// dropped if the store refuses it. See engine.h.
#include <utility>

#include "jobqueue/engine/engine.h"
#include "jobqueue/model/access_rights.h"

namespace weir {

void Engine::promise(Token token, Command command) {
  const std::uint64_t seq = emit(command);
  pending_.push_back({seq, token, std::move(command), {}});
}

void Engine::settle(std::uint64_t seq) {
  durable_seq_ = std::max(durable_seq_, seq);
  while (!pending_.empty() && pending_.front().seq <= seq) {
    const PendingCommand pending = std::move(pending_.front());
    pending_.pop_front();
    applied_seq_ = pending.seq;
    const Answer answer =
        std::visit([&](const auto& command) { return apply(command); }, pending.command);
    for (const Token again : pending.again) reply(again, answer);
    reply(pending.token, answer);
  }
  while (!ending_.empty() && ending_.front().first <= seq) {
    if (const Job* job = state_.find_job(ending_.front().second)) {
      touch(*job);
      note_over(*job);
    }
    ending_.pop_front();
  }
  answer_parked();
}

void Engine::on(const Durable& input, Token) {
  settle(input.seq);
}

void Engine::on(const StoreFailed& input, Token) {
  while (!pending_.empty() && pending_.front().seq <= input.seq) {
    const PendingCommand command = std::move(pending_.front());
    pending_.pop_front();
    drop(command, input.message);
  }
}

void Engine::drop(const PendingCommand& command, const std::string& why) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&command.command))
    drop_submission(*submitted);
  const Error error{ErrorCode::kStoreFailed, "the store did not take it: " + why,
                    "nothing was changed; mend the store and try again"};
  refuse(command.token, "store", error);
  for (const Token again : command.again) reply(again, error);
}

const Job* Engine::job_to_change(JobId id, const Caller& caller, Token token, const char* what) {
  const Job* job = state_.find_job(id);
  const auto no = [&](Error error) {
    refuse(token, what, std::move(error));
    return nullptr;
  };
  if (job == nullptr || !job->durable) {
    return no({ErrorCode::kUnknownJob, "there is no " + job_name(id),
               "see `weir job list`, or `weir job list --history` for those that ended"});
  }
  if (is_over(job->state)) {
    return no({ErrorCode::kJobOver,
               job_name(job->id) + " has already ended (" + name(job->state) + ")", ""});
  }
  const auto may = check_owner(state_, caller, *job);
  return may ? job : no(may.error());
}

}  // namespace weir
