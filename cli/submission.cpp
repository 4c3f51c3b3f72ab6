#include "cli/submission.h"

#include <fmt/format.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "cli/calls.h"
#include "cli/patience.h"

namespace weir::cli {
namespace {

constexpr std::size_t kUploadAbovePieces = 20'000;
constexpr std::size_t kPiecesInChunk = 10'000;

std::string draw_submission() {
  std::random_device dice;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", dice(), dice(), dice(), dice());
}

// Splits and the further pieces in them.
std::size_t count_pieces(const std::vector<wire::Split>& splits) {
  std::size_t pieces = splits.size();
  for (const wire::Split& split : splits) pieces += split.more.size();
  return pieces;
}

wire::SubmitReply send_once(JobTracker& jobtracker, wire::SubmitRequest& request,
                            const std::vector<wire::Split>& splits) {
  if (!splits.empty()) {
    std::string upload;
    jobtracker.calls().client([&](auto& client) { client.begin_upload(upload, request.caller); });
    for (std::size_t at = 0; at < splits.size();) {
      std::vector<wire::Split> chunk;
      for (std::size_t pieces = 0; at < splits.size(); ++at) {
        pieces += 1 + splits[at].more.size();
        if (!chunk.empty() && pieces > kPiecesInChunk) break;
        chunk.push_back(splits[at]);
      }
      jobtracker.calls().client([&](auto& client) { client.append_splits(upload, chunk); });
    }
    request.__set_upload(upload);
  }
  wire::SubmitReply reply;
  jobtracker.calls().client([&](auto& client) { client.submit(reply, request); });
  return reply;
}

}  // namespace

wire::SubmitReply send_submission(Context& context, JobTracker& jobtracker,
                                  wire::SubmitRequest request, std::vector<wire::Split> splits,
                                  std::optional<std::int64_t> retry_ms) {
  request.__set_submission(draw_submission());
  if (count_pieces(splits) <= kUploadAbovePieces) {
    request.spec.splits = std::move(splits);
    splits.clear();
  }
  Patience patience(retry_ms.value_or(Patience::kPatienceMs));
  bool reached = retry_ms.has_value();
  for (;;) {
    try {
      return send_once(jobtracker, request, splits);
    } catch (const RpcUnreachable& error) {
      reached = reached || error.maybe_carried_out();
      if (!reached) throw;
      patience.no_answer(context, jobtracker, [] {});
    } catch (const Refused& refused) {
      // What an upload was made of is gone with the JobTracker that had it.
      const bool upload_lost = !splits.empty() && reached &&
                               refused.error().code == ErrorCode::kBadRequest &&
                               refused.error().message.starts_with("upload:");
      if (!is_passing(refused) && !upload_lost) throw;
      reached = true;
      patience.no_answer(context, jobtracker, [] {});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(patience.pause_ms()));
  }
}

}  // namespace weir::cli
