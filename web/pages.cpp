#include "web/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "web/server/embedded.h"

namespace weir::web {
namespace {

constexpr std::array kViews = {"queues",   "pools",  "jobs",   "trackers",
                               "policy",   "settings", "events"};
constexpr std::size_t kMostParts = 3;

std::string_view content_type(std::string_view name) {
  static const std::map<std::string_view, std::string_view> types = {
      {"html", "text/html; charset=utf-8"},
      {"js", "text/javascript; charset=utf-8"},
      {"css", "text/css; charset=utf-8"},
      {"svg", "image/svg+xml"},
      {"json", "application/json"},
      {"png", "image/png"},
      {"ico", "image/x-icon"},
      {"woff2", "font/woff2"},
      {"txt", "text/plain; charset=utf-8"}};
  const auto found = types.find(name.substr(name.rfind('.') + 1));
  return found == types.end() ? "application/octet-stream" : found->second;
}

HttpAnswer not_found() {
  HttpAnswer answer = text_answer(
      404, "text/html; charset=utf-8",
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Not found - Weir</title>\n"
      "<p>There is no such page. <a href=\"/\">To the overview</a></p></html>\n");
  answer.cache_control = "no-store";
  return answer;
}

bool is_view(const std::vector<std::string>& path) {
  if (path.empty()) return true;
  return path.size() <= kMostParts &&
         std::find(kViews.begin(), kViews.end(), path[0]) != kViews.end();
}

std::string joined(const std::vector<std::string>& path, std::size_t from) {
  std::string name;
  for (std::size_t i = from; i < path.size(); ++i) name += (i == from ? "" : "/") + path[i];
  return name;
}

}  // namespace

Pages::Pages() {
  for (const EmbeddedFile& file : embedded_pages()) {
    HttpAnswer answer =
        text_answer(200, std::string(content_type(file.name)), std::string(file.text));
    answer.gzipped = gzip(file.text);
    answer.kept = true;
    answer.etag = fmt::format("\"{:016x}\"", std::hash<std::string_view>()(file.text));
    files_.emplace(file.name, std::move(answer));
  }
}

HttpAnswer Pages::answer(const HttpRequest& request) const {
  const bool asset = request.path.size() > 1 && request.path[0] == "assets";
  if (!asset && !is_view(request.path)) return not_found();
  const auto found = files_.find(asset ? joined(request.path, 1) : "index.html");
  if (found == files_.end()) return not_found();
  if (request.method == "GET") return found->second;
  return only_for_reading(request);
}

}  // namespace weir::web
