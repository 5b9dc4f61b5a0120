#include "repl/pick/session_picker.h"

#include <doctest/doctest.h>

#include "core/text/text.h"
#include "repl/layout/width.h"
#include "tests/support/homes.h"
#include "tests/support/pty.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::pick;
using namespace skein::test;
using store::SessionRecord, store::SessionStore;

namespace {

SessionRecord session(std::uint64_t id, std::string key, std::string title, std::int64_t turns = 1,
                      std::string cwd = "/ws") {
  SessionRecord out;
  out.key = std::move(key);
  out.header.session = Id{id};
  out.header.cwd = std::move(cwd);
  out.header.created_at = now_utc();
  out.state.title = std::move(title);
  out.state.messages = turns;
  return out;
}

const std::vector<SessionRecord> some{
    session(1, "main:cli:20261115T192603.090-76c7", "fix the tabs in the lexer, all of them"),
    session(2, "main:cli:20261115T192603.090-86c8", "fix the tabs in the lexer, all of them"),
    session(3, "main:cli:20261114T101112.133-0a1b", "", 0), session(4, "main:cli:user", "hello")};

std::vector<std::string> keys_in(const ListedSessions& listed) {
  std::vector<std::string> out;
  for (const SessionRecord& each : listed.shown) out.push_back(each.key);
  return out;
}

}  // namespace

TEST_CASE("whatever the width, a table of sessions begins with titles and ends with what differs") {
  for (const std::size_t width : {80u, 40u}) {
    CAPTURE(width);
    const std::string drawn = layout::drawn(session_table(some, {.current = Id{4}}), width, {});
    CHECK(drawn.starts_with("  title"));
    for (const char* const end :
         {"…090-76c7\n", "…090-86c8\n", "…133-0a1b\n", "main:cli:user\n", "key\n"})
      CHECK(drawn.find(end) != std::string::npos);
    CHECK(drawn.find("fix the tabs") != std::string::npos);
    CHECK(drawn.find("* hello") != std::string::npos);
  }
  CHECK(layout::drawn(session_table(some, {.whole_keys = true}), 0, {})
            .find("main:cli:20261115T192603.090-76c7\n") != std::string::npos);
}

TEST_CASE("rows to pick from fit, and show the end of the key") {
  for (const std::size_t width : {78u, 38u}) {
    const std::vector<std::string> rows = session_rows(some, width, Id{3}, true);
    REQUIRE(rows.size() == some.size());
    CHECK(rows[0].ends_with("…090-76c7"));
    CHECK(rows[1].ends_with("…090-86c8"));
    CHECK(rows[2].starts_with("new session"));
    CHECK(rows[2].ends_with("(this one)"));
    for (const std::string& row : rows) CHECK(layout::display_width(row) <= width);
    CHECK((rows[0].find("/ws") != std::string::npos) == (width > 40));
  }
}

TEST_CASE("titles get the room that counts of a few sessions and long folders would leave empty") {
  const std::string title = "please have a look at the lexer and find out why tabs break";
  std::vector<SessionRecord> sessions = some;
  for (SessionRecord& each : sessions) each.header.created_at = now_utc();  // "now" is short
  sessions[0].state.title = title;
  sessions[1].state.leaves = {Id{1}, Id{2}};
  sessions[1].state.usage["a/b"].input = 1'000;
  sessions[2].header.cwd = "/a/folder/with/a/rather/long/name/of/its/own";
  for (const bool folders : {false, true})
    for (const std::size_t width : {79u, 39u}) {
      CAPTURE(folders);
      CAPTURE(width);
      const std::vector<std::string> rows = session_rows(sessions, width, {}, folders);
      const std::size_t least = width < 40 ? 15 : folders ? 29 : 43;
      CHECK(rows[0].starts_with(title.substr(0, least)));
      const std::string drawn =
          layout::drawn(session_table(sessions, {.folders = folders}), width, {});
      CHECK(drawn.find(title.substr(0, least)) != std::string::npos);
      for (const std::string& row : rows) CHECK(layout::display_width(row) <= width - 2);
      for (const std::string_view row : split(drawn, '\n'))
        CHECK(layout::display_width(row) <= width);
      CHECK((rows[0].find("/ws") != std::string::npos) == (folders && width > 40));
    }
}

TEST_CASE("two keys that end alike are told apart by more of them") {
  const std::vector<SessionRecord> alike{session(1, "main:cli:20261115T192603.090-76c7", "a"),
                                         session(2, "main:cli:20261115T203604.090-76c7", "b")};
  const std::vector<std::string> rows = session_rows(alike, 78);
  CHECK(rows[0].ends_with("…192603.090-76c7"));
  CHECK(rows[1].ends_with("…203604.090-76c7"));
}

TEST_CASE("whoever is asked about deleting a session is told its title") {
  CHECK(delete_question(some[3]) == "Move “hello” (1 turn, main:cli:user) to the trash?");
  CHECK(delete_question(some[2]) == "Move “new session” (0 turns, 101112.133-0a1b) to the trash?");
  CHECK(delete_question(session(5, "main:bot:7", "", 2)) ==
        "Move “main:bot:7” (2 turns) to the trash?");
}

TEST_CASE("a list has the sessions of this folder, and counts the others") {
  std::vector<SessionRecord> all = some;
  all.push_back(session(5, "main:cli:there", "elsewhere", 3, "/other"));
  all.push_back(session(6, "main:print:20261115T192603.090-76c7", "asked once"));
  all.push_back(session(7, "main:cli:old", "packed"));
  all.back().archived = true;
  all.push_back(session(8, "main:cli:clone", "of the same project", 1, "/clone"));
  all.push_back(session(9, "main:cli:planned", "nothing said yet, but named", 0));
  all[0].header.project = all[7].header.project = "git.example.org/me/it";

  const ListedSessions here = listed_sessions(all, {.workspace = "/ws"});
  CHECK(keys_in(here) == std::vector<std::string>{some[0].key, some[1].key, "main:cli:user",
                                                  "main:cli:clone", "main:cli:planned"});
  CHECK(left_out_text(here) == "1 in other folders, 1 made by -p, 1 archived");

  // The one that is open is always there.
  CHECK(listed_sessions(all, {.workspace = "/ws", .current = Id{3}}).shown[2].key == some[2].key);
  const ListedSessions open_there = listed_sessions(all, {.workspace = "/ws", .current = Id{5}});
  CHECK(open_there.elsewhere == 0);

  const ListedSessions everywhere =
      listed_sessions(all, {.which = SessionListing::everywhere, .workspace = "/ws"});
  CHECK(everywhere.shown.size() == all.size() - 1);  // but the one in which nothing was said
  CHECK(left_out_text(everywhere).empty());
  CHECK(keys_in(listed_sessions(all, {.which = SessionListing::archived})) ==
        std::vector<std::string>{"main:cli:old"});
  CHECK(listed_sessions(all, {.which = SessionListing::all}).shown.size() == all.size());
  CHECK(left_out_text(
            listed_sessions(all, {.workspace = "/ws", .fits = [](const SessionRecord& each) {
                                    return each.state.title == "packed";
                                  }})) == "1 archived");
}

TEST_CASE("the list to pick from has this folder's sessions, and Ctrl+A brings the others") {
  const TempDir dir;
  SessionStore store = store_at(dir.path().string());
  const auto made = [&](const std::string& key, const std::string& cwd, const std::string& words) {
    const Id id =
        value_of(store.create_session({.key = key, .cwd = cwd, .title = words})).session_id;
    append(store, id, {user_says(words)});
    return id;
  };
  const Id far = made("main:cli:far", "/other", "the parser"),
           packed = made("main:cli:packed", "/ws", "the linker"),
           here = made("main:cli:here", "/ws", "the lexer");
  value_of(store.life_cycle().archive(packed));
  const auto picked = [&](std::string_view keys, SessionChoice choice = {}) {
    Pty pty;
    terminal::Terminal terminal(pty.slave(), pty.slave());
    terminal.set(terminal::Terminal::Mode::editing);
    pty.type(keys);
    terminal::Keyboard keyboard(terminal);
    choice.workspace = "/ws";
    return pick_session(keyboard, store, choice);
  };
  CHECK(picked("\r") == here);
  CHECK_FALSE(picked("\x1b[B\r") == far);  // there is but one
  CHECK(picked("\x01parser\r") == far);
  CHECK(picked("parser\x01\r") == far);  // nothing fits here, so that it can be looked for there
  CHECK(picked("\x01linker\r") == packed);
  CHECK(picked("\x01\x01\r") == here);
  CHECK(picked("\r", {.query = "parser"}) == far);  // what is asked for may be elsewhere
  CHECK_FALSE(picked("\x1b"));
}
