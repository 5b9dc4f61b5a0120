// A key typed while the list below the line has ten thousand sessions; against reading their names.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/workload.h"
#include "repl/prompt/popup.h"

namespace skein::bench {

namespace {

constexpr std::size_t sessions = 10'000;
constexpr std::string_view command = "/switch ";

std::vector<prompt::Choice> named_sessions() {
  std::vector<prompt::Choice> out;
  for (std::size_t i = 0; i < sessions; ++i) {
    const std::string key = "main:cli:20261116T" + std::to_string(100'000 + i) + ".000-01c8";
    const std::string title = "fix the lexer, part " + std::to_string(i);
    out.push_back({.text = key, .about = title, .letters = key + " " + title});
  }
  return out;
}

}  // namespace

Measured measure_popup(const SampleHome& home) {
  const std::vector<prompt::Choice> all = named_sessions();
  prompt::Popup popup([&](std::string_view before) {
    return prompt::Completion{.key = std::string(before.substr(0, command.size())),
                              .from = command.size(),
                              .letters = command.size(),
                              .choices = [&] { return all; }};
  });
  const auto type = [&](std::string_view letters) {
    popup.changed();
    popup.refresh(std::string(command) + std::string(letters));
    return popup.rows(80, 9).size();
  };
  std::size_t seen = 0;
  const Middles middles = in_turns(
      home, 200, [&] { seen += type("le"); },
      [&] {
        for (const prompt::Choice& each : all)
          seen += static_cast<std::size_t>(std::ranges::count(each.letters, 'l'));
      },
      [&] { seen += type("l"); });
  return {middles.ours, middles.raw, "a key with 10,000 sessions in the list below the line",
          seen > 0 ? "reading their names" : "nothing"};
}

}  // namespace skein::bench
