#include "tracker/jobtracker/tracker_service.h"

#include <string>
#include <vector>

#include "thrift/convert.h"
#include "tracker/jobtracker/answering.h"
#include "tracker/jobtracker/commands.h"
#include "tracker/port/peers.h"

namespace weir {
namespace {

// The callback for a call whose reply of type Model goes over the wire as type Wire.
template <class Model, class Wire>
EngineLoop::Callback answer(std::function<void(const Wire&)> give, RefusalCallback refuse) {
  return [answering = Answering<Wire>(std::move(give), std::move(refuse))](
             const EngineLoop::ReplyBody& reply, std::int64_t) {
    if (const auto* value = std::get_if<Model>(&reply)) return answering.give(to_wire(*value));
    answering.refuse(refusal_of(reply));
  };
}

void refuse_now(const RefusalCallback& refuse, const Error& error) {
  refuse(apache::thrift::TDelayedException::delayException(to_wire(error)));
}

}  // namespace

namespace {

// The trackers that have shown on this connection that they are there.
std::vector<std::string> askers() {
  const auto& speakers = calling_speakers();
  return speakers == nullptr ? std::vector<std::string>() : speakers->names();
}

}  // namespace

void TrackerService::register_tracker(Give<wire::RegistrationReply> give, Refuse refuse,
                                      const wire::Registration& registration) {
  auto body = from_wire(registration);
  if (!body) return refuse_now(refuse, body.error());
  loop_.post(std::move(*body), answer<Registered>(std::move(give), std::move(refuse)));
}

void TrackerService::heartbeat(Give<wire::HeartbeatReply> give, Refuse refuse,
                               const wire::Heartbeat& report) {
  auto body = from_wire(report);
  if (!body) return refuse_now(refuse, body.error());
  auto reply = answer<HeartbeatReply>(std::move(give), std::move(refuse));
  loop_.post(std::move(*body),
             [reply = std::move(reply), name = report.name, speakers = calling_speakers()](
                 const EngineLoop::ReplyBody& body, std::int64_t version) {
               // Before the answer: the next call may be here as soon as that is.
               if (speakers && std::holds_alternative<HeartbeatReply>(body)) speakers->note(name);
               reply(body, version);
             });
}

void TrackerService::job(Give<wire::JobDescription> give, Refuse refuse, const std::int64_t job) {
  const auto id = job_from_wire(job);
  if (!id) return refuse_now(refuse, id.error());
  loop_.post(DescribeJob{*id, askers()},
             answer<JobDescription>(std::move(give), std::move(refuse)));
}

namespace {

// A question about a job's list, from `first` on.
template <class Question, class Reply, class Wire>
void ask_from(EngineLoop& loop, std::function<void(const Wire&)> give,
              const RefusalCallback& refuse, std::int64_t job, std::int32_t first) {
  const auto id = job_from_wire(job);
  if (!id) return refuse_now(refuse, id.error());
  if (first < 0) {
    return refuse_now(refuse, bad_request("first: " + std::to_string(first) + " is out of range",
                                          "0, then next_from of the last answer"));
  }
  loop.post(Question{*id, static_cast<std::uint32_t>(first), askers()},
            answer<Reply>(std::move(give), refuse));
}

}  // namespace

void TrackerService::map_outputs(Give<wire::MapOutputs> give, Refuse refuse, const std::int64_t job,
                                 const std::int32_t first) {
  ask_from<QueryMapOutputs, MapOutputs>(loop_, std::move(give), refuse, job, first);
}

void TrackerService::gang_peers(Give<wire::Peers> give, Refuse refuse, const std::int64_t job,
                                const std::int32_t first) {
  ask_from<QueryPeers, GangPeers>(loop_, std::move(give), refuse, job, first);
}

}  // namespace weir
