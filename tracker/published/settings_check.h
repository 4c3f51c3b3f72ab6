// What is to be said of settings before anybody applies them: every finding with its place. What
// the live state would say to them is in settings_diff.h. Pure functions, any thread.
#pragma once

#include <string>

#include "conf/settings_text.h"
#include "views/settings_view.h"

namespace weir {

// `name` stands for the file in messages.
SettingsCheckView check_of_settings(const std::string& name, const SettingsText& text);

}  // namespace weir
