// Settings: their text, checks, diffs, those before. Text is sent as YAML, or in a JSON object.
#include <algorithm>
#include <charconv>

#include "conf/policies.h"
#include "web/api/fields.h"
#include "web/api/handlers.h"
#include "web/api/reads.h"

namespace weir::web {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;

SentSettings sent_settings(const HttpRequest& request) {
  if (request.body.size() > kMostBytes)
    refuse("the body: settings of more than 4 MiB", "fewer settings", 413);
  SentSettings sent;
  sent.name = "settings";
  const std::string kind = media_type(request);
  if (kind == "application/json") {
    const Json body = json_body(request);
    Fields fields(body, "");
    sent.text = fields.needed("text");
    if (auto name = fields.text("name")) sent.name = std::move(*name);
    fields.end();
    return sent;
  }
  if (kind != "application/yaml" && kind != "text/plain" && kind != "application/x-yaml") {
    refuse("Content-Type: '" + kind.substr(0, 64) + "' is not taken here",
           "application/yaml, text/plain or application/json", 415);
  }
  sent.text = request.body;
  return sent;
}

// The policy is no part of the settings' text, but of the answer that has it; so the tag changes
// with it, too: "17-fair".
std::string tag_of(const SettingsTextView& settings) {
  return "\"" + std::to_string(settings.number) + "-" + settings.policy + "\"";
}

bool is_policy(std::string_view name) {
  const std::vector<std::string> policies = policy_names();
  return std::find(policies.begin(), policies.end(), name) != policies.end();
}

// The number in a tag of settings, as it was given: "17-fair", "17-fair-gzip", or "17"; nothing:
// somebody else's tag, or a weak one, which does not say that it is the very same text.
std::optional<std::int64_t> number_in(std::string_view tag) {
  const std::string bare = without_gzip(tag);
  if (bare.size() < 3 || !bare.starts_with('"')) return std::nullopt;
  std::int64_t number = 0;
  const char* last = bare.data() + bare.size() - 1;
  const auto [end, error] = std::from_chars(bare.data() + 1, last, number);
  if (error != std::errc() || number < 0) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(last - end));
  if (!rest.empty() && !(rest.starts_with('-') && is_policy(rest.substr(1)))) return std::nullopt;
  return number;
}

// A list of tags, which may have commas in them, and nothing between two of its own; nothing: it
// is none.
std::optional<std::vector<std::string>> tags_of(std::string_view list) {
  std::vector<std::string> tags;
  for (bool after_comma = true;;) {
    const std::size_t begin = list.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    list.remove_prefix(begin);
    if (list[0] == ',') {
      after_comma = true;
      list.remove_prefix(1);
      continue;
    }
    const std::size_t quote = list.starts_with("W/") ? 2 : 0;
    const std::size_t end = list.find('"', quote + 1);
    if (!after_comma || list.substr(quote, 1) != "\"" || end == std::string_view::npos)
      return std::nullopt;
    tags.emplace_back(list.substr(0, end + 1));
    list.remove_prefix(end + 1);
    after_comma = false;
  }
  return tags.empty() ? std::nullopt : std::optional(tags);
}

// Of If-Match: the number of the settings that were edited, of several that which is in force.
// Nothing: whatever they are.
std::optional<std::int64_t> expected_of(const HttpRequest& request, std::int64_t in_force) {
  const auto match = request.header("if-match");
  if (!match) {
    throw Refusal{Error{ErrorCode::kBadRequest,
                        "If-Match: the call does not say which settings were changed",
                        "the ETag of GET /settings, or * for whatever they are",
                        {}},
                  428,
                  {}};
  }
  if (*match == "*") return std::nullopt;
  const auto tags = tags_of(*match);
  if (!tags) {
    refuse("If-Match: '" + match->substr(0, 64) + "' is no list of tags",
           "the ETag of GET /settings, with its quotes, or *");
  }
  std::optional<std::int64_t> expected;
  for (const std::string& tag : *tags) {
    const auto number = number_in(tag);
    if (number && expected != in_force) expected = number;
  }
  if (expected) return expected;
  throw Refusal{Error{ErrorCode::kSettingsChanged,
                      "If-Match: '" + match->substr(0, 64) + "' is no tag of settings",
                      "the ETag of GET /settings, which is not weak",
                      {}},
                412,
                {}};
}

}  // namespace

void get_settings(ApiContext& context, const Call& call) {
  const Query query = call.query({"min_version"});
  read_views(context, call, query, [&context](const PublishedViews& views) {
    const SettingsTextView text = context.tracker.settings().text();
    HttpAnswer answer = json_answer(to_json(text), views.version);
    answer.etag = tag_of(text);
    return answer;
  });
}

void put_settings(ApiContext& context, const Call& call) {
  call.query({});
  const Caller caller = call.caller();
  SentSettings sent = sent_settings(call.request);
  const auto expected = expected_of(call.request, context.tracker.settings().text().number);
  const Json about = {{"file", sent.name}, {"applied", true}};
  context.tracker.settings().apply(caller, std::move(sent), expected, done(call, about));
}

void post_settings_check(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.settings().check(
      sent_settings(call.request),
      call.reply.then<SettingsCheckView>(
          [](const SettingsCheckView& check) { return json_answer(to_json(check)); }));
}

void post_settings_diff(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.settings().diff(
      sent_settings(call.request),
      call.reply.then<SettingsDiffView>(
          [](const SettingsDiffView& diff) { return json_answer(to_json(diff)); }));
}

void get_settings_history(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.settings().history(call.reply.then<std::vector<SettingsRecordView>>(
      [](const std::vector<SettingsRecordView>& records) {
        return json_text_answer(json_lines(records));
      }));
}

void get_settings_of(ApiContext& context, const Call& call) {
  call.query({});
  std::int64_t number = 0;
  const std::string& name = call.names[0];
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0)
    refuse("'" + name.substr(0, 64) + "' is no number of settings", "see /settings/history");
  const auto give = call.reply.then<std::string>([number](const std::string& text) {
    return json_answer({{"number", number}, {"text", text}});
  });
  context.tracker.settings().text_of(number, [reply = call.reply, give](Result<std::string> text) {
    const bool none = !text && text.error().code == ErrorCode::kBadRequest;
    if (none) return reply.give(error_answer(Refusal{text.error(), 404, {}}));
    give(std::move(text));
  });
}

void get_settings_file(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.settings().file(call.reply.then<SettingsFileView>(
      [](const SettingsFileView& file) { return json_answer(to_json(file)); }));
}

void get_settings_in_force(ApiContext& context, const Call& call) {
  call.query({});
  context.tracker.settings().in_force(
      call.reply.then<std::vector<SettingView>>([](const std::vector<SettingView>& settings) {
        return json_text_answer(json_lines(settings));
      }));
}

}  // namespace weir::web
