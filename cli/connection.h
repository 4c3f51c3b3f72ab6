// The JobTracker as commands see it: client() and admin() run one call of the two services over one
// connection, made at the first call. What the JobTracker refuses comes out as wire::WeirError, an
// unreachable one as RpcUnreachable; run_cli turns both into a line and an exit code (unreachable()
// has the line). One thread.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "AdminService.h"
#include "ClientService.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "tracker/rpc/client.h"

namespace weir::cli {

class JobTracker {
 public:
  explicit JobTracker(const Context& context) : JobTracker(jobtracker_address(context)) {}
  explicit JobTracker(const std::string& address);  // refused (exit code 2) if it is no HOST:PORT

  template <class Function>
  auto client(Function&& function) {
    return client_->call(std::forward<Function>(function));
  }
  template <class Function>
  auto admin(Function&& function) {
    return admin_->call(std::forward<Function>(function));
  }
  const std::string& address() const { return address_; }

 private:
  std::string address_;
  std::unique_ptr<RpcClient<wire::ClientServiceClient>> client_;
  std::unique_ptr<RpcClient<wire::AdminServiceClient>> admin_;
};

CliFailure unreachable(const std::string& address, const RpcUnreachable& error);

}  // namespace weir::cli
