// How a place in a further folder is called, one that the user opened beside the workspace:
// "/home/me/lib/./src/x.c". The folder stays apart from the path in it, so that a rule about the
// workspace's own src does not allow anything there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skein::model {

inline constexpr std::string_view further_mark = "/./";

inline std::string further_place(std::string_view folder, std::string_view inner) {
  return std::string(folder) + std::string(further_mark) + std::string(inner);
}

// The path in the folder; nothing: it is a place in the workspace.
inline std::optional<std::string_view> inner_place(std::string_view place) {
  const std::size_t mark = place.starts_with('/') ? place.find(further_mark) : place.npos;
  if (mark == place.npos) return std::nullopt;
  return place.substr(mark + further_mark.size());
}

inline std::string_view further_folder_of(std::string_view place) {
  return place.substr(0, place.find(further_mark));
}

}  // namespace skein::model
