// What the tests of settings share: the findings about a text, and a text that must be good.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "conf/load.h"

namespace weir {

inline std::vector<std::string> findings(std::string_view text) {
  const auto loaded = load_settings_text("f", text);
  if (loaded) return loaded->settings.notices;
  EXPECT_EQ(loaded.error().code, ErrorCode::kSettingsRefused);
  EXPECT_FALSE(loaded.error().message.empty());
  return loaded.error().diagnostics;
}

inline Loaded good(std::string_view text) {
  auto loaded = load_settings_text("f", text);
  if (loaded) return std::move(*loaded);
  for (const std::string& line : loaded.error().diagnostics) ADD_FAILURE() << line;
  return {};
}

// The samples of this checkout. Not found by __FILE__: a compiler cache may make that relative.
inline std::string conf_folder() {
  return WEIR_CONF_FOLDER;
}

}  // namespace weir
