#include "jobqueue/model/map_output_codec.h"

namespace weir {

std::optional<MapOutputCodec> parse_map_output_codec(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kMapOutputCodecNames); ++i) {
    if (name == kMapOutputCodecNames[i]) return static_cast<MapOutputCodec>(i);
  }
  if (name == "org.apache.hadoop.io.compress.Lz4Codec") return MapOutputCodec::kLz4;
  if (name == "org.apache.hadoop.io.compress.ZStandardCodec") return MapOutputCodec::kZstd;
  return std::nullopt;
}

Result<MapOutputCodec> map_output_codec(const std::map<std::string, std::string>& conf,
                                        MapOutputCodec usual) {
  const auto compress = conf.find(std::string(kCompressConf));
  const auto codec = conf.find(std::string(kCodecConf));
  const auto refusal = [](const auto& entry, const char* allowed) {
    return Error{ErrorCode::kBadRequest, entry.first + " is '" + entry.second + "'",
                 std::string("allowed: ") + allowed};
  };
  std::optional<MapOutputCodec> asked;
  if (codec != conf.end()) {
    asked = parse_map_output_codec(codec->second);
    if (!asked) return refusal(*codec, "none, lz4 or zstd");
  }
  if (compress == conf.end()) return asked.value_or(usual);
  if (compress->second == "false") return MapOutputCodec::kNone;
  if (compress->second != "true") return refusal(*compress, "true or false");
  return asked.value_or(usual == MapOutputCodec::kNone ? MapOutputCodec::kLz4 : usual);
}

}  // namespace weir
