#include "thrift/spec_codec.h"

#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include <algorithm>
#include <memory>

#include "store_types.h"
#include "thrift/wire_job.h"

namespace weir {
namespace {
using apache::thrift::protocol::TCompactProtocolT;
using apache::thrift::transport::TMemoryBuffer;

Error unreadable(const std::string& why) {
  return Error{ErrorCode::kStoreFailed,
               "a stored job cannot be read: " + why,
               "restore the store from a backup",
               {}};
}
}  // namespace

std::string encode_job_spec(const JobSpec& spec) {
  wire::StoredJob stored;
  stored.spec = to_wire(spec);
  stored.caller = to_wire(Caller{spec.user, spec.groups});
  if (!spec.submission.empty()) stored.__set_submission(spec.submission);
  auto buffer = std::make_shared<TMemoryBuffer>();
  TCompactProtocolT<TMemoryBuffer> protocol(buffer);
  stored.write(&protocol);
  return buffer->getBufferAsString();
}

Result<JobSpec> decode_job_spec(std::string_view bytes) {
  wire::StoredJob stored;
  try {
    auto* data = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));  // only read
    auto buffer = std::make_shared<TMemoryBuffer>(data, static_cast<std::uint32_t>(bytes.size()));
    // Room is made for as many elements as a list claims, and each takes a byte at least.
    const auto most = static_cast<std::int32_t>(std::min<std::size_t>(bytes.size(), INT32_MAX));
    TCompactProtocolT<TMemoryBuffer> protocol(buffer, most, most);
    stored.read(&protocol);
  } catch (const std::exception& e) {
    return unreadable(e.what());
  }
  const auto caller = from_wire(stored.caller);
  if (!caller) return unreadable(caller.error().message);
  auto spec = from_wire(stored.spec, *caller);
  if (!spec) return unreadable(spec.error().message);
  spec->submission = stored.submission;
  return spec;
}

}  // namespace weir
