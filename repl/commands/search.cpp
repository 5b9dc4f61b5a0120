// /search: what was said, in any session, and back to where it was said.

#include "core/model/entry.h"
#include "core/model/scrub.h"
#include "core/search/options.h"
#include "core/store/session_name.h"
#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/pick/picker.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

using pick::HitChoice, pick::HitRow, search::Hit;

// Enough for a few pages; the newest sessions have them first.
constexpr std::size_t most_hits = 60;

std::string whole_text(const model::Entry& entry) {
  const auto message = model::message_of(entry);
  if (!message) return model::preview(entry, 2000);
  std::string text = model::plain_text(*message);
  for (const model::Block& block : message->content) {
    if (const auto* thought = std::get_if<model::Thinking>(&block))
      text += "\n" + thought->thinking;
    if (const auto* call = std::get_if<model::ToolUse>(&block))
      text += "\n→ " + call->name + " " + call->input;
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      for (const model::ResultBlock& part : result->content)
        if (const auto* said = std::get_if<model::Text>(&part)) text += "\n" + said->text;
  }
  return text;
}

// The lines of the entry from just before the one that was found.
std::vector<std::string> hit_preview(store::SessionStore& store, const Hit& hit) {
  if (!hit.entry) return {hit.snippet.text};
  const store::Result<store::SessionRecord> record = store.sessions().open(hit.session);
  const store::Result<store::StoredEntry> placed = store.load_placed(hit.session, *hit.entry);
  if (!record) return {record.error().text};
  if (!placed) return {placed.error().text};
  const std::string text = whole_text(model::masked(placed->entry, record->state.redacted));
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n'))
    if (!trimmed(line).empty()) out.emplace_back(line);
  const std::string_view found = pick::found_in(hit.snippet);
  const auto at = std::ranges::find_if(
      out, [&](const std::string& line) { return line.find(found) != std::string::npos; });
  if (at != out.end() && at - out.begin() > 1) out.erase(out.begin(), at - 1);
  return out;
}

void tell_end(Session& session, const search::Outcome& outcome) {
  session.screen().print_each(outcome.trouble);
  if (outcome.found == 0)
    session.screen().print(outcome.complete ? "nothing found\n" : "nothing found so far\n");
}

// Hands over what is found, session by session.
search::Outcome look_for(Session& session, const search::Request& request,
                         const std::function<void(HitRow)>& take) {
  return search::search_newest(session.store(), request, [&](const search::SessionHits& found) {
    const std::string more = pick::more_hits(found);
    const std::string heading =
        pick::hit_heading(*found.record, store::key_tail(found.record->key), {}) +
        (found.record->header.session == session.id() ? " (this one)" : "") +
        (more.empty() ? "" : " · " + more);
    for (const Hit& hit : found.hits) take({&hit == &found.hits.front() ? heading : "", hit});
    return true;
  });
}

search::Request request_for(Session& session, std::string_view typed) {
  search::Options options{.limit = most_hits};
  const std::string words = search::take_options(typed, session.workspace(), options);
  if (words.empty())
    throw Error(
        "/search takes words, \"an exact phrase\", -without, path:src/x or re:pattern, and what "
        "`skein search` takes to narrow it down: --role user, --cwd ., --since 7d");
  search::Request request{.query = search::parse_query(words, options.accents),
                          .filter = options.filter,
                          .limit = options.limit,
                          .stop = &session.begin_stoppable()};
  if (!options.session.empty())
    request.filter.session =
        options.session == "."
            ? session.id()
            : store::value_or_throw(named_session(session, options.session)).header.session;
  return request;
}

void print_hits(Session& session, const search::Request& request) {
  const search::Outcome outcome = look_for(session, request, [&](const HitRow& row) {
    if (!row.heading.empty()) session.screen().print(row.heading + "\n");
    session.screen().print(pick::hit_line(row.hit, session.screen().look()) + "\n");
  });
  tell_end(session, outcome);
}

void open_hit(Session& session, const Hit& hit) {
  if (!hit.entry) return session.open(hit.session);
  session.open_at(hit.session, *hit.entry);
}

void choose_hit_by_number(Session& session, const search::Request& request) {
  std::vector<Hit> hits;
  std::vector<std::string> lines;
  std::string heading;
  const search::Outcome outcome = look_for(session, request, [&](const HitRow& row) {
    if (!row.heading.empty()) heading = row.heading;
    hits.push_back(row.hit);
    lines.push_back(heading + ": " +
                    std::string(trimmed(pick::hit_line(row.hit, session.screen().look()))));
  });
  tell_end(session, outcome);
  if (hits.empty()) return;
  const auto chosen = session.choose("found", lines);
  if (chosen && !followed_instead(session, hits[*chosen].session)) open_hit(session, hits[*chosen]);
}

}  // namespace

void search_sessions(Session& session, std::string_view typed) {
  search::Request request = request_for(session, typed);
  if (session.chooses_by_number()) return choose_hit_by_number(session, request);
  terminal::Keyboard* const keys = session.idle_keyboard();
  if (keys == nullptr) return print_hits(session, request);
  search::Outcome outcome;
  const HitChoice choice = pick::pick_hit(
      *keys,
      [&](pick::HitSink& sink) {
        request.progress = [&](std::size_t looked_through, std::size_t sessions) {
          return sink.go_on(looked_through, sessions);
        };
        outcome = look_for(session, request, [&](HitRow row) { sink.add(std::move(row)); });
        return outcome.complete;
      },
      [&](const Hit& hit) { return hit_preview(session.store(), hit); });
  tell_end(session, outcome);
  if (choice.what == HitChoice::What::nothing) return;
  if (followed_instead(session, choice.hit.session)) return;
  open_hit(session, choice.hit);
  if (choice.hit.entry && choice.what == HitChoice::What::branch) session.follow_shown();
}

}  // namespace skein::commands
