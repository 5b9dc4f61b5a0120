// A workspace with something secret beside it, and the standard tools at work in it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/tools/tools.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

using Members = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// {"path", "a"} … as a JSON object; a value that begins with "=" is put in as it is.
JsonText json_of(Members members);
std::string text_of(const model::ToolOutcome& outcome);  // its Text blocks joined

// Every file and link below a folder, with contents, modes and targets.
std::map<std::string, std::string> snapshot(const std::filesystem::path& folder);

class TestWorkspace {
 public:
  TestWorkspace();

  std::filesystem::path root() const { return dir_.path() / "root"; }
  std::filesystem::path outside() const { return dir_.path() / "outside"; }
  static constexpr std::string_view secret = "the treasure is under the oak";

  const model::Tools& tools();  // made at the first call, from `settings`
  model::ToolOutcome call(std::string_view tool, Members members,
                          const model::ToolPorts& ports = {});
  std::string result(std::string_view tool, Members members);  // the text of it

  tools::ToolSettings settings;

 private:
  TempDir dir_;
  model::Tools tools_;
};

}  // namespace skein::test
