#include "repl/pick/session_picker.h"

#include <algorithm>

#include "core/model/redaction.h"
#include "repl/pick/ask.h"
#include "repl/pick/picker.h"
#include "repl/pick/session_rows.h"

namespace skein::pick {

namespace {

// The last messages of that session.
std::vector<std::string> last_words(store::SessionStore& store,
                                    const store::SessionRecord& record) {
  if (!record.state.head) return {"nothing has been said yet"};
  const store::Result<store::Path> path = store.path(record.header.session, *record.state.head, 12);
  std::vector<std::string> out;
  if (!path) return out;
  for (auto placed = path->entries.rbegin(); placed != path->entries.rend(); ++placed) {
    const model::Entry entry = model::masked(placed->entry, record.state.redacted);
    const auto message = model::message_of(entry);
    if (!message || message->role == model::Role::tool || message->continuation ||
        model::plain_text(*message).empty())
      continue;
    out.insert(out.begin(), (message->role == model::Role::user ? "you  " : "it   ") +
                                model::preview(entry, 200));
    if (out.size() == 3) break;
  }
  return out;
}

}  // namespace

std::optional<Id> pick_session(terminal::Keyboard& keyboard, store::SessionStore& store,
                               const SessionChoice& choice) {
  PickList list{.title = "sessions",
                .query = choice.query,
                .keys = "opens · Ctrl+R renames · Ctrl+D deletes",
                .further = {terminal::ctrl('r'), terminal::ctrl('d')}};
  for (;;) {
    const std::vector<store::SessionRecord> sessions = store.list();
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
    const store::SessionRecord& record = sessions[*picked.index];
    if (picked.key == terminal::ctrl('d')) {
      choice.erase(record);
    } else if (picked.key == terminal::ctrl('r')) {
      const auto title = ask_line(keyboard, "title › ", record.state.title);
      if (title && !title->empty())
        store::value_or_throw(store.rename(record.header.session, *title));
    } else {
      return record.header.session;
    }
    list.query = picked.query;
    list.chosen = picked.chosen;
  }
}

}  // namespace skein::pick
