#include "app/config/edit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "core/text/base.h"
#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::config {

namespace {

namespace fs = std::filesystem;

std::string words_text(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& each : words) out += (out.empty() ? "" : ", ") + json_string(each);
  return "[" + out + "]";
}

std::string pairs_text(const std::map<std::string, std::string>& pairs) {
  std::string out;
  for (const auto& [name, value] : pairs)
    out += (out.empty() ? " " : ", ") + json_string(name) + " = " + json_string(value);
  return "{" + out + " }";
}

// Whether a line begins a table of this server: [mcp.x], [mcp."x"], [mcp.x.env].
bool begins_server(std::string_view line, const std::string& name) {
  line = trimmed(line);
  for (const std::string& spelled :
       {"[mcp." + name, "[mcp.\"" + name + "\"", "[mcp.'" + name + "'"})
    if (line.starts_with(spelled) && line.size() > spelled.size() &&
        (line[spelled.size()] == ']' || line[spelled.size()] == '.'))
      return true;
  return false;
}

}  // namespace

std::string with_server(const std::string& text, const mcp::ServerEntry& entry) {
  std::string out = text;
  if (!out.empty()) out += out.ends_with('\n') ? "\n" : "\n\n";
  out += "[mcp." + entry.name + "]\n";
  if (!entry.command.empty()) out += "command = " + json_string(entry.command) + "\n";
  if (!entry.arguments.empty()) out += "args = " + words_text(entry.arguments) + "\n";
  if (!entry.environment.empty()) out += "env = " + pairs_text(entry.environment) + "\n";
  if (!entry.url.empty()) out += "url = " + json_string(entry.url) + "\n";
  if (!entry.headers.empty()) out += "headers = " + pairs_text(entry.headers) + "\n";
  return out;
}

std::string without_server(const std::string& text, const std::string& name) {
  std::string out, blank;  // blank lines in front of a table go with it
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    at = end;
    if (trimmed(line).starts_with('[')) {
      const bool was = inside;
      inside = begins_server(line, name);
      if (inside || (was && out.empty())) blank.clear();
    }
    if (trimmed(line).empty()) {
      blank += line;
    } else if (!inside) {
      out += blank + line;
      blank.clear();
    } else {
      blank.clear();
    }
  }
  return out + (inside ? "" : blank);
}

void write_config(const std::string& file, const std::string& text) {
  std::error_code ignored;
  const fs::path linked = fs::canonical(file, ignored);  // a link stays one
  const fs::path path = linked.empty() ? fs::path(file) : linked;
  const auto failed = [&] {
    return Error("cannot write " + path.string() + ": " + std::strerror(errno),
                 ExitStatus::storage);
  };
  if (fs::create_directories(path.parent_path(), ignored))
    fs::permissions(path.parent_path(), fs::perms::owner_all, ignored);
  struct stat before {};
  const bool known = ::stat(path.c_str(), &before) == 0;
  std::string name = path.string() + ".XXXXXX";
  const Fd fd(mkostemp(name.data(), O_CLOEXEC));  // 0600
  if (!fd) throw failed();
  const bool written = (!known || ::fchmod(fd.get(), before.st_mode & 07777) == 0) &&
                       write_all(fd.get(), text) && ::fsync(fd.get()) == 0 &&
                       ::rename(name.c_str(), path.c_str()) == 0;
  if (written) return;
  const Error error = failed();
  ::unlink(name.c_str());
  throw error;
}

}  // namespace skein::config
