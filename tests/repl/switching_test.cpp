// Leaving a session and coming back: everything that was the session's is there again, and nothing
// of one ever reaches another.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "repl/repl.h"
#include "tests/support/homes.h"
#include "tests/support/recorded_screen.h"
#include "tests/support/rule_texts.h"
#include "tests/support/stage.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using Lines = std::vector<std::string>;

namespace {

// A person who types what is on the list.
struct Typist : prompt::LineEditor {
  ReadResult read(const std::string&, edit::Draft& line) override {
    found.push_back(line.text);
    if (std::exchange(woken, false)) return ReadResult::woken;
    if (next == lines.size()) return ReadResult::end;
    line = {lines[next++]};
    return ReadResult::line;
  }
  Lines lines{};
  Lines found{};  // what stood in the line already
  std::size_t next = 0;
  bool woken = false;  // before the first line
};

// A prompt on a stage.
struct Room : session::Program {
  explicit Room(JsonText script, bool attended = true,
                const model::Tools& tools = tools::tool_table())
      : stage(std::move(script)),
        input({.screen = *screen,
               .stop = stage.stop,
               .drafts = prompt::Drafts((dir / "drafts").string()),
               .attended = attended}),
        session({.store = stage.store,
                 .agent = stage.agent,
                 .screen = *screen,
                 .input = input,
                 .stop = stage.stop,
                 .leave = leave,
                 .workspace = "/ws",
                 .settings_for = [this](const agent::Conversation& on) { return settings_for(on); },
                 .services = {.tools = &tools, .program = this}}) {
    input.use(typist);
  }

  // As the program does it: what the session says, else the default.
  agent::Agent::Settings settings_for(const agent::Conversation& on) const {
    agent::Agent::Settings settings = stage.settings;
    if (!on.state().model.empty()) settings.model.model = on.state().model.substr(9);
    settings.model.thinking =
        model::parse_thinking_level(on.state().thinking).value_or(model::ThinkingLevel::off);
    permission::add_session_rules(settings.rules, tools::tool_table(), on.state().permissions,
                                  [](const std::string&) { return true; });
    if (on.record().key == "main:test:broken") throw Error("no such model");
    return settings;
  }
  Id open(const std::string& key) {
    const Id id = session_called(stage.store, key);
    session.open(id);
    return id;
  }
  void type(const std::string& line) { repl.handle({line}); }
  bool catch_up() override { return catch_up_now(); }

  TempDir dir{};
  Stage stage;
  RecordedScreen screen{piped};
  std::atomic<bool> leave{false};
  std::function<bool()> catch_up_now = [] { return false; };
  Typist typist{};
  session::TypedInput input;
  session::Session session;
  repl::Repl repl{session, input};
};

constexpr const char* talk = R"(["1", "2", "3", "4", "5", "6"])";

}  // namespace

TEST_CASE("switching back restores model, thinking level, session rules, draft and head") {
  Room room(talk);
  const Id first = room.open("main:test:one");
  room.type("a");
  room.type("b");
  room.type("/undo");
  room.session.settings().model = {"scripted", "clever", model::ThinkingLevel::high};
  room.type("/permissions allow bash(git status)");
  room.type("/permissions deny bash(rm *)");
  room.repl.editor_help().keep({"half a thought"});
  const auto head = room.session.conversation().head();
  const agent::Agent::Settings left = room.session.settings();

  room.open("main:test:two");
  CHECK(room.session.settings().model == model::ModelRef{"scripted", "x"});
  CHECK(room.session.settings().rules.allow.empty());
  CHECK(room.session.settings().rules.deny.empty());
  room.type("only in two");

  room.typist.lines = {"/switch " + to_string(first)};
  room.repl.run();
  CHECK(room.typist.found == Lines{"", "half a thought"});
  CHECK(room.session.settings().model == left.model);
  CHECK(room.session.settings().rules.allow == parse_rules("bash(git status)"));
  CHECK(room.session.settings().rules.deny == parse_rules("bash(rm *)"));
  CHECK(room.session.conversation().head() == head);
  for (const model::Message& message : room.stage.contexts.back().messages)
    CHECK(model::plain_text(message) != "a");
}

TEST_CASE("a new session and a fork go on with the model in use") {
  for (const char* command : {"/new", "/fork"}) {
    Room room(talk);
    room.open("main:test:one");
    room.type("a");
    room.session.settings().model = {"scripted", "clever", model::ThinkingLevel::low};

    room.type(command);

    CHECK(room.session.settings().model ==
          model::ModelRef{"scripted", "clever", model::ThinkingLevel::low});
    CHECK(room.session.conversation().state().model == "scripted/clever");
    CHECK(room.session.conversation().state().thinking == "low");
  }
}

TEST_CASE("a session that cannot be opened leaves everything as it was") {
  Room room(talk);
  const Id first = room.open("main:test:one");
  room.session.settings().model.model = "clever";
  const Id broken = session_called(room.stage.store, "main:test:broken");

  CHECK_THROWS_AS(room.session.open(broken), Error);

  CHECK(room.session.conversation().session() == first);
  CHECK(room.session.settings().model.model == "clever");
}

TEST_CASE("the permission mode goes around and stays when the session changes") {
  Room room(talk);
  room.open("main:test:one");
  Lines seen;
  for (int i = 0; i < 3; ++i) {
    CHECK(room.session.cycle_mode().starts_with("permission mode "));
    seen.emplace_back(permission::name(room.session.settings().rules.mode));
  }
  CHECK(seen == Lines{"acceptEdits", "plan", "default"});

  room.type("/permissions mode plan");
  room.open("main:test:two");
  CHECK(room.session.settings().rules.mode == permission::Mode::plan);

  room.type("/permissions mode bypassPermissions");
  room.session.cycle_mode();
  CHECK(room.session.settings().rules.mode == permission::Mode::normal);
}

TEST_CASE("a rule of the session can be taken back, one from elsewhere cannot") {
  Room room(talk);
  room.stage.settings.rules.deny = {{"bash", "sudo *", permission::Rule::Origin::workspace}};
  room.open("main:test:one");
  room.type("/permissions allow edit(src/*),bash(ls)");
  CHECK(room.session.conversation().state().permissions == Lines{"edit(src/*)", "bash(ls)"});

  room.type("/permissions remove edit(src/*)");
  CHECK(room.session.settings().rules.allow == parse_rules("bash(ls)"));
  room.type("/permissions remove bash(sudo *)");
  room.type("/permissions allow bash($(rm x))");
  CHECK(room.session.conversation().state().permissions == Lines{"bash(ls)"});
  CHECK(room.session.settings().rules.deny.size() == 1);
}

TEST_CASE("in a pipe the line after a question is the next prompt, and the answer is no") {
  Room room(R"([[{"call": {"id": "c1", "name": "poke"}}], "one", "two"])", false);
  const Id session = room.open("main:test:one");
  room.typist.lines = {"go", "yes"};

  room.repl.run();

  CHECK(room.stage.runs == Lines{});
  agent::Conversation again(room.stage.store, session);
  const Lines lines = lines_of(room.stage.stored(again));
  CHECK(lines[4].find("--allowed-tools 'poke' would allow it") != std::string::npos);
  CHECK(lines[6] == "user: yes");
}

TEST_CASE("before the first line is read, recovery and a first prompt can ask") {
  Room room(R"(["1", [{"call": {"id": "c1", "name": "poke"}}], "done"])");
  room.typist.lines = {"y"};
  room.open("main:test:one");

  room.type("hello");
  room.type("poke it");

  CHECK(room.stage.runs == Lines{"poke {}"});
}

TEST_CASE("told to leave, the loop reads no further line and starts nothing") {
  Room room(talk);
  const Id session = room.open("main:test:one");
  room.typist.lines = {"a", "b"};
  room.leave = true;

  room.repl.run();
  CHECK(room.typist.found == Lines{});

  room.type("c");  // as if it had been typed before the signal came
  agent::Conversation again(room.stage.store, session);
  CHECK(lines_of(room.stage.stored(again)).back() == "assistant:  -> aborted");
}

TEST_CASE("an entry that is looked at moves nothing until something is said") {
  Room room(talk);
  const Id first = room.open("main:test:first");
  room.type("about the walrus");
  room.type("about the heron");
  const auto path = value_of(room.stage.store.path(first, *room.session.conversation().head()));
  const auto asked = std::ranges::find_if(path.entries, [](const store::StoredEntry& each) {
    return model::preview(each.entry, 50).find("walrus") != std::string::npos;
  });
  REQUIRE(asked != path.entries.end());
  const auto stored_head = [&] { return room.stage.store.open(first).state.head; };

  SUBCASE("it is shown with what is around it, and the next message follows it") {
    room.open("main:test:second");
    const auto before = stored_head();
    room.session.open_at(first, asked->entry.id);
    CHECK(room.screen.bytes().find("▸ " + to_string(asked->entry.id).substr(0, 8)) !=
          std::string::npos);
    CHECK(stored_head() == before);
    room.type("from there");
    const auto now = value_of(room.stage.store.path(first, *stored_head()));
    std::vector<std::string> said;
    for (const store::StoredEntry& each : now.entries)
      if (const auto message = model::message_of(each.entry); message && model::is_prompt(*message))
        said.push_back(model::plain_text(*message));
    CHECK(said == Lines{"about the walrus", "from there"});
    CHECK(value_of(room.stage.store.tree(first)).leaves().size() == 2);
  }
  SUBCASE("whoever goes elsewhere first is not taken there") {
    room.session.open_at(first, asked->entry.id);
    room.open("main:test:second");
    room.type("elsewhere");
    CHECK(value_of(room.stage.store.tree(first)).leaves().size() == 1);
    room.session.open_at(first, asked->entry.id);
    room.type("/undo");
    const Id undone = *stored_head();
    room.type("after undo");
    const auto now = value_of(room.stage.store.path(first, *stored_head()));
    CHECK(std::ranges::any_of(now.entries, [&](const auto& each) {
      return each.entry.id == undone && undone != asked->entry.id;
    }));
  }
  SUBCASE("it can be followed at once") {
    room.session.open_at(first, asked->entry.id);
    room.session.follow_shown();
    CHECK(stored_head() == asked->entry.id);
  }
}

TEST_CASE("/search tells where something was said, in any session") {
  Room room(talk);
  room.open("main:test:first");
  room.type("about the walrus");
  room.open("main:test:second");
  room.type("/search WALRUS");
  CHECK(room.screen.bytes().find("about the walrus · main:test:first") != std::string::npos);
  room.type("/search zebra");
  CHECK(room.screen.bytes().find("nothing found") != std::string::npos);
  room.type("/search re:(");
  CHECK(room.screen.bytes().find("the pattern cannot be used") != std::string::npos);
}

TEST_CASE("/sessions leaves out what nobody looks for, and says how to see it") {
  Room room(talk);
  for (const char* const key : {"main:test:here", "main:test:packed", "main:test:unused"})
    value_of(room.stage.store.create_session({.key = key, .cwd = "/ws"}));
  room.open("main:test:here");
  room.type("about the walrus");
  const Id packed = room.open("main:test:packed");
  room.type("about the heron");
  const auto made = room.stage.store.create_session(
      {.key = "main:test:there", .cwd = "/elsewhere", .title = "another place"});
  REQUIRE(made);
  value_of(room.stage.store.append_session_entries(made->session_id,
                                                   std::array{user_says("something")}));
  room.open("main:test:here");
  value_of(room.stage.store.life_cycle().archive(packed));
  const auto says = [&](const std::string& line) {
    room.screen.writes.clear();
    room.type(line);
    return room.screen.bytes();
  };

  const std::string here = says("/sessions");
  CHECK(here.find("about the walrus") != std::string::npos);
  CHECK(here.find("main:test:unused") == std::string::npos);
  CHECK(here.find("another place") == std::string::npos);
  CHECK(here.find("heron") == std::string::npos);
  CHECK(here.find("not shown: 1 in other folders, 1 archived; /sessions all shows them") !=
        std::string::npos);
  const std::string all = says("/sessions all");
  for (const char* const part :
       {"main:test:unused", "another place", "heron", "archived", "folder"})
    CHECK(all.find(part) != std::string::npos);
  CHECK(all.find("not shown") == std::string::npos);
  const std::string archived = says("/sessions archived");
  CHECK(archived.find("heron") != std::string::npos);
  CHECK(archived.find("walrus") == std::string::npos);
  const std::string found = says("/sessions another");
  CHECK(found.find("no session matches") != std::string::npos);
  CHECK(found.find("not shown: 1 in other folders; /sessions all another shows it") !=
        std::string::npos);
  // Its name leads there all the same.
  says("/switch about the heron");
  CHECK(room.session.id() == packed);
}

TEST_CASE("the end of a key, as lists show it, names a session") {
  Room room(talk);
  const Id first = room.open("main:cli:20261115T192603.090-76c7");
  room.open("main:cli:20261115T203604.091-86c8");
  room.type("/switch …090-76c7");
  CHECK(room.session.id() == first);
  room.type("/switch 091-86c8");
  CHECK(room.session.id() != first);
  room.type("/archive 090-76c7");
  CHECK(room.stage.store.open(first).archived);
  room.type("/switch 00-nosuch");
  CHECK(room.screen.bytes().find("no session called") != std::string::npos);
}

TEST_CASE("what fails while nobody types is told, and the prompt comes again") {
  Room room(R"(["hello"])");
  room.open("main:test:one");
  bool broken = true;
  room.catch_up_now = [&] {
    if (std::exchange(broken, false)) throw Error("the skills are gone");
    return false;
  };
  room.typist.woken = true;
  room.typist.lines = {"hi"};

  room.repl.run();

  CHECK(room.screen.bytes().find("error: the skills are gone") != std::string::npos);
  CHECK(room.screen.bytes().find("hello") != std::string::npos);
}

TEST_CASE("a command that cannot be sent is back in the line as it was typed") {
  struct WithCommand : Room {
    using Room::Room;
    std::optional<project::RenderedCommand> render(std::string_view, std::string_view,
                                                   const session::CommandPorts&) override {
      return project::RenderedCommand{.text = "look at @docs:page", .mentions = "@docs:page"};
    }
    std::optional<model::Fetched> fetch(const std::string&, const session::CommandPorts&) override {
      throw Error("the server is gone");
    }
  };
  model::Tools tools = tools::tool_table();
  for (model::Tool& tool : tools) tool.locate = [](std::string_view) { return model::Located{}; };
  WithCommand room(talk, true, tools);
  room.open("main:test:one");
  room.typist.lines = {"/look closely"};

  room.repl.run();

  CHECK(room.typist.found == Lines{"", "/look closely"});
  CHECK(room.screen.bytes().find("error: the server is gone") != std::string::npos);
}
