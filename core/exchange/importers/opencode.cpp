#include "core/exchange/importers/opencode.h"

#include <string>
#include <vector>

#include "core/exchange/importers/database.h"
#include "core/exchange/importers/opencode_database.h"
#include "core/exchange/importers/opencode_session.h"
#include "core/exchange/importers/opencode_tree.h"

namespace skein::exchange::importers {

namespace {

bool is_opencode_database(const SourceFile& file) {
  return is_database_with(file, "session_message", "opencode.db") ||
         (is_database_with(file, "part", "opencode.db") &&
          is_database_with(file, "session", "opencode.db"));
}

bool is_opencode(const SourceFile& file) {
  return is_opencode_database(file) || is_opencode_session_file(file);
}

void read_opencode(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (is_opencode_database(file)) return read_opencode_database(file, options, receiver);
  read_opencode_tree(file, options, receiver);
}

std::vector<std::string> opencode_places(const Environment& environment) {
  const std::string own = environment("XDG_DATA_HOME");
  const std::string data =
      (own.starts_with('/') ? own : environment("HOME") + "/.local/share") + "/opencode";
  return {data + "/opencode.db", data + "/storage/session"};
}

}  // namespace

Format opencode() {
  return {.name = opencode_name,
          .agent = "opencode",
          .channel = "opencode",
          .recognizes = is_opencode,
          .read = read_opencode,
          .places = opencode_places};
}

}  // namespace skein::exchange::importers
