// Calls are counted by method and by how they were answered.
#include "tracker/rpc/answer_code.h"

#include "rpc_fixture.h"

namespace weir {
namespace {

std::string counted(const CallCounters& calls) {
  std::string out;
  for (const CallCounters::Method* method : calls.methods()) {
    for (std::size_t code = 0; code < CallCounters::kCodes; ++code) {
      const std::int64_t count = method->codes[code].get();
      if (count > 0)
        out += method->name + " " + answer_code_name(code) + " " + std::to_string(count) + "\n";
    }
  }
  return out;
}

TEST_F(RpcTest, CallsAreCountedByMethodAndCode) {
  start();
  auto client = connect();
  echo(client, "now", 1);
  echo(client, "later", 1);
  EXPECT_THROW(echo(client, "throw", 1), RpcUnreachable);
  EXPECT_THROW(client.call([](auto& c) {
    wire::JobDescription description;
    c.job(description, 7);
  }),
               wire::WeirError);
  EXPECT_EQ(counted(server_->calls()),
            "heartbeat OK 2\nheartbeat EXCEPTION 1\njob UNKNOWN_JOB 1\n");
}

TEST_F(RpcTest, AMethodThatDoesNotExistIsNotCountedByItsName) {
  start();
  // A service that is not served here.
  auto client =
      RpcConnection::create("127.0.0.1", server_->port())->client<wire::ClientServiceClient>();
  EXPECT_ANY_THROW(client.call([](auto& c) {
    wire::JobStatus status;
    c.job_status(status, 1, 0);
  }));
  EXPECT_EQ(counted(server_->calls()), "unknown EXCEPTION 1\n");
}

TEST(AnswerCode, BytesThatEndEarlyAreReadAsFarAsTheyGo) {
  const std::string whole(
      "\0\0\0\x30\x80\x01\0\x02\0\0\0\x03job\0\0\0\x01\x0c\0\x01\x08\0\x01\0\0\0\x07", 29);
  EXPECT_EQ(answer_code(whole).code, 7u);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(answer_code(whole.substr(0, size)).code, 7u) << size;
}

}  // namespace
}  // namespace weir
