// The durable side of the engine: events go in, a snapshot comes out at the next start. One
// append() is one transaction, so a group of promises costs one sync; it is written wholly or not
// at all. What comes back from load() is the effect of the appended events, not the events:
// finished jobs come without their tasks, and only as long as tidy() has left them there. A fact
// about a job that the store does not have, or that is over, is left out: nobody can miss it, and
// refusing it would keep everything behind it off the disk for ever. A store is used by one thread
// at a time (the GroupCommitter's writer, once that runs) and starts none.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "jobqueue/model/event.h"
#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/snapshot.h"
#include "jobqueue/model/time.h"
#include "jobqueue/store/history.h"

namespace weir {

// How a job's spec becomes bytes: given by the daemon, so that the store needs no serialisation
// library. Both are called on the thread that uses the store.
struct SpecCodec {
  std::function<std::string(const JobSpec&)> encode;
  std::function<Result<JobSpec>(std::string_view)> decode;
};

// Comes back as Snapshot::settings_file_hash. Written with the settings that were read from that
// file, as one: else a command's settings that came in between would be undone by the file at the
// next start.
inline constexpr std::string_view kSettingsFileHashKey = "settings_file_hash";

class Store {
 public:
  virtual ~Store() = default;

  // A start: all that was promised before. Counts the durable epoch up by one.
  virtual Result<Snapshot> load() = 0;

  // Writes the events, each with seq > 0 and in order of seq, as one transaction.
  virtual Status append(std::span<const Event> events) = 0;

  // Engine time goes on from here after a restart even if nothing happens. Never goes back.
  virtual Status touch_time(TimeMs at) = 0;

  // Small values of the daemon's own. The keys that the store uses itself are refused.
  virtual Status set_meta(std::string_view key, std::string_view value) = 0;
  virtual Result<std::optional<std::string>> get_meta(std::string_view key) = 0;

  // Removes some of what may leave; true: there is more. One call is one small transaction, so that
  // nobody's promise waits long for it.
  virtual Result<bool> tidy(const Retention& retention) = 0;
  // Writes these pieces of series, and removes a bounded number of those that may leave; as one
  // small transaction, too. Nobody waits for it, and nothing is lost with it but a picture.
  virtual Status put_series(std::span<const SeriesRow> rows,
                            std::span<const SeriesRetention> keep) = 0;
  // A reader, which must not outlive the store. Unlike everything else here it may be asked for,
  // and used, on another thread than the store's.
  virtual Result<std::unique_ptr<History>> history() = 0;
};

// The keys that Store::set_meta refuses.
bool is_reserved_meta_key(std::string_view key);

}  // namespace weir
