#include "repl/commands/session_picker.h"

#include <algorithm>

#include "core/redaction.h"
#include "repl/commands/session_rows.h"
#include "repl/input/ask.h"
#include "repl/input/picker.h"

namespace skein {

namespace {

// The end of what was said there.
std::vector<std::string> last_words(SessionStore& store, const SessionRecord& record) {
  if (!record.state.head) return {"nothing has been said yet"};
  const Outcome<Path> path = store.path(record.header.session, *record.state.head, 12);
  const auto* found = std::get_if<Path>(&path);
  std::vector<std::string> out;
  if (found == nullptr) return out;
  for (auto placed = found->entries.rbegin(); placed != found->entries.rend(); ++placed) {
    const Entry entry = masked(placed->entry, record.state.redacted);
    const auto message =
        entry.type == type::message ? message_from_json(entry.payload) : std::nullopt;
    if (!message || message->role == Role::tool || message->continuation ||
        plain_text(*message).empty())
      continue;
    out.insert(out.begin(),
               (message->role == Role::user ? "you  " : "it   ") + preview(entry, 200));
    if (out.size() == 3) break;
  }
  return out;
}

}  // namespace

std::optional<Id> pick_session(Keyboard& keyboard, SessionStore& store,
                               const SessionChoice& choice) {
  PickList list{.title = "sessions",
                .query = choice.query,
                .keys = "opens · Ctrl+R renames · Ctrl+D deletes",
                .further = {ctrl('r'), ctrl('d')}};
  for (;;) {
    const std::vector<SessionRecord> sessions = store.list();
    const int columns = keyboard.terminal().size().columns;
    list.lines = session_rows(sessions, static_cast<std::size_t>(std::max(12, columns * 2 / 5)));
    list.texts.clear();
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      if (sessions[i].header.session == choice.current) list.lines[i] += " (this one)";
      list.texts.push_back(sessions[i].key + " " + sessions[i].state.title);
    }
    list.preview = [&](std::size_t i) { return last_words(store, sessions[i]); };
    const Picked picked = pick(keyboard, list);
    if (!picked.index) return std::nullopt;
    const SessionRecord& record = sessions[*picked.index];
    if (picked.key == ctrl('d')) {
      choice.erase(record);
    } else if (picked.key == ctrl('r')) {
      const auto title = ask_line(keyboard, "title › ", record.state.title);
      if (title && !title->empty()) value_or_throw(store.rename(record.header.session, *title));
    } else {
      return record.header.session;
    }
    list.query = picked.query;
    list.chosen = picked.chosen;
  }
}

}  // namespace skein
