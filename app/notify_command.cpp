#include "app/notify_command.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "core/hooks/process.h"
#include "core/project/command_text.h"
#include "core/text/base.h"
#include "core/text/json.h"
#include "core/text/log.h"

namespace skein::app {

namespace {

constexpr std::chrono::milliseconds time_to_notify{2'000};

std::vector<std::string> inherited() {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each) out.emplace_back(*each);
  return out;
}

// {text} in an argument stands for what there is to say. It never begins with a dash.
std::vector<std::string> filled_in(std::vector<std::string> arguments, const std::string& text) {
  constexpr std::string_view place = "{text}";
  for (std::string& each : arguments)
    for (std::size_t at = 0; (at = each.find(place, at)) != std::string::npos; at += text.size())
      each.replace(at, place.size(), text);
  return arguments;
}

}  // namespace

terminal::Notifier::Way notify_way(const config::Config& config) {
  using Way = terminal::Notifier::Way;
  const Way way = terminal::parse_way(config.notify).value_or(Way::automatic);
  const bool has_command = !project::split_words(config.notify_command).empty();
  if (way == Way::command && !has_command)
    throw Error("notify = \"command\" needs notify-command, which is not set", ExitStatus::usage);
  return way == Way::automatic && has_command ? Way::command : way;
}

NotifyCommand::NotifyCommand(const std::string& command, std::string folder)
    : arguments_(project::split_words(command)), folder_(std::move(folder)) {}

void NotifyCommand::run(const terminal::Notice& notice) {
  if (arguments_.empty()) return;
  if (running_.valid() && running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return;
  const hooks::Order order{.arguments = filled_in(arguments_, notice.text),
                           .environment = inherited(),
                           .folder = "/",  // where no relative path leads into the workspace
                           .input = dump({{"event", notice.event},
                                          {"title", notice.title},
                                          {"text", notice.text},
                                          {"cwd", folder_}}) +
                                    "\n",
                           .time = time_to_notify};
  running_ = std::async(std::launch::async, [order] {
    const std::vector<hooks::ProcessEnd> ends = hooks::run_all({&order, 1}, {});
    using Cause = hooks::ProcessEnd::Cause;
    if (ends.front().cause != Cause::exited || ends.front().code != 0)
      log_warning("notify-command failed", {{"code", ends.front().code}});
  });
}

}  // namespace skein::app
