#include "app/trust.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/application.h"
#include "app/config.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/sha256.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/prompt/line_editor.h"

namespace skein::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_bytes = 8u << 10;

fs::path trust_file() {
  const std::string folder = config_folder();
  return folder.empty() ? fs::path{} : fs::path(folder) / "trusted.json";
}

Json read_trusted() {
  std::ifstream in(trust_file(), std::ios::binary);
  const std::optional<Json> json = parse_json(std::string(std::istreambuf_iterator<char>(in), {}));
  return json && json->is_object() ? *json : Json::object();
}

// All of it or nothing, and only the user can read it.
void write_trusted(const Json& all) {
  const fs::path file = trust_file();
  const auto failed = [&] {
    return Error("cannot write " + file.string() + ": " + std::strerror(errno),
                 ExitStatus::storage);
  };
  if (file.empty())
    throw Error("there is no place for trust: set HOME or XDG_CONFIG_HOME", ExitStatus::storage);
  std::error_code ignored;
  if (fs::create_directories(file.parent_path(), ignored))
    fs::permissions(file.parent_path(), fs::perms::owner_all, ignored);
  std::string name = file.string() + ".XXXXXX";
  const int fd = mkostemp(name.data(), O_CLOEXEC);  // 0600
  if (fd < 0) throw failed();
  const bool written = write_all(fd, dump(all) + "\n") && ::fsync(fd) == 0;
  ::close(fd);
  if (written && ::rename(name.c_str(), file.c_str()) == 0) return;
  const Error error = failed();
  ::unlink(name.c_str());
  throw error;
}

}  // namespace

Trust trust_in(const std::string& workspace, const std::string& text) {
  const Json all = read_trusted();
  const Json& known = at(all, workspace);
  if (string_at(known, "sha256") != sha256_hex(text)) return Trust::unknown;
  return bool_at(known, "trusted") ? Trust::given : Trust::refused;
}

void set_trust(const std::string& workspace, const std::string& text, Trust trust) {
  Json all = read_trusted();
  if (trust == Trust::unknown)
    all.erase(workspace);
  else
    all[workspace] = {{"sha256", sha256_hex(text)}, {"trusted", trust == Trust::given}};
  write_trusted(all);
}

void offer_trust(const std::string& workspace) {
  const std::optional<WorkspaceFile> file = workspace_file(workspace);
  if (!file || file->wants.empty() || file->text.size() > shown_bytes ||
      trust_in(workspace, file->text) != Trust::unknown)
    return;
  const std::string question = file->path + " wants to set " + listed(file->wants) + ":\n\n" +
                               file->text +
                               "\nIt came with this workspace. Addresses and key commands in it "
                               "decide who gets your prompts and keys.\n";
  std::fputs(layout::sanitized(question).c_str(), stdout);
  std::fflush(stdout);
  edit::Draft answer;
  const auto editor =
      prompt::make_plain_editor(STDIN_FILENO, true, [] { return stop_asked().load(); });
  if (editor->read("Trust it, as it is now? [y/N] › ", answer) !=
      prompt::LineEditor::ReadResult::line)
    return;
  set_trust(workspace, file->text,
            answer.text == "y" || answer.text == "yes" ? Trust::given : Trust::refused);
}

}  // namespace skein::app
