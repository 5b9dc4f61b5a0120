// Which value of a key of the configuration is in force, and who gave it: the default, a file, the
// environment or a flag.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli.h"
#include "app/config/keys.h"

namespace skein::app {

// A key as people write it: "max-turns", "providers.work.url", "models.work/large.window".
struct SettingName {
  const config::Key* key = nullptr;
  std::string owner{};  // the "work" of the second
};
// Throws Error (usage) if there is no such key.
SettingName parse_setting(std::string_view name);

struct SettingOrigin {
  enum class Giver { standard, file, environment, flag };
  Giver giver = Giver::standard;
  std::string place{};   // the file, the variable, the flag
  std::size_t line = 0;  // of the file
  bool operator==(const SettingOrigin&) const = default;
};
std::string_view giver_name(SettingOrigin::Giver giver);  // "default", "file", …
std::string described(const SettingOrigin& origin);       // "default", "FILE:LINE", "$SKEIN_MODEL"

struct Setting {
  JsonText value{};                      // which is TOML as well; empty: nobody has set it
  std::vector<SettingOrigin> origins{};  // rules add up; of everything else there is one
  std::vector<std::string> troubles{};   // of the files
};
// Keys and passwords in it are masked; of a command that prints a key nothing is shown.
Setting setting_in_force(const Invocation& invocation, const std::string& workspace,
                         const SettingName& name);

}  // namespace skein::app
