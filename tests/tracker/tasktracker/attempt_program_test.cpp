#include "tracker/tasktracker/attempt_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracker/tasktracker/attempt_starter.h"

namespace weir::tasktracker {
namespace {

class CarriedProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (program_.path().empty()) GTEST_SKIP() << "this build carries none";
  }
  const AttemptProgram program_ = AttemptProgram::load();
};

TEST_F(CarriedProgram, ServesAttempts) {
  AttemptStarter starter(program_.path(), {}, 5000);
  auto commands = make_pipe(), reports = make_pipe();
  const UniqueFd notes(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto started =
      starter.start({commands->read_end.get(), reports->write_end.get(), notes.get()});
  ASSERT_TRUE(started.ok()) << started.error().message;
  commands->write_end.reset();
  int status = 0;
  ASSERT_EQ(::waitpid(*started, &status, 0), *started);
  EXPECT_EQ(WEXITSTATUS(status), 2);  // it says that it was told nothing
}

TEST_F(CarriedProgram, NobodyCanWriteToIt) {
  EXPECT_LT(::open(program_.path().c_str(), O_WRONLY | O_TRUNC), 0);
  const UniqueFd file(::open(program_.path().c_str(), O_RDWR | O_CLOEXEC));
  if (file.valid()) {
    EXPECT_LT(::write(file.get(), "x", 1), 0);
    EXPECT_NE(::ftruncate(file.get(), 0), 0);
  }
}

}  // namespace
}  // namespace weir::tasktracker
