#include "tracker/jobtracker/admin_service.h"

#include <utility>

#include "thrift/convert.h"
#include "thrift/wire_views.h"
#include "tracker/jobtracker/answering.h"

namespace weir {
namespace {

// A command of somebody, if they are somebody; `command` gives the caller to a service.
template <class Command>
void command_of(const wire::Caller& caller, const Answering<wire::Done>& answering,
                Command command) {
  const auto who = from_wire(caller);
  if (!who) return answering.refuse(who.error());
  command(*who, written_done(answering));
}

SentSettings sent(const wire::SettingsFile& file) {
  return {file.name, file.text};
}

template <class View, class Value>
Answer<View> one(Answering<Value> answering) {
  return written<View>(std::move(answering), [](const View& view) { return to_wire(view); });
}

template <class View, class Value>
Answer<std::vector<View>> list(Answering<std::vector<Value>> answering) {
  return written<std::vector<View>>(
      std::move(answering), [](const std::vector<View>& views) { return list_to_wire(views); });
}

Answer<std::string> text(Answering<std::string> answering) {
  return written<std::string>(std::move(answering), [](const std::string& out) { return out; });
}

}  // namespace

// --- The cluster ---

void AdminService::set_queue_state(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                   const std::string& queue, const bool running) {
  command_of(caller, {std::move(give), std::move(refuse)},
             [&](const Caller& who, Answer<Version> answer) {
               cluster_.set_queue_state(who, queue, running, std::move(answer));
             });
}

void AdminService::order_trackers(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                  const std::vector<std::string>& trackers,
                                  const wire::TrackerOrder::type order,
                                  const std::string& reason) {
  const Answering<wire::Done> answering(std::move(give), std::move(refuse));
  const auto number = static_cast<int>(order);
  if (number < 0 || number > static_cast<int>(TrackerOrder::kStopNow)) {
    return answering.refuse(bad_request("order: " + std::to_string(number) + " is none",
                                        "0 resume, 1 drain, 2 stop, 3 stop now"));
  }
  command_of(caller, answering, [&](const Caller& who, Answer<Version> answer) {
    cluster_.order_trackers(who, trackers, static_cast<TrackerOrder>(number), reason,
                            std::move(answer));
  });
}

void AdminService::lose_trackers(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                 const std::vector<std::string>& trackers,
                                 const std::string& reason) {
  command_of(caller, {std::move(give), std::move(refuse)},
             [&](const Caller& who, Answer<Version> answer) {
               cluster_.lose_trackers(who, trackers, reason, std::move(answer));
             });
}

void AdminService::forget_trackers(Give<wire::Done> give, Refuse refuse,
                                   const wire::Caller& caller,
                                   const std::vector<std::string>& trackers) {
  command_of(caller, {std::move(give), std::move(refuse)},
             [&](const Caller& who, Answer<Version> answer) {
               cluster_.forget_trackers(who, trackers, std::move(answer));
             });
}

void AdminService::info(Give<wire::ServerInfo> give, Refuse) {
  give(to_wire(cluster_.info()));
}

// --- Settings and policy ---

void AdminService::policy(Give<wire::PolicyInfo> give, Refuse refuse) {
  settings_.policy(one<PolicyView, wire::PolicyInfo>({std::move(give), std::move(refuse)}));
}

void AdminService::set_policy(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                              const std::string& policy) {
  command_of(caller, {std::move(give), std::move(refuse)},
             [&](const Caller& who, Answer<Version> answer) {
               settings_.set_policy(who, policy, std::move(answer));
             });
}

void AdminService::apply_settings(Give<wire::Done> give, Refuse refuse, const wire::Caller& caller,
                                  const wire::SettingsFile& file) {
  command_of(caller, {std::move(give), std::move(refuse)},
             [&](const Caller& who, Answer<Version> answer) {
               std::optional<std::int64_t> replaces;
               if (file.__isset.replaces) replaces = file.replaces;
               settings_.apply(who, sent(file), replaces, std::move(answer));
             });
}

void AdminService::diff_settings(Give<wire::SettingsDiff> give, Refuse refuse,
                                 const wire::SettingsFile& file) {
  settings_.diff(sent(file),
                 one<SettingsDiffView, wire::SettingsDiff>({std::move(give), std::move(refuse)}));
}

void AdminService::settings_text(Give<std::string> give, Refuse) {
  give(settings_.text().text);
}

void AdminService::settings_of(Give<std::string> give, Refuse refuse, const std::int64_t number) {
  settings_.text_of(number, text({std::move(give), std::move(refuse)}));
}

void AdminService::settings_history(Give<std::vector<wire::SettingsRecord>> give, Refuse refuse) {
  settings_.history(
      list<SettingsRecordView, wire::SettingsRecord>({std::move(give), std::move(refuse)}));
}

void AdminService::followed_file(Give<wire::FollowedFile> give, Refuse refuse) {
  const Answering<wire::FollowedFile> answering(std::move(give), std::move(refuse));
  settings_.file([answering](const Result<SettingsFileView>& file) {
    if (!file) return answering.refuse(file.error());
    answering.give(to_wire(*file));
  });
}

void AdminService::settings_in_force(Give<std::vector<wire::Setting>> give, Refuse refuse) {
  settings_.in_force(list<SettingView, wire::Setting>({std::move(give), std::move(refuse)}));
}

}  // namespace weir
