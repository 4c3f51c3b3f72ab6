#include "web/front.h"

#include <pthread.h>
#include <resolv.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <thread>

#include "tracker/jobtracker/descriptors.h"
#include "tracker/jobtracker/free_memory.h"
#include "tracker/metrics/http_times.h"
#include "web/api/api.h"
#include "web/api/reads.h"
#include "web/api/refusal.h"
#include "web/metrics/metrics.h"
#include "web/pages.h"
#include "web/server/server.h"

namespace weir::web {
namespace {

constexpr int kWorkers = 2;             // one may be at a long list
constexpr std::size_t kWaiting = 4096;  // calls, of an address a quarter
// One may be at the metrics, which takes a while where there are thousands of queues.
constexpr int kProbeWorkers = 2;
constexpr std::size_t kProbesWaiting = 512;
constexpr std::string_view kProbes[] = {"healthz", "readyz", "metrics"};

// Its host name as it is set, its first label, and that in each domain in which the machine looks
// names up (resolv.conf). Nobody else is asked: it might never answer.
std::vector<std::string> names_of_machine() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == 0) return {};
  const std::string whole = name, first = whole.substr(0, whole.find('.'));
  std::vector<std::string> names = {whole, first};
  struct __res_state resolver = {};
  if (::res_ninit(&resolver) != 0) return names;
  for (const char* domain : resolver.dnsrch) {
    if (domain == nullptr) break;
    if (*domain != 0) names.push_back(first + '.' + domain);
  }
  ::res_nclose(&resolver);
  return names;
}

// Large bodies, of requests and of answers, leave free pieces all over the allocator, of which it
// gives nothing back by itself: once a second has gone by without one, it is told to.
class MemoryGivenBack {
 public:
  static constexpr std::size_t kLarge = 1 << 20;

  MemoryGivenBack(boost::asio::io_context& io, Workers& workers) : timer_(io), workers_(workers) {}
  void freed(std::size_t bytes) {
    if (bytes < kLarge) return;
    again_ = true;
    if (!armed_.exchange(true)) wait();
  }

 private:
  void wait() {
    again_ = false;
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      const bool given = !again_ && workers_.add("memory", nullptr, [this] { give_back(); }) ==
                                        Workers::Room::kEnough;
      if (!given) wait();
    });
  }
  void give_back() {
    release_free_memory();
    armed_ = false;
    if (again_ && !armed_.exchange(true)) wait();  // one that came meanwhile
  }

  boost::asio::steady_timer timer_;  // touched by the thread that armed it
  Workers& workers_;
  std::atomic<bool> armed_{false}, again_{false};
};

HttpLimits limits_of(const RpcLimits& limits) {
  HttpLimits out;
  out.max_connections = static_cast<std::size_t>(affordable_connections(limits.max_connections));
  out.max_streams = std::max<std::size_t>(out.max_connections / 4, 16);
  out.max_body_bytes = static_cast<std::size_t>(limits.client_frame_bytes);
  out.read_timeout = std::chrono::milliseconds(limits.read_timeout_ms);
  out.idle_timeout = std::min(out.idle_timeout, std::chrono::milliseconds(limits.idle_timeout_ms));
  return out;
}

HttpAnswer said(int status, const char* text) {
  HttpAnswer answer = text_answer(status, "text/plain; charset=utf-8", text);
  answer.cache_control = "no-store";
  return answer;
}

class WebFront final : public Front {
 public:
  WebFront(JobTracker& tracker, const DaemonSettings& daemon)
      : tracker_(tracker), api_(tracker, io_, workers_, HostCheck(names_of(daemon))) {}
  ~WebFront() override { stop(); }

  Status listen(const DaemonSettings& daemon) {
    const RpcLimits& limits = daemon.limits;
    const auto bytes = static_cast<std::size_t>(
        std::max(limits.buffered_bytes / 4, 4 * limits.client_frame_bytes));
    budget_ = std::make_shared<ByteBudget>(bytes);
    auto server = HttpServer::listen(
        io_, "web port", daemon.listen_http->host, daemon.listen_http->port,
        {.handle = [this](const HttpRequest& request,
                          const HttpResponder& responder) { handle(request, responder); },
         .workers_of = [this](const HttpRequest& request) -> Workers& {
           return is_probe(request) ? probe_workers_ : workers_;
         },
         .answered = [this](const HttpRequest& request, int status,
                            auto took) { times_.add(place_of(request), status, took); },
         .freed = [this](std::size_t bytes) { given_back_.freed(bytes); }},
        limits_of(limits), budget_);
    if (!server) return server.error();
    server_ = std::move(*server);
    thread_ = std::thread([this] { run(); });
    return Ok{};
  }

  int port() const override { return server_ ? server_->port() : 0; }

  void stop() override {
    if (std::exchange(stopped_, true)) return;
    api_.stop();  // the streams' last words first
    if (server_) server_->stop();
    // Both go their way through the io thread; nobody can hold that up, but a machine may be slow.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (server_ && server_->connections() > 0 && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    workers_.stop();
    probe_workers_.stop();
    open_.reset();
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  // What calls are counted by: the API's routes, its other paths, the probes, the pages.
  static std::vector<HttpTimes::Route> counted_routes() {
    std::vector<HttpTimes::Route> all;
    for (const Route& route : routes())
      all.push_back({route.method, std::string("/api/v1") + route.path});
    all.push_back({"any", "/api"});
    for (const std::string_view probe : kProbes) all.push_back({"any", "/" + std::string(probe)});
    all.push_back({"any", "pages"});
    return all;
  }
  static std::size_t place_of(const HttpRequest& request) {
    if (!request.path.empty() && request.path[0] == "api") return route_of(request);
    const std::size_t probes = routes().size() + 1, pages = probes + std::size(kProbes);
    if (request.path.size() != 1) return pages;
    const auto* probe = std::find(std::begin(kProbes), std::end(kProbes), request.path[0]);
    return probes + static_cast<std::size_t>(probe - std::begin(kProbes));
  }
  // These have workers of their own: they are answered whatever else is being computed.
  static bool is_probe(const HttpRequest& request) {
    return request.path.size() == 1 && std::find(std::begin(kProbes), std::end(kProbes),
                                                 request.path[0]) != std::end(kProbes);
  }

  static std::vector<std::string> names_of(const DaemonSettings& daemon) {
    std::vector<std::string> names = names_of_machine();
    names.insert(names.end(), daemon.http_names.begin(), daemon.http_names.end());
    names.push_back(daemon.listen_http->host);
    return names;
  }

  void run() {
    ::pthread_setname_np(::pthread_self(), "web port");
    for (;;) {
      try {
        io_.run();
        return;
      } catch (const std::exception& error) {
        spdlog::error("web port: {}", error.what());  // one connection is lost, the port goes on
      }
    }
  }

  void handle(const HttpRequest& request, const HttpResponder& responder) {
    try {
      api_.hosts().check_host(request);
    } catch (const Refusal& refusal) {
      return responder.answer(error_answer(refusal));
    }
    if (is_probe(request)) return handle_probe(request, responder);
    if (api_.handle(request, responder)) return;
    responder.answer(pages_.answer(request));
  }

  void handle_probe(const HttpRequest& request, const HttpResponder& responder) {
    const std::string& name = request.path[0];
    if (request.method != "GET") {
      responder.answer(only_for_reading(request));
    } else if (name == "healthz") {
      responder.answer(said(200, "ok\n"));
    } else if (name == "readyz") {
      ready(responder);
    } else {
      give_metrics(responder);
    }
  }

  // Made once for all who ask at one time.
  void give_metrics(const HttpResponder& responder) {
    metrics_.get("", Reply(responder), [this](const Answer<HttpAnswer>& answer, const auto&) {
      answer_with(answer, [this] { return metrics(); });
    });
  }
  HttpAnswer metrics() const {
    DaemonFigures figures = tracker_.figures();
    figures.ports.push_back(own_figures());
    HttpAnswer made = text_answer(
        200, kMetricsContentType,
        metrics_text(figures, *tracker_.loop().views().latest(), tracker_.loop().time().now()));
    made.cache_control = "no-store";
    return made;
  }

  PortFigures own_figures() const {
    PortFigures port;
    port.name = "http";
    port.http = &times_;
    port.connections = static_cast<std::int64_t>(server_->connections());
    port.buffered_bytes = static_cast<std::int64_t>(budget_->used());
    port.buffered_bytes_limit = static_cast<std::int64_t>(budget_->limit());
    const Refusals& refused = server_->refusals();
    port.refused = {{"oversize", refused.oversize},
                    {"malformed", refused.malformed},
                    {"timeout", refused.timeout},
                    {"over_budget", refused.over_budget},
                    {"too_many_connections", refused.too_many_connections}};
    return port;
  }

  // The store takes what is written, and the recovery is over. Asked on nobody's account: what its
  // address has waiting at the engine is no reason not to be ready.
  void ready(const HttpResponder& responder) {
    if (tracker_.loop().store_error())
      return responder.answer(said(503, "the store refuses writes\n"));
    const auto tell = [responder](const Result<EngineLoop::Inside>& inside) {
      if (!inside) return responder.answer(said(503, "the JobTracker is busy, or ends\n"));
      const bool recovering = inside->engine->recovering();
      responder.answer(recovering ? said(503, "trackers are to report after the start\n")
                                  : said(200, "ready\n"));
    };
    tracker_.loop().query(tell, Asker{});
  }

  JobTracker& tracker_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_{
      io_.get_executor()};
  Workers workers_{"web answers", kWorkers, kWaiting};
  Workers probe_workers_{"web probes", kProbeWorkers, kProbesWaiting};
  MemoryGivenBack given_back_{io_, workers_};
  HttpTimes times_{counted_routes()};
  const Pages pages_;
  Api api_;
  SharedAnswers metrics_{
      io_,
      [this](std::function<void()> work) {
        return probe_workers_.add("many", nullptr, std::move(work)) == Workers::Room::kEnough;
      },
      [this] { return tracker_.loop().told(); }};
  std::shared_ptr<ByteBudget> budget_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;  // of io_
  bool stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<Front>> open_front(JobTracker& tracker, const DaemonSettings& daemon) {
  auto front = std::make_unique<WebFront>(tracker, daemon);
  if (Status listening = front->listen(daemon); !listening) return listening.error();
  return std::unique_ptr<Front>(std::move(front));
}

}  // namespace weir::web
