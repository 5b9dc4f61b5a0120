// The rows of the configuration, a file for each group of tables, and what they have in common.
#pragma once

#include "app/config/keys.h"

namespace skein::config::rows {

inline constexpr Values text{Kind::text};
inline constexpr Values age{Kind::age};
inline constexpr Values truth{Kind::truth};
inline constexpr Values rules{Kind::rules};
inline constexpr Values models{Kind::models};
inline constexpr Values file_names{Kind::names};
inline constexpr Values words{Kind::words};
inline constexpr Values pairs{Kind::pairs};
inline constexpr Values chords{Kind::chords};
constexpr Values one_of(std::string_view choices) { return {Kind::choice, choices}; }
constexpr Values whole(double least, double most) { return {Kind::whole, {}, least, most}; }
constexpr Values number(double least, double most) { return {Kind::number, {}, least, most}; }

inline void take(std::string& to, const Item& item) { to = item.text; }
inline void take(std::vector<std::string>& to, const Item& item) { to = item.list; }
inline void take(std::optional<std::vector<std::string>>& to, const Item& item) { to = item.list; }
inline void take(std::map<std::string, std::string>& to, const Item& item) { to = item.pairs; }
inline void take(bool& to, const Item& item) { to = item.truth; }
inline void take(double& to, const Item& item) { to = item.number; }
inline void take(std::optional<double>& to, const Item& item) { to = item.number; }
inline void take(std::int64_t& to, const Item& item) {
  to = static_cast<std::int64_t>(item.number);
}
inline void take(std::chrono::milliseconds& to, const Item& item) {  // of seconds
  to = std::chrono::milliseconds(static_cast<std::int64_t>(item.number * 1000));
}

// Whether there are such models is checked once all tables have been read: see check_names.
inline bool set_fallback(Target& to, const Item& item) {
  to.config.fallback[item.owner] = item.list;
  return true;
}

// Trust is given to the text of a workspace's configuration. A script next to it may change the
// next minute, by a checkout or by a tool, so a key command or notify-command may not name one.
//
// Whether a command of a workspace's configuration names a file of the workspace: by a relative or
// an absolute path, or by a word that a folder of $PATH in the workspace would answer to. Then a
// notice says so: `what` is the command, and `advice` what to do.
bool runs_workspace_file(Target& to, const std::string& command, const std::string& what,
                         const std::string& advice = {});

using Rows = std::span<const Key>();
Rows general_rows;  // above all tables
Rows budget_rows, expiry_rows, statusline_rows, chord_rows, color_rows, provider_rows, model_rows,
    server_rows, hook_rows, alias_rows;

}  // namespace skein::config::rows
