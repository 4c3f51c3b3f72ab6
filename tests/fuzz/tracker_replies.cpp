// What a tracker is told by whatever answers at the JobTracker's address: a list of
// (which answer, two bytes of length, a Thrift struct), each read as the RPC client reads it, taken
// over as the link does, and given to the tracker's core, which says what to do; the launches it
// would start become task files. 50 ms pass between two answers.
#include <memory>

#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "thrift/wire_tracker.h"
#include "tracker/rpc/frame.h"
#include "tracker/tasktracker/agent_core.h"
#include "tracker/tasktracker/task_spec_codec.h"

using namespace weir::tasktracker;
namespace wire = weir::wire;

namespace {

template <class Struct>
bool read_struct(std::string_view bytes, Struct& into) {
  constexpr std::uint32_t kFrameBytes = 16 << 20;
  const auto configuration = std::make_shared<apache::thrift::TConfiguration>();
  const auto buffer = std::make_shared<weir::FrameBuffer>(0, configuration);
  buffer->observe(bytes);
  weir::FrameProtocol protocol(buffer, kFrameBytes);  // bounded as tracker/rpc/client.cpp bounds it
  try {
    into.read(&protocol);
    return true;
  } catch (const apache::thrift::TException&) {
    return false;
  }
}

weir::RegisterTracker registration() {
  weir::RegisterTracker registration;
  registration.name = "tt1";
  registration.incarnation = 1;
  registration.host = "127.0.0.1";
  registration.shuffle_port = 4000;
  registration.total = weir::Resources{{2, 2, 0, 0}};
  return registration;
}

// The core with the I/O left out: calls are answered by the input alone.
class Tracker {
 public:
  void answer(std::size_t which, std::string_view bytes) {
    now_.steady_ms += 50;
    now_.wall_ms += 50;
    core_.poll(now_);
    obey();
    switch (which) {
      case 0:
        if (wire::RegistrationReply reply; read_struct(bytes, reply))
          core_.on_registered(weir::from_wire(reply), now_);
        break;
      case 1:
        if (wire::HeartbeatReply reply; read_struct(bytes, reply))
          core_.on_reply(weir::from_wire(reply), now_.steady_ms - 10, now_);
        break;
      case 2:
        if (wire::JobDescription description; read_struct(bytes, description)) {
          if (const auto job = weir::from_wire(description)) core_.on_job(*job, now_);
        }
        break;
      case 3:
        if (wire::MapOutputs outputs; read_struct(bytes, outputs))
          core_.on_outputs(weir::JobId(1), weir::from_wire(outputs), now_);
        break;
      case 4:
        if (wire::Peers peers; read_struct(bytes, peers))
          core_.on_peers(weir::JobId(1), weir::from_wire(peers), now_);
        break;
      default:
        core_.on_call_failed(bytes.empty(), now_);
    }
    obey();
  }

 private:
  void obey() {
    for (const Action& action : core_.take_actions()) {
      if (const auto* start = std::get_if<action::StartAttempt>(&action)) {
        const auto spec = make_task_spec(start->job, start->launch);
        if (!spec) {
          core_.on_start_failed(start->launch.attempt, spec.error().message, now_);
          continue;
        }
        WEIR_CHECK(decode_task_spec(encode_task_spec(*spec)).ok(), "a task file survives");
      } else if (const auto* kill = std::get_if<action::KillAttempt>(&action)) {
        core_.on_exit(kill->key, "killed", now_);
      } else if (const auto* duty = std::get_if<action::RunDuty>(&action)) {
        core_.on_duty_done(duty->duty, true, "", now_);
      }
    }
  }

  Now now_{1'000'000, 1'000'000};
  AgentCore core_{registration(), {}};
};

}  // namespace

void weir::fuzz::run(std::string_view input) {
  Tracker tracker;
  while (input.size() >= 3) {
    const std::size_t which = take_choice(input, 5);
    const std::size_t claimed = std::size_t{static_cast<unsigned char>(input[0])} << 8 |
                                static_cast<unsigned char>(input[1]);
    input.remove_prefix(2);
    const std::size_t length = std::min(claimed, input.size());
    tracker.answer(which, input.substr(0, length));
    input.remove_prefix(length);
  }
}
