// The rows of config_keys(), a file for each group of tables, and what they have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/config_keys.h"

namespace skein::app::config_rows {

using Kind = ConfigKind;

inline constexpr ConfigValues text{Kind::text};
inline constexpr ConfigValues age{Kind::age};
inline constexpr ConfigValues truth{Kind::truth};
inline constexpr ConfigValues rules{Kind::rules};
inline constexpr ConfigValues models{Kind::models};
inline constexpr ConfigValues file_names{Kind::names};
inline constexpr ConfigValues words{Kind::words};
inline constexpr ConfigValues pairs{Kind::pairs};
constexpr ConfigValues one_of(std::string_view choices) { return {Kind::choice, choices}; }
constexpr ConfigValues whole(double least, double most) { return {Kind::whole, {}, least, most}; }
constexpr ConfigValues number(double least, double most) { return {Kind::number, {}, least, most}; }

inline void take(std::string& to, const ConfigItem& item) { to = item.text; }
inline void take(bool& to, const ConfigItem& item) { to = item.truth; }
inline void take(double& to, const ConfigItem& item) { to = item.number; }
inline void take(std::optional<double>& to, const ConfigItem& item) { to = item.number; }
inline void take(std::int64_t& to, const ConfigItem& item) {
  to = static_cast<std::int64_t>(item.number);
}

// Whether there are such models is checked once all tables have been read: see check_names.
inline bool set_fallback(ConfigTarget& to, const ConfigItem& item) {
  to.config.fallback[item.owner] = item.list;
  return true;
}

std::span<const ConfigKey> general_rows();  // above all tables
std::span<const ConfigKey> expiry_rows();
std::span<const ConfigKey> provider_rows();
std::span<const ConfigKey> model_rows();
std::span<const ConfigKey> server_rows();
std::span<const ConfigKey> hook_rows();
std::span<const ConfigKey> alias_rows();

}  // namespace skein::app::config_rows
