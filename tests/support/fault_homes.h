// The homes that faults strike: empty, in order, torn, stale, and with copies in every place.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/entry.h"

namespace skein::test {

inline constexpr const char* main_key = "main:cli:user";
inline constexpr const char* trashed_key = "main:old:gone";
inline const std::string leaked = "please log in with my very own password";  // what entry 2 says

// Which entries were acknowledged in which session before the blow.
struct Before {
  std::map<Id, std::vector<model::Entry>> acknowledged{};
  Id main{}, trashed{};
  bool empty = true;
};

struct FaultHome {
  const char* name;
  void (*make)(const std::string& home, Before& before);
  bool has_leftovers = false;  // for operations that move whole files
};
std::span<const FaultHome> fault_homes();

std::filesystem::path transcript(const std::string& home, Id session);
std::filesystem::path archive(const std::string& home, Id session);
std::filesystem::path state_folder(const std::string& home);  // of its user, beside it

}  // namespace skein::test
