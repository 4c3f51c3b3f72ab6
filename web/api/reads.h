// Reads of the published views: at the version that is asked for, and where many ask for the same,
// once for all of them. Any thread.
#pragma once

#include <functional>
#include <string>

#include "web/api/api.h"

namespace weir::web {

// Reads of `min_version` (a parameter of every such path) or newer.
using Render = std::function<HttpAnswer(const PublishedViews& views)>;
void read_views(ApiContext& context, const Call& call, const Query& query, Render render);
// For what is the same for everybody: `key` is the path. A read that names a version is not shared.
void read_shared(ApiContext& context, const Call& call, const Query& query, const std::string& key,
                 Render render);

// The answer to a command: {"version": ...} after what it was about.
Answer<Version> done(ApiContext& context, const Call& call, Json about);

}  // namespace weir::web
