#include "jobqueue/model/map_output_codec.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr auto kNone = MapOutputCodec::kNone, kLz4 = MapOutputCodec::kLz4,
               kZstd = MapOutputCodec::kZstd;

TEST(MapOutputCodec, IsWhatTheJobSaysOrAsUsual) {
  struct Case {
    const char *compress, *codec;
    MapOutputCodec usual, is;
  };
  for (const Case& c :
       {Case{nullptr, nullptr, kNone, kNone}, Case{nullptr, nullptr, kZstd, kZstd},
        Case{"false", nullptr, kZstd, kNone}, Case{"true", nullptr, kNone, kLz4},
        Case{"true", nullptr, kZstd, kZstd}, Case{"true", "lz4", kZstd, kLz4},
        Case{"true", "none", kZstd, kNone}, Case{nullptr, "zstd", kNone, kZstd},
        Case{"false", "zstd", kLz4, kNone},
        Case{"true", "org.apache.hadoop.io.compress.Lz4Codec", kZstd, kLz4},
        Case{"true", "org.apache.hadoop.io.compress.ZStandardCodec", kNone, kZstd}}) {
    std::map<std::string, std::string> conf;
    if (c.compress) conf[std::string(kCompressConf)] = c.compress;
    if (c.codec) conf[std::string(kCodecConf)] = c.codec;
    const auto codec = map_output_codec(conf, c.usual);
    ASSERT_TRUE(codec.ok());
    EXPECT_EQ(*codec, c.is) << (c.compress ? c.compress : "-") << " " << (c.codec ? c.codec : "-");
  }
}

TEST(MapOutputCodec, WhatCannotBeReadIsRefusedWithWhatCan) {
  const auto refusal = [](std::string_view key, const char* value) {
    const auto codec = map_output_codec({{std::string(key), value}}, kNone);
    return codec.ok() ? "" : codec.error().message + "; " + codec.error().hint;
  };
  EXPECT_EQ(refusal(kCompressConf, "yes"),
            "mapreduce.map.output.compress is 'yes'; allowed: true or false");
  EXPECT_EQ(refusal(kCodecConf, "org.apache.hadoop.io.compress.SnappyCodec"),
            "mapreduce.map.output.compress.codec is "
            "'org.apache.hadoop.io.compress.SnappyCodec'; allowed: none, lz4 or zstd");
}

}  // namespace
}  // namespace weir
