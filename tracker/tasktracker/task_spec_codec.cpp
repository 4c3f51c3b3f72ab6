#include "tracker/tasktracker/task_spec_codec.h"

#include <thrift/transport/TTransportException.h>

#include <iterator>
#include <stdexcept>
#include <utility>

#include "task_types.h"
#include "thrift/wire_job.h"
#include "tracker/rpc/frame.h"
#include "tracker/tasktracker/posix.h"

namespace weir::tasktracker {
namespace {

using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TType;
using apache::thrift::transport::TMemoryBuffer;
using apache::thrift::transport::TTransportException;

constexpr std::int16_t kFields = 29;  // of wire::TaskSpec

// Its outermost struct has each of its fields, in order, and no struct has another one.
class StrictProtocol : public FrameProtocol {
 public:
  using FrameProtocol::FrameProtocol;

  std::uint32_t readStructBegin_virt(std::string& name) override {
    ++depth_;
    return FrameProtocol::readStructBegin(name);
  }
  std::uint32_t readStructEnd_virt() override {
    --depth_;
    return FrameProtocol::readStructEnd();
  }
  std::uint32_t readFieldBegin_virt(std::string& name, TType& type, std::int16_t& id) override {
    const std::uint32_t read = FrameProtocol::readFieldBegin(name, type, id);
    if (depth_ > 1) return read;
    const bool over = type == apache::thrift::protocol::T_STOP;
    if (over ? field_ < kFields : id != field_ + 1) refuse(field_ + 1, "is missing");
    if (!over) field_ = id;
    return read;
  }
  // What generated code does with a field that it has no place for.
  std::uint32_t skip_virt(TType) override {
    refuse(field_,
           depth_ > 1 ? "has a part that is not known" : "is not known, or of another type");
  }
  std::int16_t field() const { return field_; }

 private:
  [[noreturn]] static void refuse(int field, const std::string& why) {
    throw std::runtime_error("field " + std::to_string(field) + " " + why);
  }

  int depth_ = 0;
  std::int16_t field_ = 0;  // of the outermost struct, the last that has begun
};

Error damaged(const std::string& why) {
  return data_error("task file: " + why);
}

Status read_struct(std::string_view bytes, wire::TaskSpec& file) {
  const auto buffer = std::make_shared<FrameBuffer>();
  buffer->observe(bytes);
  StrictProtocol protocol(buffer, static_cast<std::uint32_t>(bytes.size()));
  try {
    file.read(&protocol);
  } catch (const std::runtime_error& refused) {
    return damaged(refused.what());
  } catch (const TTransportException&) {
    return damaged("ends in or after field " + std::to_string(protocol.field()));
  } catch (const std::exception& problem) {
    return damaged("field " + std::to_string(protocol.field()) + ": " + problem.what());
  }
  if (const auto rest = buffer->available_read(); rest > 0)
    return damaged(std::to_string(rest) + " bytes are behind its end");
  return Ok{};
}

// Calls `same` with both sides of every field that is the same there, so that writing and reading
// agree.
template <class Spec, class File, class Same>
void for_each_field(Spec& spec, File& file, Same same) {
  same(spec.job_display_name, file.job_display_name);
  same(spec.mapper, file.mapper);
  same(spec.reducer, file.reducer);
  same(spec.combiner, file.combiner);
  same(spec.output, file.output);
  same(spec.owner, file.owner);
  same(spec.conf, file.conf);
  same(spec.environment, file.environment);
  same(spec.working_directory, file.working_directory);
  same(spec.memory_mb, file.memory_mb);
  same(spec.sort_memory_mb, file.sort_memory_mb);
  same(spec.max_line_mb, file.max_line_mb);
  same(spec.compute_granted, file.compute_granted);
  same(spec.attempt_dir, file.attempt_dir);
  same(spec.map_output_dir, file.map_output_dir);
  same(spec.log_dir, file.log_dir);
  same(spec.log_stream_mb, file.log_stream_mb);
  same(spec.settings.open_files, file.settings.open_files);
  same(spec.settings.file_mb, file.settings.file_mb);
  same(spec.settings.core_mb, file.settings.core_mb);
  same(spec.settings.user_processes, file.settings.user_processes);
  same(spec.settings.environment, file.settings.environment);
  same(spec.cgroups, file.cgroups);
  same(spec.hidden_root, file.hidden_root);
  same(spec.sealed_mounts, file.sealed_mounts);
  same(spec.output_is_durable, file.output_is_durable);
  same(spec.spare_output_dir, file.spare_output_dir);
  same(spec.application.group, file.application.group);
  same(spec.application.command, file.application.command);
  same(spec.application.memory_mb, file.application.memory_mb);
  same(spec.application.vcores, file.application.vcores);
  same(spec.application.peers, file.application.peers);
}

}  // namespace

std::string encode_task_spec(const TaskSpec& spec) {
  wire::TaskSpec file;
  file.attempt = to_wire(spec.id);
  file.maps = static_cast<std::int32_t>(spec.maps);
  file.reduces = static_cast<std::int32_t>(spec.reduces);
  for (const InputPiece& piece : spec.input) {
    wire::InputPiece& written = file.input.emplace_back();
    written.file = piece.file;
    written.offset = piece.offset;
    written.length = piece.length;
  }
  for (const JobFile& shipped : spec.files) {
    wire::JobFile& written = file.files.emplace_back();
    written.name = shipped.name;
    written.content = shipped.content;
    written.__set_executable(shipped.executable);
  }
  for_each_field(spec, file, [](const auto& from, auto& to) { to = from; });
  file.application.count = static_cast<std::int32_t>(spec.application.count);
  for (const auto& [resource, numbers] : spec.application.units)
    file.application.units[resource] = {numbers.begin(), numbers.end()};
  file.application.ports = {spec.application.ports.begin(), spec.application.ports.end()};
  file.settings.map_output_codec = static_cast<std::int32_t>(spec.settings.map_output_codec);
  const auto memory = std::make_shared<TMemoryBuffer>();
  TBinaryProtocolT<TMemoryBuffer> protocol(memory);
  file.write(&protocol);
  return memory->getBufferAsString();
}

Result<TaskSpec> decode_task_spec(std::string_view bytes) {
  wire::TaskSpec file;
  if (Status read = read_struct(bytes, file); !read) return read.error();
  const auto attempt = from_wire(file.attempt);
  if (!attempt) return damaged(attempt.error().message);
  if (file.maps < 0 || file.reduces < 0) return damaged("a number of tasks is below 0");
  TaskSpec spec;
  spec.id = *attempt;
  if (spec.is_map() && file.input.empty()) return damaged("a map without input");
  spec.maps = static_cast<std::uint32_t>(file.maps);
  spec.reduces = static_cast<std::uint32_t>(file.reduces);
  for (const wire::InputPiece& piece : file.input)
    spec.input.push_back({piece.file, piece.offset, piece.length});
  for (wire::JobFile& shipped : file.files)
    spec.files.push_back({shipped.name, std::move(shipped.content), shipped.executable});
  for_each_field(spec, file, [](auto& to, auto& from) { to = std::move(from); });
  spec.application.count = static_cast<std::uint32_t>(file.application.count);
  for (const auto& [resource, numbers] : file.application.units) {
    for (const std::int32_t number : numbers)
      spec.application.units[resource].push_back(static_cast<std::uint32_t>(number));
  }
  for (const std::int32_t port : file.application.ports)
    spec.application.ports.push_back(static_cast<std::uint16_t>(port));
  const std::int32_t codec = file.settings.map_output_codec;
  if (codec < 0 || std::cmp_greater_equal(codec, std::size(kMapOutputCodecNames)))
    return damaged("a codec that is not known");
  spec.settings.map_output_codec = static_cast<MapOutputCodec>(codec);
  return spec;
}

}  // namespace weir::tasktracker
