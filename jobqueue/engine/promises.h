// Promises: a command is written first, takes effect and is answered once it is durable, and is
// dropped if the store refuses it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "jobqueue/engine/part.h"

namespace weir {

struct PendingCommand {
  std::uint64_t seq = 0;
  Token token = 0;
  Command command;
  std::vector<Token> again;  // a submission: of those who have asked for it once more since
};

class Promises : public Part {
 public:
  using Part::Part;

  // Written, and not durable yet; by seq.
  const std::deque<PendingCommand>& pending() const { return pending_; }
  bool any_settings() const { return settings_pending_ > 0; }  // changes of them among those
  std::vector<const SettingsChanged*> pending_settings() const;
  std::uint64_t applied_seq() const { return applied_seq_; }
  // Who asks again for a submission that is being written is answered together with the first.
  void answer_too(JobId submitted, Token token);
  void promise(Token token, Command command);  // written now, applied when durable
  void settle(std::uint64_t seq);
  void on(const Durable& input, Token token);
  void on(const StoreFailed& input, Token token);

 private:
  PendingCommand take();  // the first
  void drop(const PendingCommand& command, const std::string& why);

  std::uint64_t applied_seq_ = 0;  // of the command that is being applied
  std::deque<PendingCommand> pending_;  // by seq
  std::uint32_t settings_pending_ = 0;
};

}  // namespace weir
