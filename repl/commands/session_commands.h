// What the slash commands do. Each is a row of the table in commands.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base.h"

namespace skein {

class Shell;

void open_with_this_model(Shell& shell, Id session);

void new_session(Shell& shell, std::string_view title);
void list_sessions(Shell& shell, std::string_view filter);
void resume_session(Shell& shell, std::string_view text);
void switch_session(Shell& shell, std::string_view name);
void show_history(Shell& shell, std::string_view count);
void delete_session(Shell& shell, std::string_view name);
void restore_session(Shell& shell, std::string_view name);
void rename_session(Shell& shell, std::string_view title);
std::vector<std::string> session_names(Shell& shell, std::string_view start);

void show_tree(Shell& shell, std::string_view);
void show_branches(Shell& shell, std::string_view);
void branch(Shell& shell, std::string_view entry_and_prompt);
void fork_session(Shell& shell, std::string_view key);
void undo(Shell& shell, std::string_view);
void continue_turn(Shell& shell, std::string_view);

void show_permissions(Shell& shell, std::string_view change);
std::vector<std::string> permission_words(Shell& shell, std::string_view start);
void retry(Shell& shell, std::string_view);

void take_snapshot(Shell& shell, std::string_view name);
void show_snapshots(Shell& shell, std::string_view);
void roll_back(Shell& shell, std::string_view name);
std::vector<std::string> snapshot_names(Shell& shell, std::string_view start);
void redact_entry(Shell& shell, std::string_view entry_and_reason);
void archive_session(Shell& shell, std::string_view name);

void choose_model(Shell& shell, std::string_view name);
std::vector<std::string> model_names(Shell& shell, std::string_view start);
void choose_thinking(Shell& shell, std::string_view level);
std::vector<std::string> thinking_names(Shell& shell, std::string_view start);
void set_system(Shell& shell, std::string_view text);
void show_login(Shell& shell, std::string_view provider);

void export_session(Shell& shell, std::string_view arguments);
std::vector<std::string> format_names(Shell& shell, std::string_view start);
void show_tools(Shell& shell, std::string_view);
void show_config(Shell& shell, std::string_view);
void show_health(Shell& shell, std::string_view);

void compact(Shell& shell, std::string_view focus);
void show_context(Shell& shell, std::string_view);
void show_usage(Shell& shell, std::string_view);

}  // namespace skein
