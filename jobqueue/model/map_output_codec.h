// How a job's map outputs are compressed on the disk and on the way to reduces: not at all, by lz4
// or by zstd. A job says it as Hadoop's do (mapreduce.map.output.compress and .codec); for one that
// says nothing the tracker's setting counts. The numbers stand in files: never renumber. Pure, any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "jobqueue/model/result.h"

namespace weir {

enum class MapOutputCodec : std::uint8_t { kNone = 0, kLz4 = 1, kZstd = 2 };
inline constexpr std::string_view kMapOutputCodecNames[] = {"none", "lz4", "zstd"};

inline constexpr std::string_view kCompressConf = "mapreduce.map.output.compress";
inline constexpr std::string_view kCodecConf = "mapreduce.map.output.compress.codec";

// `lz4`, or the name of Hadoop's class for it.
std::optional<MapOutputCodec> parse_map_output_codec(std::string_view name);
// Of a job with this conf. To compress without saying how is to do it as is usual, or by lz4; to
// say how is to compress, unless that is turned off.
Result<MapOutputCodec> map_output_codec(const std::map<std::string, std::string>& conf,
                                        MapOutputCodec usual);

}  // namespace weir
