// Every hostile text through every door of the screen, at a terminal, in a pipe and for a screen
// reader, whole and cut into pieces: what is sent holds no sequence but our own, and is what the
// same text spelled out harmlessly would have given.
#include <cstdio>

#include "tests/support/hostile_texts.h"
#include "tests/support/recorded_screen.h"
#include "tests/support/sweep.h"

using namespace skein;
using namespace skein::test;

namespace {

const model::Tools tools = {shown_tool("bash", model::Effect::runs),
                            shown_tool("edit", model::Effect::writes,
                                       [](const JsonText& input) { return "-a\n+" + input; })};

model::Message result(const std::string& text, bool failed = false) {
  model::Message message{.role = model::Role::tool};
  message.content = {model::ToolResult{"c", {model::Text{text}}, failed}};
  return message;
}

model::Message reply(std::vector<model::Block> blocks) {
  model::Message message{.role = model::Role::assistant};
  message.content = std::move(blocks);
  message.stop = model::Stop::stop;
  return message;
}

model::ToolUse call(const std::string& name, const std::string& input) {
  return {.id = "c", .name = name, .input = input};
}

struct Door {
  const char* name;
  void (*pass)(screen::Screen&, const std::string&);
  bool as_spelled_out = false;  // a lone CR means nothing here
};

const Door doors[] = {
    {"model text", [](screen::Screen& s, const std::string& t) { s.show(text_event(t)); }, true},
    {"model text, cut",
     [](screen::Screen& s, const std::string& t) {
       for (const char c : t) s.show(text_event(std::string(1, c)));
     }},
    {"thinking",
     [](screen::Screen& s, const std::string& t) {
       s.show(thinking_event("first " + t + "\nsecond " + t));
       s.show(text_event("text"));
     }},
    {"tool name",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::Streaming{model::delta::ToolStart{"", "c", t}});
       s.tick();
       s.show(committed(reply({model::ToolUse{"c", t, "{}"}})));
       s.show(committed(result("x")));
     }},
    {"tool title",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::ToolStarted{call("bash", t), t});
       s.tick();
       s.show(committed(result("x")));
     }},
    {"tool output",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::ToolStarted{call("bash", "x"), "x"});
       s.show(model::ToolOutput{"c", t});
       s.tick();
     }},
    {"tool result",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::ToolStarted{call("bash", "x"), "x"});
       s.show(committed(result(t + "\n1\n2\n3\n4\n5\n6\n7\n" + t)));
     }},
    {"failed tool",
     [](screen::Screen& s, const std::string& t) { s.show(committed(result(t, true))); }},
    {"diff",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::ToolStarted{call("edit", t), "x"});
       s.show(committed(result("x")));
     }},
    {"notice",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::Notice{model::Notice::Level::warning, t});
     },
     true},
    {"retry",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::Retrying{1, std::chrono::seconds(3), t});
       s.tick();
     },
     true},
    {"error", [](screen::Screen& s, const std::string& t) { s.end_turn(model::Stop::error, t); },
     true},
    {"question",
     [](screen::Screen& s, const std::string& t) {
       s.show(model::Question{t, "+" + t, t});
     },
     true},
    {"draft",
     [](screen::Screen& s, const std::string& t) {
       s.tick();
       s.set_input({.region = {.rows = {{t, {}, t}}, .caret = {{0, 0}}}, .used = true});
       s.tick();
     },
     true},
    {"file name", [](screen::Screen& s, const std::string& t) { s.print_untrusted(t + "\n"); },
     true},
    {"session title",
     [](screen::Screen& s, const std::string& t) {
       s.show(layout::Table{.columns = {{"key"}, {"title"}}, .rows = {{t, t}}});
     },
     true},
    {"model name",
     [](screen::Screen& s, const std::string& t) {
       s.show(committed(model::user_message("x")));
       model::Message message = reply({model::Text{"x"}});
       message.model = t;
       s.show(committed(message));
     }},
    {"saved prompt",
     [](screen::Screen& s, const std::string& t) {
       s.replay(model::message_entry(model::user_message(t)));
     }},
    {"saved answer",
     [](screen::Screen& s, const std::string& t) {
       s.replay(model::message_entry(reply({model::Thinking{t + "\n" + t}, model::Text{t}})));
     }},
    {"saved summary",
     [](screen::Screen& s, const std::string& t) {
       model::Entry entry = model::message_entry(model::user_message(t));
       entry.type = t;
       s.replay(entry);
     }},
};

std::string sent(const Door& door, const std::string& text, const layout::TerminalStyle& look) {
  RecordedScreen screen(look, 60, &tools);
  door.pass(*screen, text);
  screen->tick();
  screen->end_turn(model::Stop::stop, "");
  screen->expand_last();
  return screen.bytes();
}

}  // namespace

int main() {
  Sweep sweep("hostile_output");
  const std::vector<std::string> texts = hostile_texts();
  const std::pair<const char*, layout::TerminalStyle> quiet[] = {
      {"pipe", piped},
      {"pipe in colours", {.colour = true, .links = true}},
      {"screen reader", screen_reader}};
  const std::pair<const char*, layout::TerminalStyle> terminal = {"terminal", at_terminal};
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (const Door& door : doors) {
      // Every case at a terminal; the quieter looks take turns.
      for (const auto& [look_name, look] : {terminal, quiet[i % 3]}) {
        const std::string bytes = sent(door, texts[i], look);
        const std::string complaint = complaint_about(bytes);
        const auto where = [&] {
          return std::string(door.name) + ", " + look_name + ", text " + std::to_string(i) + " " +
                 defanged(texts[i]) + ": " + complaint;
        };
        sweep.check(complaint.empty(), where);
        sweep.check(
            look.live || !door.as_spelled_out || bytes == sent(door, defanged(texts[i]), look),
            [&] { return where() + "not as if it were spelled out"; });
        sweep.check(look.colour || bytes.find('\033') == std::string::npos, where);
        sweep.count();
      }
    }
  return sweep.end("texts through " + std::to_string(std::size(doors)) + " doors");
}
