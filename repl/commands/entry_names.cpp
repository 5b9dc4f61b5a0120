#include "repl/commands/entry_names.h"

#include <charconv>
#include <map>

#include "core/model/redaction.h"
#include "core/model/turns.h"
#include "core/text/amounts.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

std::vector<const model::Entry*> prompts(const std::vector<model::Entry>& path) {
  std::vector<const model::Entry*> out;
  for (const model::Entry& entry : path)
    if (model::is_prompt(entry)) out.push_back(&entry);
  return out;
}

// Messages are counted from the start of the session, but only the end of a long one is in memory,
// so the whole path is read.
std::vector<model::Entry> whole_path(Session& session) {
  const agent::Conversation& conversation = session.conversation();
  if (!conversation.head()) return {};
  return store::value_or_throw(session.store().load_session_entries(
      conversation.session(), {.branch = conversation.head()}));
}

}  // namespace

std::string short_id(Id id) { return to_string(id).substr(0, 8); }

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t out = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole = failed == std::errc() && end == text.data() + text.size();
  return whole && out > 0 ? std::optional(out) : std::nullopt;
}

bool may_take_name(Session& session, const std::string& snapshot, Id entry) {
  const auto& known = session.conversation().state().snapshots;
  const auto old = known.find(snapshot);
  return old == known.end() || old->second == entry ||
         session.confirm("The snapshot " + snapshot + " marks " + short_id(old->second) +
                         ". Move it here?");
}

Id head_of(Session& session) {
  const auto head = session.conversation().head();
  if (!head) throw Error("nothing has been said yet");
  return *head;
}

Id entry_named(Session& session, std::string_view name) {
  if (!name.starts_with('#'))
    return store::value_or_throw(session.store().find_entry(session.id(), name));
  const std::vector<model::Entry> path = whole_path(session);
  const std::vector<const model::Entry*> mine = prompts(path);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number == 0)
    throw Error("#n counts your messages, starting with #1");
  if (number > mine.size())
    throw Error("this branch has only " + counted(mine.size(), "message") + " of yours");
  return mine[number - 1]->id;
}

std::vector<std::string> entry_names(Session& session, std::string_view start) {
  std::vector<std::string> out;
  const std::vector<model::Entry>& path = session.conversation().path();
  if (start.starts_with('#')) {
    const std::size_t count = prompts(whole_path(session)).size();
    for (std::size_t i = 1; i <= count; ++i)
      if (std::string name = "#" + std::to_string(i); name.starts_with(start))
        out.push_back(std::move(name));
    return out;
  }
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
    if (const std::string id = to_string(entry->id); id.starts_with(start))
      out.push_back(short_id(entry->id));
  return out;
}

void describe_entries(Session& session, std::vector<prompt::Choice>& choices) {
  const auto& redacted = session.conversation().state().redacted;
  const bool numbered = !choices.empty() && choices.front().text.starts_with('#');
  const std::vector<model::Entry> path =
      numbered ? whole_path(session) : session.conversation().path();
  std::map<std::string, const model::Entry*> entries;
  std::size_t number = 0;
  for (const model::Entry& entry : path)
    if (!numbered)
      entries[short_id(entry.id)] = &entry;
    else if (model::is_prompt(entry))
      entries["#" + std::to_string(++number)] = &entry;
  for (prompt::Choice& choice : choices)
    if (const auto entry = entries.find(choice.text); entry != entries.end()) {
      const auto message = model::message_of(*entry->second);
      choice.about = (message ? std::string(model::name(message->role)) + ": " : "") +
                     model::preview(model::masked(*entry->second, redacted), 80);
      choice.letters = choice.text + " " + choice.about;
    }
}

}  // namespace skein::commands
