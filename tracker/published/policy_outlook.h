// What a policy would give each queue and pool as things stand: the one that rules, or another,
// made for the purpose from the same state, so that an administrator can compare before switching.
// On the engine's thread; another costs as much as a switch, so ask for one at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "jobqueue/engine/engine.h"
#include "views/policy_view.h"
#include "views/settings_view.h"

namespace weir {

// Nothing if there is no such policy.
std::optional<OutlookView> policy_outlook(const Engine& engine, const std::string& name);
// What new settings would do, that the engine's check lets pass. Nothing where containers count.
std::optional<SettingsDiffView::Preview> preview_of(const Engine& engine,
                                                    std::shared_ptr<const Settings> settings);
// Of the one that rules alone, which costs a walk over its queues or pools.
OutlookView ruling_outlook(const Engine& engine);

}  // namespace weir
