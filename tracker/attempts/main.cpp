// The program that makes attempts' processes, as one of its own (attempt_server.h). `weir` carries
// it (attempt_program.h).
#include "tracker/tasktracker/attempt_server.h"

int main() {
  return weir::serve_attempts_main();
}
