// skein search, insights and usage: what was said in any session, what all sessions came to, and
// what each answer of one did.

#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/setup/model_access.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/export/otlp.h"
#include "core/export/session_source.h"
#include "core/insights/cache_report.h"
#include "core/insights/collect.h"
#include "core/insights/report.h"
#include "core/search/options.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/http/http.h"
#include "repl/commands/usage.h"
#include "repl/layout/sanitize.h"
#include "repl/pick/picker.h"
#include "repl/screen/screen.h"

namespace skein::verbs {

using search::Hit, search::Request;

namespace {

search::Options options_of(const Invocation& invocation) {
  const bool here = invocation.value("--cwd") == "." && !invocation.workspace.empty();
  const std::string workspace = here ? app::workspace_folder(invocation) : std::string{};
  search::Options out;
  for (const search::Option& option : search::options())
    if (const std::string flag(option.flag); invocation.has(flag))
      search::set_option(out, flag, invocation.value(flag), workspace);
  return out;
}

Request request_of(const Invocation& invocation, const search::Options& options) {
  return {.query = search::parse_query(listed(invocation.arguments, " "), options.accents),
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

search::Outcome print_newest(const Invocation& invocation, store::SessionStore& store,
                             const Request& request) {
  const layout::TerminalStyle look = screen_parts(invocation).look;
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
    tell_user("there may be more; use --limit " + std::to_string(request.limit * 5));
  return outcome;
}

insights::By grouping(const Invocation& invocation) {
  if (!invocation.has("--by")) return insights::By::overview;
  if (const auto by = insights::parse_by(invocation.value("--by"))) return *by;
  throw UsageError("'" + invocation.value("--by") +
                   "' is not a grouping; use day, week, model, project or tool");
}

// A service that takes OpenTelemetry traces.
class TraceService {
 public:
  explicit TraceService(std::string url) : url_(std::move(url)) {
    if (!url_.starts_with("http://") && !url_.starts_with("https://"))
      throw UsageError("--otlp takes an http:// or https:// address, not '" + url_ + "'");
    while (url_.ends_with('/')) url_.pop_back();
    constexpr std::string_view path = "/v1/traces";
    if (!url_.ends_with(path)) url_ += path;
    // NAME=VALUE,NAME=VALUE, with escapes as in a URL; they may hold a key.
    const char* const headers = std::getenv("OTEL_EXPORTER_OTLP_HEADERS");
    for (const std::string_view each : split(headers != nullptr ? headers : "", ','))
      if (const std::size_t equals = each.find('='); equals != std::string_view::npos)
        headers_.emplace_back(lower(trimmed(each.substr(0, equals))),
                              percent_decoded(trimmed(each.substr(equals + 1))));
  }

  void add(const JsonText& span) {
    constexpr std::size_t most_bytes = 1 << 20;
    spans_ += (spans_.empty() ? "" : ",") + span;
    if (spans_.size() > most_bytes) send();
  }

  void send() {
    if (spans_.empty()) return;
    http::HttpRequest request{.url = url_, .headers = headers_};
    request.body = exporters::trace_request(std::exchange(spans_, {}));
    request.timeouts.answer = std::chrono::seconds(60);
    request.redirects = http::HttpRequest::Redirects::refuse;  // the headers are for this address
    const http::HttpAnswer answer = http::http_answer(request, {});
    using End = http::HttpResponse::End;
    if (answer.response.end != End::complete)
      throw Error("the spans could not be sent to " + url_ + ": " + answer.response.trouble);
    if (answer.response.status / 100 != 2)
      throw Error(url_ + " refused the spans with status " +
                  std::to_string(answer.response.status) + ": " +
                  std::string(utf8_prefix(answer.body, 200)));
  }

 private:
  std::string url_;
  http::HttpHeaders headers_{{"content-type", "application/json"}};
  JsonText spans_{};
};

void send_traces(const Invocation& invocation, store::SessionStore& store) {
  TraceService service(invocation.value("--otlp"));
  const std::int64_t since = since_ms(invocation);
  const std::string oldest = since > 0 ? utc_from_ms(since) : "";
  std::vector<store::SessionRecord> sessions = store.list();
  std::erase_if(sessions, [&](const auto& each) { return each.used_at() < oldest; });
  std::size_t spans = 0;
  Progress progress("sending", sessions.size());
  for (const store::SessionRecord& record : sessions) {
    exporters::each_span(
        exporters::exported_session(store, record, {.all_branches = true}, nullptr),
        [&](const JsonText& span) { ++spans, service.add(span); });
    service.send();
    store.presence().close(record.header.session);
    progress.step();
  }
  progress.end();
  print_line("sent " + counted(spans, "span") + " of " + counted(sessions.size(), "session"));
}

}  // namespace

int search_sessions(const Invocation& invocation) {
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
  return failed_status;
}

void show_insights(const Invocation& invocation) {
  if (invocation.has("--json") && invocation.has("--html"))
    throw UsageError("use only one of --json and --html");
  if (invocation.has("--otlp")) {
    if (invocation.has("--json") || invocation.has("--html") || invocation.has("--by"))
      throw UsageError("--otlp sends spans; it cannot be used with --json, --html or --by");
    store::SessionStore store = app::open_store(invocation);
    return send_traces(invocation, store);
  }
  const insights::By by = grouping(invocation);
  const std::int64_t since = since_ms(invocation);
  const auto catalog = app::configured_catalog(invocation);
  const insights::CollectRequest wish{.since = since > 0 ? utc_from_ms(since) : "",
                                      .prices = app::call_cost(*catalog)};
  store::SessionStore store = app::open_store(invocation);
  const insights::Insights found = insights::collect(store, wish);
  if (invocation.has("--json")) {
    print_json(as_json(found, by, now_ms()));
  } else if (invocation.has("--html")) {
    // For a file: what a terminal might obey was escaped or left out.
    print_text(layout::sanitized(as_html(found, now_ms())));
  } else {
    screen::Screen screen(screen_parts(invocation));
    screen.print(commands::as_text(
        found, {.by = by, .width = screen.width(), .look = screen.look(), .now_ms = now_ms()}));
    screen.flush();
  }
}

void show_usage(const Invocation& invocation) {
  OpenedSession open = open_session(invocation);
  const auto catalog = app::configured_catalog(invocation);
  const std::vector<insights::CacheUse> answers =
      insights::uses_in(open.store, open.id, app::call_cost(*catalog));
  if (invocation.has("--json"))
    return print_json("[" + listed(answers, ",", [](const auto& each) { return as_json(each); }) +
                      "]");
  if (answers.empty()) return print_line("no answer of this session has counts of tokens");
  screen::Screen screen(screen_parts(invocation));
  screen.show(commands::answers_table(answers));
  if (const insights::Misses misses = insights::misses_of(answers); !misses.empty()) {
    screen.print("\n");
    screen.show(commands::misses_table(misses));
  }
  screen.flush();
}

}  // namespace skein::verbs
