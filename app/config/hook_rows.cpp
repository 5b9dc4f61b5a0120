#include "app/config/rows.h"

#include <chrono>

#include "core/tools/tools.h"

namespace skein::config::rows {

namespace {

using enum Key::Workspace;

hooks::Definition& hook_of(Target& to, const Item& item) {
  for (ConfiguredHook& each : to.config.hooks)
    if (each.name == item.owner && each.definition.of_project == to.by_workspace())
      return each.definition;
  ConfiguredHook& made = to.config.hooks.emplace_back(ConfiguredHook{.name = item.owner});
  const auto event = hooks::parse_event(item.owner.substr(0, item.owner.find('.')));
  if (event) made.definition.event = *event;  // else the reader has said so
  made.definition.of_project = to.by_workspace();
  made.definition.file = to.file;
  return made.definition;
}

template <auto member>
bool set_in_hook(Target& to, const Item& item) {
  hook_of(to, item).*member = item.text;
  return true;
}
bool set_hook_words(Target& to, const Item& item) {
  hook_of(to, item).words = item.list;
  return true;
}
// Read once to see that it can be: it is read again at every call, with the tools there are then.
bool set_hook_condition(Target& to, const Item& item) {
  permission::parse_rules(item.text, tools::tool_table());
  hook_of(to, item).condition = item.text;
  return true;
}
bool set_hook_time(Target& to, const Item& item) {
  hook_of(to, item).time = std::chrono::milliseconds(static_cast<std::int64_t>(item.number * 1000));
  return true;
}
bool set_on_failure(Target& to, const Item& item) {
  hook_of(to, item).block_on_failure = item.text == "block";
  return true;
}

constexpr Key hook_table[] = {
    {"hooks", "command", text, "none", trusted, "",
     "what a shell runs at that event, or a program if there are args; JSON on standard input says "
     "what it is about",
     set_in_hook<&hooks::Definition::command>},
    {"hooks", "args", words, "none", trusted, "", "the program's arguments; no shell then",
     set_hook_words},
    {"hooks", "matcher", text, "everything", trusted, "",
     "for which tools, or which source, type or reason: names with | between, or a regular "
     "expression",
     set_in_hook<&hooks::Definition::matcher>},
    {"hooks", "if", text, "every call", trusted, "",
     "a rule that narrows it further: bash(git push *)", set_hook_condition},
    {"hooks", "timeout", number(0, 3600), "60; UserPromptSubmit 30, Notification 5, SessionEnd 1.5",
     trusted, "", "seconds it may take", set_hook_time},
    {"hooks", "on-failure", one_of("continue|block"), "continue", trusted, "",
     "what a crash, a timeout or an exit status other than 0 and 2 means", set_on_failure},
};

}  // namespace

std::span<const Key> hook_rows() { return hook_table; }

}  // namespace skein::config::rows
