// The client port: what users and administrators send.
#include "fuzz/daemon_rig.h"
#include "fuzz/target.h"

void weir::fuzz::run(std::string_view input) {
  // An administrator may have the event log written anywhere; not on the machine that fuzzes.
  if (input.find("event_log") != std::string_view::npos) return;
  DaemonRig(Port::kClients).receive(input);
}
