// What a job was submitted with, there and back.
#include <algorithm>

#include "thrift/wire_job.h"
#include "thrift/wire_views.h"

namespace weir {

wire::AskedJob to_wire(const AskedView& asked) {
  wire::AskedJob out;
  out.job = asked.job.value;
  out.spec = to_wire_without_splits(asked.spec);
  origin_to_wire(asked.spec.origin, out.spec);
  out.user = asked.spec.user;
  out.address = asked.spec.origin.address;
  out.input_files = static_cast<std::int32_t>(asked.spec.origin.files);
  out.maps = static_cast<std::int32_t>(asked.spec.maps_were);
  for (const JobFile& file : asked.spec.files) out.left_out.push_back(file.left_out);
  out.masked = asked.masked;
  return out;
}

AskedView from_wire(const wire::AskedJob& asked) {
  AskedView out;
  out.job = JobId(static_cast<std::size_t>(asked.job));
  out.spec = from_wire_without_splits(asked.spec);
  out.spec.origin = origin_from_wire(asked.spec);
  out.spec.user = asked.user;
  out.spec.origin.address = asked.address;
  out.spec.origin.files = static_cast<std::uint32_t>(asked.input_files);
  out.spec.maps_were = static_cast<std::uint32_t>(asked.maps);
  for (std::size_t i = 0; i < std::min(out.spec.files.size(), asked.left_out.size()); ++i)
    out.spec.files[i].left_out = asked.left_out[i];
  out.masked = asked.masked;
  return out;
}

}  // namespace weir
