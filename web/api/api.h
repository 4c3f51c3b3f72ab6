// The HTTP API: which request goes to which handler, and what is checked of every one of them
// before. Handlers read the published views and call the services of the JobTracker, as the Thrift
// services do: rights, limits and reasons are theirs. Everything under /api/v1 is described by
// openapi.json. Handlers run on workers of the web port, so that they may take a while; none waits.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracker/jobtracker/daemon.h"
#include "tracker/submission/submitter.h"
#include "web/api/call.h"
#include "web/api/event_streams.h"
#include "web/api/host_check.h"
#include "web/api/log_fetcher.h"
#include "web/api/shared_answers.h"
#include "web/server/responder.h"

namespace weir::web {

// What handlers work with.
struct ApiContext {
  ApiContext(JobTracker& jobtracker, boost::asio::io_context& io, Workers& port_workers)
      : tracker(jobtracker),
        workers(port_workers),
        shared(
            io, [this](std::function<void()> work) { return run(std::move(work)); },
            [&jobtracker] { return jobtracker.loop().told(); }),
        submitter(jobtracker.jobs(), lookups),
        logs(std::make_shared<LogFetcher>(io)),
        events(jobtracker) {}

  // What is for many, on a worker of the web port, in a line of its own among those of addresses.
  // False: there is no room for it.
  bool run(std::function<void()> work) {
    return workers.add("many", nullptr, std::move(work)) == Workers::Room::kEnough;
  }

  JobTracker& tracker;
  Workers& workers;
  SharedAnswers shared;
  InputLookups lookups;
  Submitter submitter;
  const std::shared_ptr<LogFetcher> logs;
  EventStreams events;
};

struct Route {
  const char* method;
  const char* path;  // below /api/v1; {} stands for one segment
  void (*handle)(ApiContext& context, const Call& call);
  bool changes = false;  // who asks, and from which page, is looked at
};

// All there are, by path.
const std::vector<Route>& routes();
// Which of them a request is for; as many as there are: none.
std::size_t route_of(const HttpRequest& request);

class Api {
 public:
  Api(JobTracker& jobtracker, boost::asio::io_context& io, Workers& workers, HostCheck hosts);

  // False: the path is none of the API's.
  bool handle(const HttpRequest& request, const HttpResponder& responder);
  const HostCheck& hosts() const { return hosts_; }
  ApiContext& context() { return context_; }
  // No lookup and no stream goes on when it returns.
  void stop();

 private:
  void dispatch(const HttpRequest& request, const HttpResponder& responder);

  ApiContext context_;
  const HostCheck hosts_;
};

// openapi.json, as it is served.
std::string_view openapi_text();

}  // namespace weir::web
