#include "repl/pick/session_picker.h"

#include "core/model/scrub.h"
#include "core/store/children.h"
#include "core/store/session_name.h"
#include "core/text/text.h"
#include "repl/layout/width.h"
#include "repl/pick/ask.h"
#include "repl/pick/fuzzy.h"

namespace skein::pick {

using store::SessionRecord;

namespace {

// A user started skein and left it without a word.
bool is_unused(const SessionRecord& record) {
  return record.state.messages == 0 && record.state.title.empty() && !is_import(record);
}

// The sessions themselves know what their folder is a copy of.
std::string project_at(const std::string& workspace, const std::vector<SessionRecord>& all) {
  const auto found = std::ranges::find_if(all, [&](const SessionRecord& each) {
    return each.header.cwd == workspace && !each.header.project.empty();
  });
  return found == all.end() ? "" : found->header.project;
}

// At 80 columns so much of a title leaves room for age, key, and turns or folder.
layout::Table::Column title_column(std::string_view heading, bool folders) {
  return {.title = heading, .readable = folders ? 30u : 44u, .greedy = true};
}

std::string title_of(const store::SessionRecord& record) {
  if (!record.state.title.empty()) return record.state.title;
  return record.state.messages == 0 ? "new session" : "(untitled)";
}

std::string turns_of(const store::SessionRecord& record) {
  return counted(static_cast<std::size_t>(record.state.messages), "turn");
}

std::string all_tokens(const store::SessionRecord& record) {
  const model::Usage usage = model::total_usage(record.state);
  const std::int64_t tokens = usage.input + usage.output;
  return tokens > 0 ? short_count(tokens) : "";
}

// Title, age, turns, branches and tokens; what is not worth saying is empty.
std::vector<std::string> words_on(const store::SessionRecord& record) {
  const std::size_t branches = record.state.leaves.size();
  const std::string tokens = all_tokens(record);
  return {title_of(record), age(record.used_at()), turns_of(record),
          branches > 1 ? std::to_string(branches) + " branches" : "",
          tokens.empty() ? "" : tokens + " tokens"};
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
    out.push_back(!store::is_made_up(each.key)  ? each.key
                  : ends[end_of(each.key)] == 1 ? "…" + std::string(end_of(each.key))
                                                : "…" + std::string(store::key_tail(each.key)));
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

std::string searched_text(const store::SessionRecord& record) {
  return record.key + " " + record.state.title;
}

}  // namespace

ListedSessions listed_sessions(std::vector<SessionRecord> all, const ListRequest& request) {
  ListedSessions out;
  const std::string project =
      request.which == SessionListing::here ? project_at(request.workspace, all) : std::string{};
  for (SessionRecord& each : all) {
    if (request.fits && !request.fits(each)) continue;
    const bool current = each.header.session == request.current;
    if (!current && request.which != SessionListing::all) {
      if (store::is_child(each) || is_unused(each)) continue;
      if (request.which == SessionListing::archived && !each.archived) continue;
    }
    if (!current && request.which == SessionListing::here) {
      const bool same_project = !project.empty() && each.header.project == project;
      std::size_t* const count = each.header.cwd != request.workspace && !same_project
                                     ? &out.elsewhere
                                 : each.archived                       ? &out.archived
                                 : each.key.starts_with("main:print:") ? &out.one_shots
                                                                       : nullptr;
      if (count != nullptr) {
        ++*count;
        continue;
      }
    }
    out.shown.push_back(std::move(each));
  }
  return out;
}

std::string left_out_text(const ListedSessions& listed) {
  std::vector<std::string> parts;
  for (const auto& [count, what] :
       {std::pair(listed.elsewhere, " in other folders"),
        std::pair(listed.one_shots, " made by -p"), std::pair(listed.archived, " archived")})
    if (count > 0) parts.push_back(std::to_string(count) + what);
  return skein::listed(parts);
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
    std::vector<std::string> row{title_of(record), age(record.used_at())};
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
  const layout::Table::Column number{"", true, true};
  layout::Table table{.columns = {title_column("", folders),
                                  {""},
                                  {.title = "", .optional = true, .keep_end = true},
                                  number,
                                  number,
                                  number,
                                  {.title = "", .keep_end = true}}};
  const std::vector<std::string> keys = short_keys(sessions);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const store::SessionRecord& record = sessions[i];
    std::vector<std::string>& row = table.rows.emplace_back(words_on(record));
    row.insert(row.begin() + 2, folders ? layout::short_folder(record.header.cwd) : "");
    row.push_back(record.header.session == current ? "(this one)" : keys[i]);
  }
  // A column that is empty in all rows takes no space.
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
    std::vector<std::string> parts = words_on(record);
    parts.push_back(store::is_made_up(record.key) ? "" : record.key);
    parts.emplace_back(record.header.session == current ? "this one" : "");
    std::erase(parts, "");
    out.push_back(listed(parts));
  }
  return out;
}

std::string delete_question(const store::SessionRecord& record) {
  const std::string name = store::shown_name(record);
  return "Move “" + layout::fit(name, 40) + "” (" + turns_of(record) +
         (name == record.key ? "" : ", " + std::string(store::key_tail(record.key))) +
         ") to the trash?";
}

bool fits(std::string_view query, const store::SessionRecord& record) {
  return fuzzy_score(query, searched_text(record)).has_value();
}

std::optional<Id> pick_session(terminal::Keyboard& keyboard, store::SessionStore& store,
                               const SessionChoice& choice) {
  PickList list{.query = choice.query,
                .further = {terminal::ctrl('r'), terminal::ctrl('d'), terminal::ctrl('o')},
                .switches = {terminal::ctrl('a')}};
  bool own = false;  // without those of other programs
  bool everywhere = choice.everywhere;
  const auto listed = [&](SessionListing which) {
    return listed_sessions(
        store.list(), {.which = which, .workspace = choice.workspace, .current = choice.current});
  };
  // What is asked for may be elsewhere.
  if (!everywhere)
    everywhere = std::ranges::none_of(
        listed(SessionListing::here).shown,
        [&](const store::SessionRecord& each) { return fits(choice.query, each); });
  for (;;) {
    auto shelf = listed(everywhere ? SessionListing::everywhere : SessionListing::here);
    std::vector<store::SessionRecord>& sessions = shelf.shown;
    const bool has_imports = std::ranges::any_of(sessions, &is_import);
    if (own) std::erase_if(sessions, &is_import);
    list.title = everywhere ? "all sessions" : "sessions here";
    list.keys = "opens";
    if (everywhere)
      list.keys += " · Ctrl+A this folder";
    else if (shelf.left_out() > 0)
      list.keys += " · Ctrl+A " + std::to_string(shelf.left_out()) + " more";
    list.keys += " · Ctrl+R renames · Ctrl+D deletes";
    if (has_imports) list.keys += own ? " · Ctrl+O shows imports" : " · Ctrl+O hides imports";
    const std::size_t columns = std::max<std::size_t>(13, keyboard.terminal().size().columns);
    list.lines = session_rows(sessions, columns - 1, choice.current, everywhere);
    list.texts.clear();
    std::ranges::transform(sessions, std::back_inserter(list.texts), searched_text);
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
        store::value_or_throw(store.mark(record.header.session, model::payload::Title{*title}));
    } else {
      return record.header.session;
    }
    list.chosen = picked.chosen;
  }
}

}  // namespace skein::pick
