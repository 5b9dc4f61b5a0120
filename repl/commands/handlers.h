// What the slash commands do. Each is a row of the table in table.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::session {
class Session;
}  // namespace skein::session

namespace skein::commands {

void open_with_this_model(session::Session& session, Id id);

void new_session(session::Session& session, std::string_view title);
void list_sessions(session::Session& session, std::string_view filter);
void resume_session(session::Session& session, std::string_view text);
void switch_session(session::Session& session, std::string_view name);
void show_history(session::Session& session, std::string_view count);
void delete_session(session::Session& session, std::string_view name);
void restore_session(session::Session& session, std::string_view name);
void rename_session(session::Session& session, std::string_view title);
std::vector<std::string> session_names(session::Session& session, std::string_view start);

void show_tree(session::Session& session, std::string_view);
void show_branches(session::Session& session, std::string_view);
void branch(session::Session& session, std::string_view entry_and_prompt);
void fork_session(session::Session& session, std::string_view key);
void undo(session::Session& session, std::string_view);
void continue_turn(session::Session& session, std::string_view);

void show_permissions(session::Session& session, std::string_view change);
std::vector<std::string> permission_words(session::Session& session, std::string_view start);
void retry(session::Session& session, std::string_view);

void take_snapshot(session::Session& session, std::string_view name);
void show_snapshots(session::Session& session, std::string_view);
void roll_back(session::Session& session, std::string_view name);
std::vector<std::string> snapshot_names(session::Session& session, std::string_view start);
void redact_entry(session::Session& session, std::string_view entry_and_reason);
void archive_session(session::Session& session, std::string_view name);

void choose_model(session::Session& session, std::string_view name);
std::vector<std::string> model_names(session::Session& session, std::string_view start);
void choose_thinking(session::Session& session, std::string_view level);
std::vector<std::string> thinking_names(session::Session& session, std::string_view start);
void set_system(session::Session& session, std::string_view text);
void show_login(session::Session& session, std::string_view provider);

void export_session(session::Session& session, std::string_view arguments);
std::vector<std::string> format_names(session::Session& session, std::string_view start);
void show_tools(session::Session& session, std::string_view);
void show_config(session::Session& session, std::string_view);
void show_health(session::Session& session, std::string_view);

void compact(session::Session& session, std::string_view focus);
void show_context(session::Session& session, std::string_view);
void show_usage(session::Session& session, std::string_view);

}  // namespace skein::commands
