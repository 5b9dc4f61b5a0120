// skein search: what was said, in any session.
#include <unistd.h>

#include <cstdio>

#include "app/home.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/search/options.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "repl/layout/sanitize.h"
#include "repl/pick/hit_lines.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using search::Hit, search::Request;

namespace {

search::Options options_of(const app::Invocation& invocation) {
  const bool here = invocation.value("--cwd") == "." && !invocation.workspace.empty();
  const std::string workspace = here ? app::workspace_folder(invocation) : std::string{};
  search::Options out;
  for (const search::Option& option : search::options())
    if (const std::string flag(option.flag); invocation.has(flag))
      search::set_option(out, flag, invocation.value(flag), workspace);
  return out;
}

Request request_of(const app::Invocation& invocation, const search::Options& options) {
  std::string words;
  for (const std::string& word : invocation.arguments) words += (words.empty() ? "" : " ") + word;
  return {.query = search::parse_query(words, options.accents),
          .filter = options.filter,
          .limit = options.limit};
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
        print_styled(pick::hit_heading(*session.record, session.record->key, look));
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
  const search::Options options = options_of(invocation);  // before a home is made
  Request request = request_of(invocation, options);
  store::SessionStore store = app::open_store(invocation);
  if (!options.session.empty())
    request.filter.session = store::value_or_throw(store.find(options.session)).header.session;
  const search::Outcome outcome = invocation.has("--json")
                                      ? print_ranked(store, request)
                                      : print_newest(invocation, store, request);
  for (const std::string& trouble : outcome.trouble) tell_user(trouble);
  if (outcome.found > 0) return 0;
  tell_user("nothing found");
  return static_cast<int>(ExitStatus::turn);
}

}  // namespace skein::verbs
