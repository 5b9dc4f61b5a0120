#include "app/status_line.h"

#include <algorithm>
#include <memory>

#include "core/hooks/process.h"
#include "core/text/text.h"
#include "repl/status/items.h"

namespace skein::app {

namespace {

using status::BackgroundCommand;
using std::chrono::milliseconds;

milliseconds from_seconds(double seconds) {
  return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// Empty: what it printed counts.
std::string trouble_with(const hooks::ProcessEnd& end) {
  using enum hooks::ProcessEnd::Cause;
  const std::string_view first = trimmed(std::string_view(end.errors).substr(0, 200));
  const std::string said =
      first.empty() ? "" : ": " + std::string(first.substr(0, first.find('\n')));
  switch (end.cause) {
    case exited:
      if (end.code != 0) return "it ended with exit status " + std::to_string(end.code) + said;
      return end.cut ? "it printed more than a megabyte" : "";
    case signalled: return "it was ended by signal " + std::to_string(end.code);
    case timed_out: return "it took too long; statusline.timeout says how long it may";
    case stopped: return "it was stopped";
    case not_started: return "it could not be started";
  }
  return {};
}

BackgroundCommand::Run run_of(const Application& application) {
  const config::StatusLineSettings& settings = application.config().statusline;
  hooks::Order order{.arguments = {"/bin/sh", "-c", settings.command},
                     .environment = application.own_environment(),
                     .folder = application.workspace(),
                     .input = {},
                     .time = from_seconds(settings.timeout)};
  return [order](const std::string& input, const std::atomic<bool>& stop, int wake) {
    hooks::Order now = order;
    now.input = input;
    const model::Ports ports{.stop = &stop, .input = {.fd = wake, .on_ready = [] {}}};
    hooks::ProcessEnd end = std::move(hooks::run_all({&now, 1}, ports).front());
    const std::string trouble = trouble_with(end);
    return BackgroundCommand::End{std::move(end.output), trouble};
  };
}

}  // namespace

status::StatusLine::Parts status_parts(const Application& application, session::Session& session,
                                       screen::Screen& screen) {
  const config::StatusLineSettings& settings = application.config().statusline;
  const auto finder = std::make_shared<status::FactFinder>(status::FactFinder::Parts{
      .session = session,
      .window =
          [&](const model::ModelRef& model) {
            const catalog::ModelRow row = application.catalog().find_model(model);
            return row.known ? row.window : 0;
          },
      .transcript = [&](Id id) { return application.transcript_of(id); }});
  status::StatusLine::Parts parts{.facts = [finder] { return finder->find(); },
                                  .items = settings.items.value_or(status::usual_items()),
                                  .look = screen.look(),
                                  .refresh = from_seconds(settings.refresh)};
  parts.tell = [&screen](const std::string& trouble) {
    screen.show(model::Notice{model::Notice::Level::warning, "the status command: " + trouble});
    screen.flush();
  };
  if (!settings.command.empty()) parts.run = run_of(application);
  return parts;
}

prompt::RowsAbove rows_above(status::StatusLine& line) {
  prompt::RowsAbove above;
  above.rows = [&line](int columns) {
    std::vector<prompt::RowsAbove::Row> out;
    for (status::Row& row : line.rows(static_cast<std::size_t>(std::max(0, columns))))
      out.push_back({std::move(row.text), static_cast<int>(row.columns)});
    return out;
  };
  above.look_again = [&line] { return line.look_again(); };
  above.changed = [&line] { return line.changed(); };
  above.tell = [&line] { line.tell(); };
  return above;
}

}  // namespace skein::app
