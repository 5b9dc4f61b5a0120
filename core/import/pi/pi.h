// pi's sessions, a tree of lines in one file, of any version so far: what each kind of line
// becomes, and which other it follows. OpenClaw keeps the same lines in other containers, several
// sessions of pi ("windows") making one session there.
#pragma once

#include "core/import/source/foreign_json.h"

namespace skein::importers {

// The first line of a session.
struct PiHeader {
  ForeignSession session{};                     // without a title
  std::string provider{}, model{}, thinking{};  // only version 1 has them here
};
// nullopt: the line is something else.
std::optional<PiHeader> pi_header(std::string_view line);

bool has_pi_lines(const SourceFile& file);
// What a file says of its session: the first line, and the last name it was given.
ForeignSession pi_session_in(const SourceFile& file);
void read_pi_lines(const SourceFile& file, const ReadOptions& options, std::string_view format,
                   const ForeignSession& session, Receiver& receiver);

// Ids may come again in a later window: an entry with the same content is the one that was; others
// get the window's name in their id.
struct PiWindow {
  std::string id{};
  std::string before{};  // a window: what has no parent follows its last entry; empty: nothing
  // Gives every line, unless `each` returns false.
  std::function<void(const std::function<bool(std::string_view line)>& each)> each_line{};
};
// Gives all windows of a session that was begun, and ends it at the end of the window `current`, or
// of the last one if there is none of that name.
void give_pi_windows(const std::vector<PiWindow>& windows, const std::string& current,
                     std::string_view format, std::string_view session, Receiver& receiver);

}  // namespace skein::importers
