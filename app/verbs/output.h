// What the verbs have in common: how they open a session, ask, and write to standard output, which
// may hold what models, files and strangers said.
#pragma once

#include "app/verbs/subcommands.h"
#include "core/store/session_store.h"
#include "core/text/base.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

inline constexpr int failed_status = static_cast<int>(ExitStatus::turn);

// The session that the first argument names, and the store it is in. Throws Error.
struct OpenedSession {
  store::SessionStore store;
  store::SessionRecord record;
  Id id = record.header.session;
};
OpenedSession open_session(const Invocation& invocation);
// What --since says, in ms since 1970; 0: it was not given.
std::int64_t since_ms(const Invocation& invocation);
// The user's answer on standard input, trimmed and in lower case; empty: there is none.
std::string asked(std::string_view question, std::FILE* on = stdout);
bool agreed(const std::string& question);                          // appends "[y/N]"
screen::Screen::Parts screen_parts(const Invocation& invocation);  // of standard output

void print_json(const JsonText& json);        // escaped so that no terminal obeys it; a line
void print_line(std::string_view untrusted);  // sanitized
void print_styled(std::string_view safe);     // sanitized already, with skein's styles; a line
void print_text(std::string_view safe);       // the same, as it is
// The one if --json was given, else the other.
void print_answer(const Invocation& invocation, const JsonText& json, std::string_view line);

// A list: with --json an array, printed at its end, else a line for each row, printed at once.
class ListPrinter {
 public:
  explicit ListPrinter(const Invocation& invocation) : json_(invocation.has("--json")) {}
  void add(const JsonText& row, std::string_view line);
  void add_failure(const JsonText& row, std::string_view line);  // the line: on standard error
  // `none`: what to print instead of lines if there are no rows. `member`: the array is that member
  // of an object.
  void end(std::string_view none = {}, std::string_view member = {}) const;
  bool empty() const { return rows_.empty(); }

 private:
  bool json_;
  std::vector<JsonText> rows_{};
};

std::string pad(std::string text, std::size_t width);  // with blanks, to `width` bytes

std::uint64_t bytes_of(const std::vector<store::SessionRecord>& sessions);  // all together

// How far long work is, as one line on a terminal's standard error that is redrawn in place and
// taken away at the end. Where that is no terminal nothing is shown.
class Progress {
 public:
  enum class Unit { things, bytes };
  // `doing`: "importing".
  Progress(std::string doing, std::uint64_t whole, Unit unit = Unit::things);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(std::uint64_t by = 1);
  void end();

 private:
  void draw() const;

  std::string doing_;
  std::uint64_t whole_, done_ = 0;
  Unit unit_;
  bool shown_;
  std::int64_t drawn_ms_ = 0;
};

}  // namespace skein::verbs
