#include "tests/support/workbench.h"

#include <sys/stat.h>

#include "core/json.h"

namespace skein::test {

namespace fs = std::filesystem;

JsonText json_of(Members members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (text.size() > 1) text += ",";
    append_quoted(text, name);
    text += ":";
    if (value.starts_with("="))
      text += value.substr(1);
    else
      append_quoted(text, value);
  }
  return text + "}";
}

std::string text_of(const ToolOutcome& outcome) {
  std::string text;
  for (const ResultBlock& block : outcome.content)
    if (const auto* piece = std::get_if<Text>(&block)) text += piece->text;
  return text;
}

std::map<std::string, std::string> snapshot(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder);
    struct stat info {};
    lstat(entry.path().c_str(), &info);
    files[name] = std::to_string(info.st_mode) + " ";
    if (entry.is_symlink())
      files[name] += fs::read_symlink(entry.path());
    else if (entry.is_regular_file())
      files[name] += read_file(entry.path());
  }
  return files;
}

Workbench::Workbench() {
  fs::create_directories(root());
  write_file(outside() / "secret", secret);
  write_file(outside() / "folder/secret", secret);
  settings.root = root();
}

const Tools& Workbench::tools() {
  if (tools_.empty()) tools_ = standard_tools(settings);
  return tools_;
}

ToolOutcome Workbench::call(std::string_view tool, Members members, const ToolPorts& ports) {
  return find_tool(tools(), tool)->run(json_of(members), ports);
}

std::string Workbench::result(std::string_view tool, Members members) {
  return text_of(call(tool, members));
}

}  // namespace skein::test
