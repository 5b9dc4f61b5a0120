#include "repl/pick/session_picker.h"

#include <algorithm>

#include "core/model/redaction.h"
#include "core/store/children.h"
#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/picker.h"

namespace skein::pick {

namespace {

using Cells = std::vector<std::string>;

std::string_view last_used(const store::SessionRecord& record) {
  return record.state.updated_at.empty() ? record.header.created_at : record.state.updated_at;
}

std::int64_t tokens_of(const model::SessionState& state) {
  const model::Usage usage = model::total_usage(state);
  return usage.input + usage.output;
}

Cells facts_of(const store::SessionRecord& record) {
  const model::SessionState& state = record.state;
  const std::int64_t tokens = tokens_of(state);
  return {age(last_used(record)), counted(static_cast<std::size_t>(state.messages), "turn"),
          state.leaves.size() > 1 ? std::to_string(state.leaves.size()) + " branches" : "",
          tokens > 0 ? short_count(tokens) + " tokens" : ""};
}

// Cells in columns; an empty column is left out, and the last one is not padded.
std::vector<std::string> aligned(const std::vector<Cells>& table) {
  std::vector<std::size_t> widths;
  for (const Cells& cells : table) {
    widths.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i] = std::max(widths[i], layout::display_width(cells[i]));
  }
  std::vector<std::string> out;
  for (const Cells& cells : table) {
    std::string line;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i)
      if (widths[i] > 0) line += layout::padded(cells[i], widths[i]) + "  ";
    out.push_back(line + cells.back());
  }
  return out;
}

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

std::string age(std::string_view timestamp) {
  const auto then = ms_from_utc(timestamp);
  if (!then) return "-";
  const std::int64_t seconds = std::max<std::int64_t>(0, (now_ms() - *then) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 86'400) return std::to_string(seconds / 3600) + " h";
  return counted(static_cast<std::size_t>(seconds / 86'400), "day");
}

layout::Table session_table(const std::vector<store::SessionRecord>& sessions, Id current,
                            const std::map<Id, std::string>& at_work) {
  layout::Table table{.columns = {{"key"},
                                  {"title"},
                                  {"age", true},
                                  {"turns", true, true},
                                  {"branches", true, true},
                                  {"tokens", true, true}}};
  const bool imports = std::ranges::any_of(sessions, &is_import);
  if (imports) table.columns.push_back({"from"});
  if (!at_work.empty()) table.columns.push_back({"at work"});
  for (const store::SessionRecord& record : sessions) {
    if (record.header.session == current) table.marked = table.rows.size();
    const model::SessionState& state = record.state;
    const std::int64_t tokens = tokens_of(state);
    table.rows.push_back({record.key, state.title, age(last_used(record)),
                          std::to_string(state.messages), std::to_string(state.leaves.size()),
                          tokens > 0 ? short_count(tokens) : ""});
    if (imports) table.rows.back().push_back(state.origin);
    if (at_work.empty()) continue;
    const auto worker = at_work.find(record.header.session);
    table.rows.back().push_back(worker == at_work.end() ? "" : "● " + worker->second);
  }
  return table;
}

std::vector<std::string> session_rows(const std::vector<store::SessionRecord>& sessions,
                                      std::size_t title_columns) {
  std::vector<Cells> table;
  for (const store::SessionRecord& record : sessions) {
    Cells cells = facts_of(record);
    const std::string title = layout::sanitized(record.state.title);
    cells.insert(cells.begin(), layout::fit(title.empty() ? "(untitled)" : title, title_columns));
    cells.push_back(record.key);
    table.push_back(std::move(cells));
  }
  return aligned(table);
}

std::vector<std::string> session_lines(const std::vector<store::SessionRecord>& sessions,
                                       std::optional<Id> current) {
  std::vector<std::string> out;
  for (const store::SessionRecord& record : sessions) {
    std::string line = record.state.title.empty() ? "untitled" : record.state.title;
    for (const std::string& fact : facts_of(record))
      if (!fact.empty()) line += ", " + fact;
    out.push_back(line + ", " + record.key +
                  (record.header.session == current ? ", this one" : ""));
  }
  return out;
}

std::optional<Id> pick_session(terminal::Keyboard& keyboard, store::SessionStore& store,
                               const SessionChoice& choice) {
  PickList list{.title = "sessions",
                .query = choice.query,
                .keys = "opens · Ctrl+R renames · Ctrl+D deletes",
                .further = {terminal::ctrl('r'), terminal::ctrl('d'), terminal::ctrl('o')}};
  bool own = false;  // without those of other programs
  for (;;) {
    std::vector<store::SessionRecord> sessions = store.list();
    store::fold_children(sessions);
    if (std::ranges::any_of(sessions, &is_import))
      list.keys = own ? "opens · Ctrl+R renames · Ctrl+D deletes · Ctrl+O shows imports"
                      : "opens · Ctrl+R renames · Ctrl+D deletes · Ctrl+O hides imports";
    if (own) std::erase_if(sessions, &is_import);
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
    if (picked.key == terminal::ctrl('o')) {
      own = !own;
    } else if (picked.key == terminal::ctrl('d')) {
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
