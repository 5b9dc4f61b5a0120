#include "core/store/session_name.h"

#include "core/text/text.h"

namespace skein::store {

namespace {

// What is no key, but was meant as one, gets the reason.
Failure no_session(std::string_view name) {
  const std::string none = "no session called '" + std::string(name) + "'";
  const std::optional<std::string> trouble = key_problem(name);
  if (trouble && name.find(':') != std::string_view::npos)
    return {Failure::Kind::gone, none + "; " + *trouble};
  return {Failure::Kind::gone, none + "; `skein sessions` lists them"};
}

// It would not be taken for an option, a key or an id.
bool can_be_typed(std::string_view title) {
  return !title.empty() && !title.starts_with('-') && trimmed(title) == title &&
         !is_whole_key(title) && !parse_id(title) && std::ranges::none_of(title, [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
         });
}

using Reading = bool (*)(const SessionRecord&, std::string_view);
constexpr Reading readings[] = {
    [](const SessionRecord& each, std::string_view text) { return each.key == text; },
    [](const SessionRecord& each, std::string_view text) {
      return to_string(each.header.session) == text;
    },
    [](const SessionRecord& each, std::string_view text) { return each.state.title == text; },
    [](const SessionRecord& each, std::string_view text) {
      return each.key.starts_with(text) || to_string(each.header.session).starts_with(text);
    },
};

}  // namespace

bool is_whole_key(std::string_view name) { return !key_problem(name); }

Result<const SessionRecord*> session_called(std::span<const SessionRecord> all,
                                            std::string_view name) {
  if (name.empty()) return no_session(name);
  const std::span<const Reading> possible =
      std::span(readings).first(is_whole_key(name) ? 1 : std::size(readings));
  for (const Reading fits : possible) {
    std::vector<const SessionRecord*> found;
    for (const SessionRecord& each : all)
      if (fits(each, name)) found.push_back(&each);
    if (found.size() == 1) return found.front();
    if (found.empty()) continue;
    std::string keys;
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 5); ++i)
      keys += " " + found[i]->key;
    return Failure{Failure::Kind::gone, "'" + std::string(name) + "' could be any of " +
                                            std::to_string(found.size()) + " sessions:" + keys +
                                            (found.size() > 5 ? " …" : "")};
  }
  return no_session(name);
}

// …:20260102T030405.678-1f2e, and what is behind it if the key was taken.
SessionRecord still_there(Result<SessionRecord> opened, const std::string& key) {
  if (!opened && opened.error().kind == Failure::Kind::gone)
    throw Error("session " + key + " was deleted; `skein sessions restore " + key +
                    "` restores it if it is in the trash",
                exit_status_of(opened.error()));
  return value_or_throw(std::move(opened));
}

bool is_made_up(std::string_view key) {
  constexpr std::string_view form = "00000000T000000.000";
  const std::string_view time = key.substr(key.rfind(':') + 1);
  if (time.size() < form.size()) return false;
  return std::ranges::equal(time.substr(0, form.size()), form, [](char letter, char wanted) {
    return wanted == '0' ? letter >= '0' && letter <= '9' : letter == wanted;
  });
}

std::string shown_name(const SessionRecord& session) {
  if (!session.state.title.empty()) return session.state.title;
  return is_made_up(session.key) ? "new session" : session.key;
}

std::string_view key_tail(std::string_view key) {
  return is_made_up(key) ? key.substr(key.rfind('T') + 1) : key;
}

Titles titles_of(std::span<const SessionRecord> all) {
  Titles out;
  for (const SessionRecord& each : all) ++out[each.state.title];
  return out;
}

std::string typed_name(const SessionRecord& session, const Titles& titles) {
  const std::string& title = session.state.title;
  const auto found = titles.find(title);
  const bool unique = found != titles.end() && found->second == 1;
  return is_made_up(session.key) && unique && can_be_typed(title)
             ? title
             : std::string(key_tail(session.key));
}

bool works_for(const SessionHeader& header, std::string_view key, Id parent) {
  return header.parent_session && header.parent_session->session == parent &&
         key.starts_with(child_prefix);
}

bool means(std::string_view name, std::string_view key, Id session, std::string_view title) {
  if (name.empty()) return false;
  if (name == key) return true;
  if (is_whole_key(name)) return false;
  return name == title || name == key_tail(key) ||
         (name.size() >= 4 && to_string(session).starts_with(name));
}

}  // namespace skein::store
