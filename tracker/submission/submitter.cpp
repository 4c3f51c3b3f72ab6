#include "tracker/submission/submitter.h"

#include <memory>
#include <utility>

#include "jobqueue/model/submission_checks.h"
#include "tracker/port/peers.h"
#include "tracker/submission/json_spec.h"

namespace weir {

void Submitter::submit(const Caller& caller, const nlohmann::ordered_json& body,
                       Answer<SubmittedView> answer) {
  if (const Status good = check_caller(caller); !good) return answer(good.error());
  note_calling_user(caller.user);
  auto read = read_submission(body);
  if (!read) return answer(read.error());
  read->address = calling_peer();
  InputLookups::Wanted wanted{read->spec.input_files, read->split_bytes, read->combine_bytes};
  const auto submission = std::make_shared<Submission>(std::move(*read));
  lookups_.look({calling_peer(), caller.user}, std::move(wanted),
                [this, caller, submission, address = calling_peer(),
                 answer = std::move(answer)](Result<InputSplits> input) {
                  if (!input) return answer(input.error());
                  auto spec = complete(std::move(*submission), std::move(*input), caller);
                  if (!spec) return answer(spec.error());
                  const Peer peer(address);
                  const CallingPeerScope scope(peer, nullptr);
                  jobs_.submit(caller, std::move(*spec), answer);
                });
}

}  // namespace weir
