// Files that the build has put into the binary (cmake/Embed.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace weir::web {

struct EmbeddedFile {
  std::string_view name;  // below the folder: "views/jobs.js"
  std::string_view text;
};

const std::vector<EmbeddedFile>& embedded_pages();  // web/pages/
const std::vector<EmbeddedFile>& embedded_api();    // openapi.json

}  // namespace weir::web
