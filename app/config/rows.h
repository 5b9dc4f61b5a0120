// The rows of keys(), a file for each group of tables, and what they have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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
inline void take(bool& to, const Item& item) { to = item.truth; }
inline void take(double& to, const Item& item) { to = item.number; }
inline void take(std::optional<double>& to, const Item& item) { to = item.number; }
inline void take(std::int64_t& to, const Item& item) {
  to = static_cast<std::int64_t>(item.number);
}

// Whether there are such models is checked once all tables have been read: see check_names.
inline bool set_fallback(Target& to, const Item& item) {
  to.config.fallback[item.owner] = item.list;
  return true;
}

std::span<const Key> general_rows();  // above all tables
std::span<const Key> expiry_rows();
std::span<const Key> statusline_rows();
std::span<const Key> chord_rows();  // [keys]
std::span<const Key> color_rows();
std::span<const Key> provider_rows();
std::span<const Key> model_rows();
std::span<const Key> server_rows();
std::span<const Key> hook_rows();
std::span<const Key> alias_rows();

}  // namespace skein::config::rows
