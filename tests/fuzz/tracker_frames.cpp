// The tracker port, after the rig's tracker has registered.
#include "fuzz/daemon_rig.h"
#include "fuzz/target.h"

void weir::fuzz::run(std::string_view input) {
  DaemonRig(Port::kTrackers).receive(input);
}
