// What commands share: the functions that the rows of the table in table.cpp name, how a user names
// an entry of the open session (the beginning of its id, or `#n` for the n-th of their messages on
// this branch), a session, or a number, and moving in the conversation and the files at once.
#pragma once

#include "core/store/session_store.h"
#include "core/text/base.h"
#include "repl/pick/ask.h"
#include "repl/prompt/prompt_line.h"

namespace skein::session {
class Session;
}  // namespace skein::session

namespace skein::commands {

using session::Session;

// The kinds of function that a row of the table names.
using CommandHandler = void(Session& session, std::string_view argument);
using Choices = std::vector<prompt::CompletionChoice>;
// What may follow the words `start`.
using CommandCompleter = Choices(Session& session, std::string_view start);

CommandHandler add_folder, archive_session, ask_aside, branch, choose_model, choose_thinking,
    compact, continue_turn, copy, delete_session, edit_prompt, expand_last, export_session,
    fetch_page, follow_session, fork_session, import_sessions, list_sessions, log_in, log_out,
    new_session, redact_entry, redo, remember, rename_session, replay_session, restore_session,
    resume_session, retry, rewind, roll_back, search_sessions, set_system, show_agents, show_config,
    show_context, show_diff, show_health, show_help, show_history, show_hooks, show_insights,
    show_instructions, show_jobs, show_memory, show_permissions, show_plan, show_queue, show_raw,
    show_servers, show_skills, show_status, show_todo, show_tools, show_tree, show_usage, snapshot,
    steer, switch_session, undo, write_instructions;
CommandCompleter agent_words, copy_words, diff_words, entry_names, folder_words, format_names,
    job_words, list_words, model_names, permission_words, plan_words, server_words, session_keys,
    session_names, skill_names, snapshot_names, thinking_names, todo_words;

void show_keys(Session& session);  // in short, for `?`
// Follows a sub-agent that is at work in this session; false: none is, and it can be opened.
bool followed_instead(Session& session, Id id);
void open_with_this_model(Session& session, Id id);

std::string short_id(Id id);   // as entries are shown
Id head_of(Session& session);  // throws Error if nothing has been said yet
Id entry_named(Session& session, std::string_view name);  // throws Error if there is none
// A number from 1 to `most`, as in "the n-th last"; nullopt: it is not one.
std::optional<std::size_t> number_in(std::string_view text, std::size_t most = SIZE_MAX);
void copy_to_clipboard(Session& session, std::string_view text);  // and says so
// Those that begin with `start`, for Tab; `name_of` makes a name of an element.
template <class Range, class NameOf = std::identity>
Choices names_from(const Range& range, std::string_view start, NameOf name_of = {}) {
  Choices out;
  for (const auto& each : range)
    if (std::string name(std::invoke(name_of, each)); name.starts_with(start))
      out.push_back({.text = std::move(name)});
  return out;
}

// The session of that name, or with a key that ends so, which is what lists show of generated keys.
store::Result<store::SessionRecord> named_session(Session& session, std::string_view name);

struct FileStep {
  Id to{};                   // the files become as they were when this entry was written
  std::optional<Id> head{};  // where the conversation goes; none: it stays
};

// Asks, as the configuration wants it, whether the files shall follow; then moves both.
void move_with_files(Session& session, const FileStep& step, pick::Enter enter = pick::Enter::no);
// Another session was opened: offers the files as that one left them.
void offer_files_of(Session& session, Id left);

}  // namespace skein::commands
