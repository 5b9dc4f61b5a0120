#include "tests/support/workbench.h"

#include <sys/stat.h>

#include "core/text/json.h"

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

std::string text_of(const model::ToolOutcome& outcome) {
  std::string text;
  for (const model::ResultBlock& block : outcome.content)
    if (const auto* piece = std::get_if<model::Text>(&block)) text += piece->text;
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

TestWorkspace::TestWorkspace() {
  fs::create_directories(root());
  write_file(outside() / "secret", secret);
  write_file(outside() / "folder/secret", secret);
  settings.root = root();
}

const model::Tools& TestWorkspace::tools() {
  if (tools_.empty()) tools_ = tools::standard_tools(settings);
  return tools_;
}

model::ToolOutcome TestWorkspace::call(std::string_view tool, Members members,
                                       const model::ToolPorts& ports) {
  return model::find_tool(tools(), tool)->run(json_of(members), ports);
}

std::string TestWorkspace::result(std::string_view tool, Members members) {
  return text_of(call(tool, members));
}

}  // namespace skein::test
