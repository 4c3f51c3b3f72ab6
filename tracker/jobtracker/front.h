// A further way into the JobTracker, made above it (arrows point down): whoever starts the daemon
// may give it one that serves over HTTP. It uses the services of the JobTracker, is made once these
// are there, and stops before they do.
#pragma once

namespace weir {

class Front {
 public:
  virtual ~Front() = default;
  virtual int port() const = 0;
  // Takes no more requests and ends its threads. Once; answers may still come until it returns.
  virtual void stop() = 0;
};

}  // namespace weir
