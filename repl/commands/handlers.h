// What the slash commands do. Each is a row of the table in commands.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/base.h"

namespace skein::repl {
class Shell;
}  // namespace skein::repl

namespace skein::commands {

void open_with_this_model(repl::Shell& shell, Id session);

void new_session(repl::Shell& shell, std::string_view title);
void list_sessions(repl::Shell& shell, std::string_view filter);
void resume_session(repl::Shell& shell, std::string_view text);
void switch_session(repl::Shell& shell, std::string_view name);
void show_history(repl::Shell& shell, std::string_view count);
void delete_session(repl::Shell& shell, std::string_view name);
void restore_session(repl::Shell& shell, std::string_view name);
void rename_session(repl::Shell& shell, std::string_view title);
std::vector<std::string> session_names(repl::Shell& shell, std::string_view start);

void show_tree(repl::Shell& shell, std::string_view);
void show_branches(repl::Shell& shell, std::string_view);
void branch(repl::Shell& shell, std::string_view entry_and_prompt);
void fork_session(repl::Shell& shell, std::string_view key);
void undo(repl::Shell& shell, std::string_view);
void continue_turn(repl::Shell& shell, std::string_view);

void show_permissions(repl::Shell& shell, std::string_view change);
std::vector<std::string> permission_words(repl::Shell& shell, std::string_view start);
void retry(repl::Shell& shell, std::string_view);

void take_snapshot(repl::Shell& shell, std::string_view name);
void show_snapshots(repl::Shell& shell, std::string_view);
void roll_back(repl::Shell& shell, std::string_view name);
std::vector<std::string> snapshot_names(repl::Shell& shell, std::string_view start);
void redact_entry(repl::Shell& shell, std::string_view entry_and_reason);
void archive_session(repl::Shell& shell, std::string_view name);

void choose_model(repl::Shell& shell, std::string_view name);
std::vector<std::string> model_names(repl::Shell& shell, std::string_view start);
void choose_thinking(repl::Shell& shell, std::string_view level);
std::vector<std::string> thinking_names(repl::Shell& shell, std::string_view start);
void set_system(repl::Shell& shell, std::string_view text);
void show_login(repl::Shell& shell, std::string_view provider);

void export_session(repl::Shell& shell, std::string_view arguments);
std::vector<std::string> format_names(repl::Shell& shell, std::string_view start);
void show_tools(repl::Shell& shell, std::string_view);
void show_config(repl::Shell& shell, std::string_view);
void show_health(repl::Shell& shell, std::string_view);

void compact(repl::Shell& shell, std::string_view focus);
void show_context(repl::Shell& shell, std::string_view);
void show_usage(repl::Shell& shell, std::string_view);

}  // namespace skein::commands
