#include "repl/commands/entry_names.h"

#include <charconv>

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

}  // namespace skein::commands
