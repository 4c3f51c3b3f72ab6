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

bool left_out(const JobSpec& spec) {
  return std::any_of(spec.files.begin(), spec.files.end(),
                     [](const JobFile& file) { return file.left_out > 0; });
}

// What there was more of than asked() has kept.
wire::Asked asked_to_wire(const JobSpec& spec) {
  wire::Asked out;
  out.input_files = static_cast<std::int32_t>(spec.origin.files);
  out.maps = static_cast<std::int32_t>(spec.maps_were);
  if (left_out(spec)) {
    for (const JobFile& file : spec.files) out.left_out.push_back(file.left_out);
    out.__isset.left_out = true;
  }
  return out;
}

JobSpec asked_from_wire(const wire::StoredJob& stored) {
  JobSpec out = from_wire_without_splits(stored.spec);
  out.origin = origin_from_wire(stored.spec);
  out.user = stored.caller.user;
  out.groups = stored.caller.groups;
  out.origin.files = static_cast<std::uint32_t>(stored.asked.input_files);
  out.maps_were = static_cast<std::uint32_t>(stored.asked.maps);
  for (std::size_t i = 0; i < std::min(out.files.size(), stored.asked.left_out.size()); ++i)
    out.files[i].left_out = stored.asked.left_out[i];
  return out;
}

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
  if (!spec.origin.address.empty()) stored.__set_address(spec.origin.address);
  if (left_out(spec) || (spec.splits.empty() && !spec.application()))
    stored.__set_asked(asked_to_wire(spec));
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
  auto spec = stored.__isset.asked ? asked_from_wire(stored) : from_wire(stored.spec, *caller);
  if (!spec) return unreadable(spec.error().message);
  spec->submission = stored.submission;
  spec->origin.address = stored.address;
  return spec;
}

}  // namespace weir
