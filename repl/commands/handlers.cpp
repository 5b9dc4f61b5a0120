#include "repl/commands/handlers.h"

#include "core/model/scrub.h"
#include "core/store/session_name.h"
#include "core/text/text.h"
#include "repl/session/session.h"

namespace skein::commands {

using store::SessionRecord;

namespace {

std::vector<const model::Entry*> prompts(const std::vector<model::Entry>& path) {
  std::vector<const model::Entry*> out;
  for (const model::Entry& entry : path)
    if (model::is_prompt(entry)) out.push_back(&entry);
  return out;
}

// The whole path: messages are counted from the start, and memory may hold only the end.
std::vector<model::Entry> whole_path(Session& session) {
  const agent::Conversation& conversation = session.conversation();
  if (!conversation.head()) return {};
  return store::value_or_throw(session.store().load_session_entries(
      conversation.session(), {.branch = conversation.head()}));
}

}  // namespace

std::string short_id(Id id) { return to_string(id).substr(0, 8); }

std::optional<std::size_t> number_in(std::string_view text, std::size_t most) {
  const std::optional<std::size_t> place = pick::number_in(text, most);
  return place ? std::optional(*place + 1) : std::nullopt;
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
  const std::optional<std::size_t> number = number_in(name.substr(1));
  if (!number) throw Error("#n counts your messages, starting with #1");
  if (*number > mine.size())
    throw Error("you have sent only " + counted(mine.size(), "message") + " on this branch");
  return mine[*number - 1]->id;
}

Choices entry_names(Session& session, std::string_view start) {
  Choices out;
  const auto add = [&](const std::string& name, const model::Entry& entry) {
    const auto message = model::message_of(entry);
    const std::string about =
        (message ? std::string(model::name(message->role)) + ": " : "") +
        model::preview(model::masked(entry, session.conversation().state().redacted), 80);
    out.push_back({.text = name, .about = about, .letters = name + " " + about});
  };
  if (start.starts_with('#')) {
    const std::vector<model::Entry> path = whole_path(session);
    std::size_t number = 0;
    for (const model::Entry* const prompt : prompts(path))
      if (const std::string name = "#" + std::to_string(++number); name.starts_with(start))
        add(name, *prompt);
    return out;
  }
  const std::vector<model::Entry>& path = session.conversation().path();
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
    if (to_string(entry->id).starts_with(start)) add(short_id(entry->id), *entry);
  return out;
}

store::Result<SessionRecord> named_session(Session& session, std::string_view name) {
  constexpr std::string_view cut = "…";
  constexpr std::size_t least = 4;
  store::Result<SessionRecord> found = session.store().find(name);
  std::string_view end = name;
  if (end.starts_with(cut)) end.remove_prefix(cut.size());
  if (found || store::is_whole_key(name) || end.size() < least) return found;
  const std::vector<SessionRecord> all = session.store().list();
  const auto ends_so = [&](const SessionRecord& each) { return each.key.ends_with(end); };
  if (std::ranges::count_if(all, ends_so) != 1) return found;
  return *std::ranges::find_if(all, ends_so);
}

}  // namespace skein::commands
