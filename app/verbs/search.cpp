// skein search: what was said, in any session.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>

#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/search/search.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/when.h"
#include "repl/layout/sanitize.h"
#include "repl/pick/hit_lines.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using search::Filter, search::Hit, search::Request, search::Role;

namespace {

Error misused(const std::string& sentence) { return Error(sentence, ExitStatus::usage); }

std::string time_given(const app::Invocation& invocation, std::string_view flag) {
  const std::string text = invocation.value(flag);
  if (!invocation.has(flag)) return {};
  if (const auto time = time_ms(text, now_ms())) return utc_from_ms(*time);
  throw misused(std::string(flag) + ": '" + text + "' is no time; say 7d, or 2026-11-01");
}

std::optional<Role> role_given(const app::Invocation& invocation) {
  if (!invocation.has("--role")) return std::nullopt;
  const std::string text = invocation.value("--role");
  for (const Role role : {Role::user, Role::assistant, Role::tool, Role::thinking})
    if (text == search::name(role)) return role;
  throw misused("--role takes user, assistant, tool or thinking, not '" + text + "'");
}

std::size_t limit_given(const app::Invocation& invocation) {
  constexpr std::size_t usual = 20, most = 100'000;
  if (!invocation.has("--limit")) return usual;
  const std::string text = invocation.value("--limit");
  std::size_t limit = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (failed != std::errc{} || end != text.data() + text.size() || limit == 0 || limit > most)
    throw misused("--limit takes a whole number from 1 to 100000, not '" + text + "'");
  return limit;
}

// A folder that is gone still has sessions.
std::string folder_given(const app::Invocation& invocation) {
  if (!invocation.has("--cwd")) return {};
  const std::filesystem::path given = invocation.value("--cwd");
  if (given == "." && !invocation.workspace.empty()) return app::workspace_folder(invocation);
  std::error_code failed;
  std::string folder = std::filesystem::weakly_canonical(given, failed).string();
  if (failed || folder.empty()) throw misused("--cwd: '" + given.string() + "' is no folder");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

Request request_of(const app::Invocation& invocation) {
  std::string words;
  for (const std::string& word : invocation.arguments) words += (words.empty() ? "" : " ") + word;
  const std::string branch = invocation.value("--branch");
  if (!branch.empty() && branch != "active" && branch != "all")
    throw misused("--branch takes active or all, not '" + branch + "'");
  return {.query = search::parse_query(
              words, invocation.has("--fold") ? search::Accents::dropped : search::Accents::kept),
          .filter = {.cwd = folder_given(invocation),
                     .role = role_given(invocation),
                     .tool = invocation.value("--tool"),
                     .model = invocation.value("--model"),
                     .since = time_given(invocation, "--since"),
                     .until = time_given(invocation, "--until"),
                     .errors = invocation.has("--errors"),
                     .active_branch = branch == "active",
                     .blobs = invocation.has("--blobs")},
          .limit = limit_given(invocation)};
}

Json json_of(const Hit& hit) {
  Json offsets = Json::array();
  for (const auto& [begin, end] : hit.snippet.offsets) offsets.push_back(Json::array({begin, end}));
  return {{"session", to_string(hit.session)},
          {"key", hit.key},
          {"entry", hit.entry ? Json(to_string(*hit.entry)) : Json(nullptr)},
          {"role", search::name(hit.role)},
          {"time", hit.time},
          {"branch_active", hit.branch_active},
          {"snippet", hit.snippet.text},
          {"offsets", std::move(offsets)}};
}

search::Outcome print_ranked(store::SessionStore& store, const Request& request) {
  const search::Ranked found = search::search_ranked(store, request);
  Json out = Json::array();
  for (const Hit& hit : found.hits) out.push_back(json_of(hit));
  print_json(dump(out));
  return found.outcome;
}

search::Outcome print_newest(const app::Invocation& invocation, store::SessionStore& store,
                             const Request& request) {
  const layout::TerminalStyle look =
      screen::screen_parts(STDOUT_FILENO, invocation.color.empty() ? "auto" : invocation.color,
                           invocation.screen_reader)
          .look;
  std::size_t shown = 0;
  search::Outcome outcome =
      search::search_newest(store, request, [&](const search::SessionHits& session) {
        shown += session.hits.size();
        print_styled(pick::hit_heading(*session.record, look));
        for (const Hit& hit : session.hits) print_styled(pick::hit_line(hit, look));
        if (const std::string more = pick::more_hits(session); !more.empty())
          print_styled(layout::painted("  " + more, layout::style::dim, look));
        return std::fflush(stdout) == 0;
      });
  if (!outcome.complete && shown >= request.limit)
    tell_user("there may be more; --limit " + std::to_string(request.limit * 5) + " looks further");
  return outcome;
}

}  // namespace

int search_sessions(const app::Invocation& invocation) {
  Request request = request_of(invocation);  // before a home is made
  store::SessionStore store = app::open_store(invocation);
  if (invocation.has("--session"))
    request.filter.session =
        store::value_or_throw(store.find(invocation.value("--session"))).header.session;
  const search::Outcome outcome = invocation.has("--json")
                                      ? print_ranked(store, request)
                                      : print_newest(invocation, store, request);
  for (const std::string& trouble : outcome.trouble) tell_user(trouble);
  if (outcome.found > 0) return 0;
  tell_user("nothing found");
  return static_cast<int>(ExitStatus::turn);
}

}  // namespace skein::verbs
