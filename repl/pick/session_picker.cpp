#include "repl/pick/session_picker.h"

#include <algorithm>

#include "core/model/redaction.h"
#include "core/store/session_name.h"
#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/layout/short_folder.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/fuzzy.h"
#include "repl/pick/picker.h"

namespace skein::pick {

namespace {

// So much of a title comes before counts; at 80 columns it leaves room for age, turns and key, or
// for age, folder and key.
layout::Table::Column title_column(std::string_view heading, bool folders) {
  return {.title = heading, .readable = folders ? 30u : 44u, .greedy = true};
}

std::string_view last_used(const store::SessionRecord& record) {
  return record.state.updated_at.empty() ? record.header.created_at : record.state.updated_at;
}

std::int64_t tokens_of(const model::SessionState& state) {
  const model::Usage usage = model::total_usage(state);
  return usage.input + usage.output;
}

std::string title_of(const store::SessionRecord& record) {
  if (!record.state.title.empty()) return record.state.title;
  return record.state.messages == 0 ? "new session" : "(untitled)";
}

std::string turns_of(const store::SessionRecord& record) {
  return counted(static_cast<std::size_t>(record.state.messages), "turn");
}

std::string branches_of(const store::SessionRecord& record) {
  const std::size_t branches = record.state.leaves.size();
  return branches > 1 ? std::to_string(branches) + " branches" : "";
}

std::string all_tokens(const store::SessionRecord& record) {
  const std::int64_t tokens = tokens_of(record.state);
  return tokens > 0 ? short_count(tokens) : "";
}

// Of a key that was made up only the end differs from others: enough of it to name the session.
std::vector<std::string> short_keys(const std::vector<store::SessionRecord>& sessions) {
  constexpr std::size_t enough = 8;
  const auto end_of = [](std::string_view key) { return key.substr(key.size() - enough); };
  std::map<std::string_view, int> ends;
  for (const store::SessionRecord& each : sessions)
    if (store::is_made_up(each.key)) ++ends[end_of(each.key)];
  std::vector<std::string> out;
  for (const store::SessionRecord& each : sessions)
    if (!store::is_made_up(each.key))
      out.push_back(each.key);
    else if (ends[end_of(each.key)] == 1)
      out.push_back("…" + std::string(end_of(each.key)));
    else
      out.push_back("…" + std::string(store::key_tail(each.key)));
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

layout::Table session_table(const std::vector<store::SessionRecord>& sessions,
                            const SessionColumns& columns) {
  layout::Table table{.columns = {title_column("title", columns.folders), {"age", true}}};
  if (columns.folders)
    table.columns.push_back({.title = "folder", .optional = true, .keep_end = true});
  for (const char* const title : {"turns", "branches", "tokens"})
    table.columns.push_back({title, true, true});
  const bool imports = std::ranges::any_of(sessions, &is_import);
  if (imports) table.columns.push_back({"from"});
  const bool states =
      !columns.at_work.empty() || std::ranges::any_of(sessions, &store::SessionRecord::archived);
  if (states) table.columns.push_back({"state"});
  table.columns.push_back({.title = "key", .keep_end = true});
  const std::vector<std::string> keys = short_keys(sessions);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const store::SessionRecord& record = sessions[i];
    if (record.header.session == columns.current) table.marked = i;
    std::vector<std::string> row{title_of(record), age(last_used(record))};
    if (columns.folders) row.push_back(layout::short_folder(record.header.cwd));
    row.insert(row.end(), {std::to_string(record.state.messages),
                           std::to_string(record.state.leaves.size()), all_tokens(record)});
    if (imports) row.push_back(record.state.origin);
    const auto worker = columns.at_work.find(record.header.session);
    if (states)
      row.push_back(worker != columns.at_work.end() ? "● " + worker->second
                    : record.archived               ? "archived"
                                                    : "");
    row.push_back(columns.whole_keys ? record.key : keys[i]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The rows of a table that has no heading, and says in each what is counted.
std::vector<std::string> session_rows(const std::vector<store::SessionRecord>& sessions,
                                      std::size_t width, std::optional<Id> current, bool folders) {
  layout::Table table{.columns = {title_column("", folders),
                                  {""},
                                  {.title = "", .optional = true, .keep_end = true},
                                  {"", true, true},
                                  {"", true, true},
                                  {"", true, true},
                                  {.title = "", .keep_end = true}}};
  const std::vector<std::string> keys = short_keys(sessions);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const store::SessionRecord& record = sessions[i];
    const std::string tokens = all_tokens(record);
    table.rows.push_back({title_of(record), age(last_used(record)),
                          folders ? layout::short_folder(record.header.cwd) : "", turns_of(record),
                          branches_of(record), tokens.empty() ? "" : tokens + " tokens",
                          record.header.session == current ? "(this one)" : keys[i]});
  }
  // What nobody has takes no room.
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return !row[column].empty(); }))
      continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
  // Before each row the table leaves room for a mark, as the list does.
  const std::string drawn = layout::drawn(table, width, {});
  std::vector<std::string> out;
  for (const std::string_view line : split(drawn, '\n'))
    out.emplace_back(line.substr(std::min<std::size_t>(2, line.size())));
  out.erase(out.begin());
  out.resize(sessions.size());
  return out;
}

std::vector<std::string> session_lines(const std::vector<store::SessionRecord>& sessions,
                                       std::optional<Id> current) {
  std::vector<std::string> out;
  for (const store::SessionRecord& record : sessions) {
    std::string line = title_of(record) + ", " + age(last_used(record)) + ", " + turns_of(record);
    if (const std::string branches = branches_of(record); !branches.empty())
      line += ", " + branches;
    if (const std::string tokens = all_tokens(record); !tokens.empty())
      line += ", " + tokens + " tokens";
    if (!store::is_made_up(record.key)) line += ", " + record.key;
    out.push_back(line + (record.header.session == current ? ", this one" : ""));
  }
  return out;
}

std::string delete_question(const store::SessionRecord& record) {
  const std::string name = store::shown_name(record);
  return "Move “" + layout::fit(name, 40) + "” (" + turns_of(record) +
         (name == record.key ? "" : ", " + std::string(store::key_tail(record.key))) +
         ") to the trash?";
}

namespace {

// The list as it is asked for, and what the keys do in it.
struct Shelf {
  std::vector<store::SessionRecord> sessions{};
  std::size_t others = 0;  // that Ctrl+A would bring
  bool has_imports = false;
};

Shelf shelf_of(store::SessionStore& store, const SessionChoice& choice, bool everywhere, bool own) {
  ListedSessions listed =
      listed_sessions(store.list(), {.which = everywhere ? Listing::everywhere : Listing::here,
                                     .workspace = choice.workspace,
                                     .current = choice.current});
  Shelf out{.sessions = std::move(listed.shown), .others = listed.left_out()};
  out.has_imports = std::ranges::any_of(out.sessions, &is_import);
  if (own) std::erase_if(out.sessions, &is_import);
  return out;
}

bool fits(std::string_view query, const store::SessionRecord& record) {
  return fuzzy_score(query, record.key + " " + record.state.title).has_value();
}

}  // namespace

std::optional<Id> pick_session(terminal::Keyboard& keyboard, store::SessionStore& store,
                               const SessionChoice& choice) {
  PickList list{.query = choice.query,
                .further = {terminal::ctrl('r'), terminal::ctrl('d'), terminal::ctrl('o')},
                .switches = {terminal::ctrl('a')}};
  bool own = false;  // without those of other programs
  bool everywhere = choice.everywhere;
  // What is asked for may be elsewhere.
  if (!everywhere)
    everywhere = std::ranges::none_of(
        shelf_of(store, choice, false, false).sessions,
        [&](const store::SessionRecord& each) { return fits(choice.query, each); });
  for (;;) {
    const Shelf shelf = shelf_of(store, choice, everywhere, own);
    const std::vector<store::SessionRecord>& sessions = shelf.sessions;
    list.title = everywhere ? "all sessions" : "sessions here";
    list.keys = "opens";
    if (everywhere)
      list.keys += " · Ctrl+A this folder";
    else if (shelf.others > 0)
      list.keys += " · Ctrl+A " + std::to_string(shelf.others) + " more";
    list.keys += " · Ctrl+R renames · Ctrl+D deletes";
    if (shelf.has_imports) list.keys += own ? " · Ctrl+O shows imports" : " · Ctrl+O hides imports";
    const int columns = keyboard.terminal().size().columns;
    list.lines = session_rows(sessions, static_cast<std::size_t>(std::max(12, columns - 1)),
                              choice.current, everywhere);
    list.texts.clear();
    for (const store::SessionRecord& each : sessions)
      list.texts.push_back(each.key + " " + each.state.title);
    list.preview = [&](std::size_t i) { return last_words(store, sessions[i]); };
    const Picked picked = pick(keyboard, list);
    list.query = picked.query;
    if (picked.key == terminal::ctrl('a')) {
      everywhere = !everywhere;
      list.chosen = 0;
      continue;
    }
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
    list.chosen = picked.chosen;
  }
}

}  // namespace skein::pick
