#include "repl/session_commands.h"

#include <algorithm>
#include <charconv>

#include "repl/shell.h"

namespace skein {

namespace {

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

// "3 min", "2 days": how long ago.
std::string age(const std::string& timestamp) {
  const auto then = ms_from_utc(timestamp);
  if (!then) return "-";
  const std::int64_t seconds = std::max<std::int64_t>(0, (now_ms() - *then) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 86'400) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / 86'400) + " days";
}

}  // namespace

// The model in use goes along. Written down there, so that a restart knows it too.
void open_with_this_model(Shell& shell, Id session) {
  const SessionRecord record = value_or_throw(shell.store().open(session));
  std::vector<NewEntry> changes;
  for (Entry& entry : changes_to(record.state, shell.settings().model))
    changes.push_back({std::move(entry)});
  if (!changes.empty()) value_or_throw(shell.store().append_session_entries(session, changes));
  shell.open(session);
}

void new_session(Shell& shell, std::string_view title) {
  const SessionHandle made = value_or_throw(shell.store().create_session(
      {.key = fresh_key("main:cli"), .cwd = shell.workspace(), .title = std::string(title)}));
  open_with_this_model(shell, made.session_id);
}

void list_sessions(Shell& shell, std::string_view filter) {
  std::size_t width = 0;
  std::vector<SessionRecord> shown;
  for (SessionRecord& record : shell.store().list()) {
    if ((record.key + " " + record.state.title).find(filter) == std::string::npos) continue;
    width = std::max(width, record.key.size());
    shown.push_back(std::move(record));
  }
  for (const SessionRecord& record : shown) {
    const bool current = record.header.session == shell.conversation().session();
    const std::string& used =
        record.state.updated_at.empty() ? record.header.created_at : record.state.updated_at;
    shell.screen().print_untrusted(
        (current ? "* " : "  ") + pad(record.key, width) + "  " + pad(age(used), 8) + "  " +
        pad(std::to_string(record.state.messages) + " turns", 10) +
        (record.state.leaves.size() > 1
             ? pad(std::to_string(record.state.leaves.size()) + " branches", 12)
             : std::string(12, ' ')) +
        record.state.title + "\n");
  }
  if (shown.empty()) shell.screen().print("no session matches\n");
}

void switch_session(Shell& shell, std::string_view name) {
  if (name.empty()) throw Error("which session? /sessions lists them");
  shell.open(value_or_throw(shell.store().find(name)).header.session);
}

void show_history(Shell& shell, std::string_view count) {
  std::size_t entries = 20;
  if (count == "all")
    entries = 0;
  else if (!count.empty() &&
           std::from_chars(count.data(), count.data() + count.size(), entries).ec != std::errc{})
    throw Error("/history takes a number or `all`");
  if (shell.conversation().path().empty()) shell.screen().print("nothing has been said yet\n");
  shell.show_path(entries);
}

void delete_session(Shell& shell, std::string_view name) {
  const SessionRecord record =
      name.empty() ? shell.conversation().record() : value_or_throw(shell.store().find(name));
  const Id session = record.header.session;
  if (!shell.confirm("Move " + record.key + " (" + std::to_string(record.state.messages) +
                     " turns) to the trash?")) {
    shell.screen().print("nothing was deleted\n");
    return;
  }
  // The one we are in: first somewhere else, then it goes.
  if (session == shell.conversation().session()) {
    const std::vector<SessionRecord> all = shell.store().list();
    const auto other = std::ranges::find_if(
        all, [&](const SessionRecord& each) { return each.header.session != session; });
    if (other == all.end())
      new_session(shell, "");
    else
      shell.open(other->header.session);
  }
  if (auto failed = shell.store().erase(session)) throw Error(failed->text, trouble_of(*failed));
  shell.screen().print_untrusted("moved to the trash; /restore " + record.key +
                                 " brings it back\n");
}

void restore_session(Shell& shell, std::string_view name) {
  const SessionRecord record = value_or_throw(shell.store().restore(name));
  shell.screen().print_untrusted("restored as " + record.key + "; /switch " + record.key +
                                 " opens it\n");
}

void rename_session(Shell& shell, std::string_view title) {
  if (title.empty()) throw Error("/rename takes the new title");
  value_or_throw(shell.store().rename(shell.conversation().session(), std::string(title)));
  shell.conversation().reload();
}

std::vector<std::string> session_names(Shell& shell, std::string_view start) {
  std::vector<std::string> out;
  for (const SessionRecord& record : shell.store().list())
    if (record.key.starts_with(start)) out.push_back(record.key);
  return out;
}

}  // namespace skein
