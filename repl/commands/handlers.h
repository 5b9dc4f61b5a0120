// What the slash commands do. Each is a row of the table in table.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"
#include "repl/prompt/choice.h"

namespace skein::session {
class Session;
}  // namespace skein::session

namespace skein::commands {

using session::Session;

void open_with_this_model(Session& session, Id id);

void new_session(Session& session, std::string_view title);
void list_sessions(Session& session, std::string_view words);
std::vector<std::string> list_words(Session& session, std::string_view start);
void resume_session(Session& session, std::string_view text);
void switch_session(Session& session, std::string_view name);
void show_history(Session& session, std::string_view count);
void delete_session(Session& session, std::string_view name);
void restore_session(Session& session, std::string_view name);
void rename_session(Session& session, std::string_view title);
void search_sessions(Session& session, std::string_view words);
std::vector<std::string> session_names(Session& session, std::string_view start);
void describe_sessions(Session& session, std::vector<prompt::Choice>& choices);

void show_tree(Session& session, std::string_view);
void show_branches(Session& session, std::string_view);
void branch(Session& session, std::string_view entry_and_prompt);
void fork_session(Session& session, std::string_view key);
void undo(Session& session, std::string_view);
void redo(Session& session, std::string_view);
void rewind(Session& session, std::string_view prompt);
void edit_prompt(Session& session, std::string_view number);
void show_diff(Session& session, std::string_view since);
std::vector<std::string> diff_words(Session& session, std::string_view start);
void continue_turn(Session& session, std::string_view);
void follow_session(Session& session, std::string_view name);
// A sub-agent that is at work in this session is followed; false: none is, and it can be opened.
bool followed_instead(Session& session, Id id);
void replay_session(Session& session, std::string_view entry_and_pace);

void copy(Session& session, std::string_view what);
std::vector<std::string> copy_words(Session& session, std::string_view start);
void show_raw(Session& session, std::string_view);
void expand_last(Session& session, std::string_view);

void show_keys(Session& session);  // in short, for `?`
void show_help(Session& session, std::string_view name);
void fetch_page(Session& session, std::string_view url_and_question);
void show_agents(Session& session, std::string_view words);
std::vector<std::string> agent_words(Session& session, std::string_view start);
void show_hooks(Session& session, std::string_view);
void add_folder(Session& session, std::string_view argument);
std::vector<std::string> folder_words(Session& session, std::string_view);
void show_jobs(Session& session, std::string_view what);
std::vector<std::string> job_words(Session& session, std::string_view start);
void show_servers(Session& session, std::string_view change);
std::vector<std::string> server_words(Session& session, std::string_view start);

void show_permissions(Session& session, std::string_view change);
std::vector<std::string> permission_words(Session& session, std::string_view start);
void retry(Session& session, std::string_view);
void show_plan(Session& session, std::string_view text);
std::vector<std::string> plan_words(Session& session, std::string_view start);
void show_todo(Session& session, std::string_view change);
std::vector<std::string> todo_words(Session& session, std::string_view start);

void take_snapshot(Session& session, std::string_view name);
void show_snapshots(Session& session, std::string_view argument);
void roll_back(Session& session, std::string_view name);
std::vector<std::string> snapshot_names(Session& session, std::string_view start);
void redact_entry(Session& session, std::string_view entry_and_reason);
void archive_session(Session& session, std::string_view name);

void choose_model(Session& session, std::string_view name);
std::vector<std::string> model_names(Session& session, std::string_view start);
void describe_models(Session& session, std::vector<prompt::Choice>& choices);
void choose_thinking(Session& session, std::string_view level);
std::vector<std::string> thinking_names(Session& session, std::string_view start);
void set_system(Session& session, std::string_view text);
void show_login(Session& session, std::string_view provider);

void export_session(Session& session, std::string_view arguments);
void import_sessions(Session& session, std::string_view path);
std::vector<std::string> format_names(Session& session, std::string_view start);
void show_skills(Session& session, std::string_view name);
std::vector<std::string> skill_names(Session& session, std::string_view start);
void show_tools(Session& session, std::string_view);
void show_status(Session& session, std::string_view);
void show_config(Session& session, std::string_view);
void show_health(Session& session, std::string_view);

void show_instructions(Session& session, std::string_view number);
void write_instructions(Session& session, std::string_view focus);
void remember(Session& session, std::string_view text);
void show_memory(Session& session, std::string_view argument);

void ask_aside(Session& session, std::string_view question);
void compact(Session& session, std::string_view focus);
void show_context(Session& session, std::string_view);
void show_usage(Session& session, std::string_view);

void show_queue(Session& session, std::string_view);
void steer(Session& session, std::string_view text);
void show_insights(Session& session, std::string_view since_and_grouping);

}  // namespace skein::commands
