#include "bench/wire/wire_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "ClientService.h"
#include "bench/wire/in_parallel.h"
#include "tracker/rpc/client.h"

namespace weir::bench {
namespace {

constexpr std::uint32_t kSubmitters = 16;

wire::SubmitRequest request_of(const WireJobs& jobs, std::uint32_t job) {
  wire::SubmitRequest request;
  request.caller.user = fmt::format("user{}", job / jobs.queues % 5);
  request.spec.name = fmt::format("bench {}", job);
  request.spec.queue = fmt::format("q{}", job % jobs.queues);
  request.spec.input_files = {"/data/in"};
  request.spec.output = fmt::format("/out/{}", job);
  request.spec.mapper = "cat";
  request.spec.__set_reducer("cat");
  request.spec.__set_reduces(1);
  request.spec.__set_slowstart_millionths(1'000'000);
  wire::Split split;
  split.file = 0;
  split.length = 64;
  const std::uint32_t maps = std::max(1u, jobs.maps / jobs.jobs);
  request.spec.splits.reserve(maps);
  for (std::uint32_t map = 0; map < maps; ++map) {
    split.offset = std::int64_t{64} * map;
    request.spec.splits.push_back(split);
  }
  return request;
}

}  // namespace

void submit_all(const WireJobs& jobs, std::uint16_t port) {
  in_parallel(kSubmitters, "submitting", [&](std::uint32_t submitter) {
    auto calls =
        RpcConnection::create("127.0.0.1", port)->client<wire::ClientServiceClient>("client");
    for (std::uint32_t job = submitter; job < jobs.jobs; job += kSubmitters) {
      calls.call([&](wire::ClientServiceClient& client) {
        wire::SubmitReply reply;
        client.submit(reply, request_of(jobs, job));
      });
    }
  });
}

}  // namespace weir::bench
