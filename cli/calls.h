// The two services of the JobTracker over one connection, for the few files that talk to it: each
// call is a function of the generated client. What is refused comes out as Refused. One thread.
#pragma once

#include <string>
#include <utility>

#include "AdminService.h"
#include "ClientService.h"
#include "cli/exit_code.h"
#include "thrift/wire_error.h"
#include "tracker/rpc/client.h"

namespace weir::cli {

class Calls {
 public:
  explicit Calls(std::shared_ptr<RpcConnection> connection)
      : client_(connection->client<wire::ClientServiceClient>("client")),
        admin_(connection->client<wire::AdminServiceClient>("admin")) {}

  template <class Function>
  auto client(Function&& function) {
    return refusing([&] { return client_.call(std::forward<Function>(function)); });
  }
  template <class Function>
  auto admin(Function&& function) {
    return refusing([&] { return admin_.call(std::forward<Function>(function)); });
  }

 private:
  template <class Call>
  static auto refusing(Call call) {
    try {
      return call();
    } catch (const wire::WeirError& error) {
      const auto& names = wire::_ErrorCode_VALUES_TO_NAMES;
      const auto known = names.find(error.code);
      throw Refused(from_wire(error), known == names.end() ? "UNKNOWN" : known->second);
    }
  }

  RpcClient<wire::ClientServiceClient> client_;
  RpcClient<wire::AdminServiceClient> admin_;
};

}  // namespace weir::cli
