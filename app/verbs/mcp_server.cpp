// skein mcp-server: the sessions kept here, for other agents, over standard input and output.
#include <unistd.h>

#include "app/driven/json_lines.h"
#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "app/verbs/subcommands.h"
#include "core/export/formats.h"
#include "core/export/secrets.h"
#include "core/export/session_source.h"
#include "core/mcp/server.h"
#include "core/model/payloads.h"
#include "core/model/scrub.h"
#include "core/process/environment.h"
#include "core/process/running_program.h"
#include "core/search/search.h"
#include "core/store/session_store.h"
#include "core/text/json.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::verbs {

using store::SessionRecord, store::SessionStore, store::value_or_throw;

namespace {

constexpr std::size_t most_answer_bytes = 100'000;  // of one answer
constexpr std::string_view scheme = "skein://session/";

constexpr const char* search_schema = R"({"type":"object","properties":{
  "query":{"type":"string","description":"words that must all be there; \"a phrase\"; -without; path:src/x; re:pattern"},
  "since":{"type":"string","description":"7d, or 2026-11-01"},
  "cwd":{"type":"string","description":"only sessions made in this folder or below"},
  "limit":{"type":"integer","minimum":1,"maximum":50}},"required":["query"]})";
constexpr const char* list_schema = R"({"type":"object","properties":{
  "cwd":{"type":"string","description":"only sessions made in this folder or below"},
  "limit":{"type":"integer","minimum":1,"maximum":200}}})";
constexpr const char* read_schema = R"({"type":"object","properties":{
  "session":{"type":"string","description":"its key or id, as a list or a search names it"},
  "entry":{"type":"string","description":"an entry's id; left out: the whole session"},
  "around":{"type":"integer","minimum":0,"maximum":50,"description":"how many entries before and after it; 4 if left out"}},
  "required":["session"]})";
constexpr const char* note_schema = R"({"type":"object","properties":{
  "session":{"type":"string"},"text":{"type":"string"}},"required":["session","text"]})";
constexpr const char* ask_schema = R"({"type":"object","properties":{
  "prompt":{"type":"string"},
  "session":{"type":"string","description":"the session to continue; if left out: a new one"},
  "model":{"type":"string","description":"PROVIDER/MODEL"},
  "cwd":{"type":"string","description":"the workspace, an absolute path"}},"required":["prompt","cwd"]})";

std::string wanted_text(const Json& given, const char* name) {
  std::string text = string_at(given, name);
  if (text.empty()) throw Error(std::string("`") + name + "` is missing");
  return text;
}

std::size_t wanted_number(const Json& given, const char* name, std::int64_t usual,
                          std::int64_t most) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(int_at(given, name, usual), 0, most));
}

std::string cut(std::string text) {
  if (text.size() <= most_answer_bytes) return text;
  const std::size_t left = text.size();
  text = utf8_prefix(text, most_answer_bytes);
  return text + "\n\n[cut here, " + with_separators(left - text.size()) +
         " bytes are left out: session_read with an entry shows what is around it]";
}

// `folder` itself or something in it.
bool is_below(const std::string& path, const std::string& folder) {
  return folder.empty() || path == folder || path.starts_with(folder + "/");
}

std::string search_in(SessionStore& store, const Json& given) {
  search::Request request;
  request.query = search::parse_query(wanted_text(given, "query"));
  request.filter.cwd = string_at(given, "cwd");
  request.limit = std::max<std::size_t>(1, wanted_number(given, "limit", 10, 50));
  request.snippet_characters = 500;
  if (const std::string since = string_at(given, "since"); !since.empty()) {
    const auto time = time_ms(since, now_ms());
    if (!time) throw Error("'" + since + "' is not a time; write 7d or 2026-11-01");
    request.filter.since = utc_from_ms(*time);
  }
  exporters::SecretMask mask;
  Json out = Json::array();
  for (const search::Hit& hit : search::search_ranked(store, request).hits)
    out.push_back({{"session", hit.key},
                   {"entry", hit.entry ? Json(to_string(*hit.entry)) : Json(nullptr)},
                   {"role", search::name(hit.role)},
                   {"time", hit.time},
                   {"text", mask.text(hit.snippet.text)}});
  return dump(out);
}

// Of a title that was cut the last word is left out: the part of a secret does not look like one.
std::string title_of(const SessionRecord& record, exporters::SecretMask& mask) {
  constexpr std::string_view cut_mark = "…";
  const std::string& title = record.state.title;
  if (!title.ends_with(cut_mark)) return mask.text(title);
  const std::size_t blank = title.rfind(' ');
  return mask.text(title.substr(0, blank == std::string::npos ? 0 : blank + 1)) +
         std::string(cut_mark);
}

std::string list_in(SessionStore& store, const Json& given) {
  const std::string folder = string_at(given, "cwd");
  const std::size_t limit = std::max<std::size_t>(1, wanted_number(given, "limit", 50, 200));
  exporters::SecretMask mask;
  Json out = Json::array();
  for (const SessionRecord& record : store.list()) {
    if (out.size() == limit) break;
    if (!is_below(record.header.cwd, folder)) continue;
    out.push_back({{"session", record.key},
                   {"id", to_string(record.header.session)},
                   {"title", title_of(record, mask)},
                   {"cwd", record.header.cwd},
                   {"used", record.used_at()},
                   {"messages", record.state.messages}});
  }
  return dump(out);
}

std::string markdown_of(SessionStore& store, Id session) {
  const SessionRecord record = store.open(session);
  exporters::SecretMask mask;
  const exporters::ExportedSession exported = exporters::exported_session(store, record, {}, &mask);
  std::string out;
  exporters::format_named("markdown")->write(exported, [&](std::string_view piece) {
    out += piece;
  });
  return cut(std::move(out));
}

// The entries around one, on the path that leads to the head, or on its own.
std::string around(SessionStore& store, Id session, Id entry, std::size_t count) {
  const SessionRecord record = store.open(session);
  const auto place_in = [&](const store::Path& path) {
    return std::ranges::find_if(
        path.entries, [&](const store::StoredEntry& placed) { return placed.entry.id == entry; });
  };
  store::Path path;
  if (record.state.head) path = value_or_throw(store.path(session, *record.state.head));
  if (place_in(path) == path.entries.end()) path = value_or_throw(store.path(session, entry));
  const auto found = place_in(path);
  if (found == path.entries.end()) throw Error("there is no entry " + to_string(entry));
  const auto at = static_cast<std::size_t>(found - path.entries.begin());
  const std::size_t first = at - std::min(at, count);
  const std::size_t last = std::min(path.entries.size() - 1, at + count);
  exporters::SecretMask mask;
  std::string out;
  for (std::size_t i = first; i <= last; ++i) {
    const model::Entry shown = model::masked(path.entries[i].entry, record.state.redacted);
    const std::string words = model::words_of(shown);
    if (words.empty() && i != at) continue;
    out += "## " + to_string(shown.id) + " " + model::kind_of(shown) + ", " + shown.timestamp +
           "\n\n" + mask.text(words) + "\n\n";
  }
  return cut(std::move(out));
}

std::string read_in(SessionStore& store, const Json& given) {
  const Id session = value_or_throw(store.find(wanted_text(given, "session"))).header.session;
  const std::string entry = string_at(given, "entry");
  if (entry.empty()) return markdown_of(store, session);
  return around(store, session, value_or_throw(store.find_entry(session, entry)),
                wanted_number(given, "around", 4, 50));
}

// A note is not part of the conversation: no model is ever sent it.
std::string note_in(SessionStore& store, const Json& given) {
  const SessionRecord record = value_or_throw(store.find(wanted_text(given, "session")));
  const std::string text = wanted_text(given, "text");
  if (text.size() > most_answer_bytes) throw Error("a note has at most 100,000 bytes");
  store::NewEntry note{model::make_entry(model::type::custom,
                                         dump({{"kind", "note"}, {"text", text}, {"by", "mcp"}}))};
  const auto appended =
      value_or_throw(store.append_session_entries(record.header.session, std::span(&note, 1)));
  return dump({{"session", record.key},
               {"entry", appended.last ? to_string(*appended.last) : to_string(note.entry.id)}});
}

std::vector<mcp::ServedResource> page_of(SessionStore& store, std::string& cursor) {
  constexpr std::size_t page = 50;
  std::size_t from = 0;
  std::from_chars(cursor.data(), cursor.data() + cursor.size(), from);
  const std::vector<SessionRecord> all = store.list();
  exporters::SecretMask mask;
  std::vector<mcp::ServedResource> out;
  for (std::size_t i = from; i < all.size() && out.size() < page; ++i)
    out.push_back({std::string(scheme) + to_string(all[i].header.session), all[i].key,
                   title_of(all[i], mask)});
  cursor = from + page < all.size() ? std::to_string(from + page) : "";
  return out;
}

std::optional<std::string> resource_at(SessionStore& store, const std::string& uri) {
  if (!uri.starts_with(scheme)) return std::nullopt;
  constexpr std::string_view below = "/entry/";
  const std::string rest = uri.substr(scheme.size());
  const std::size_t slash = rest.find(below);
  const std::optional<Id> session = parse_id(rest.substr(0, slash));
  if (!session || !store.sessions().open(*session)) return std::nullopt;
  if (slash == std::string::npos) return markdown_of(store, *session);
  const std::optional<Id> entry = parse_id(rest.substr(slash + below.size()));
  if (!entry || !store.load_entry(*session, *entry)) return std::nullopt;
  return around(store, *session, *entry, 0);
}

// The key of the session a prompt is for, which may be named in other ways as well: turns in the
// same session run one after the other. One that is not there yet is made with the key it is given.
std::string session_of(SessionStore& store, const JsonText& arguments) {
  std::string name = string_at(parse_json(arguments).value_or(Json::object()), "session");
  if (name.empty()) return name;
  const store::Result<SessionRecord> found = store.find(name);
  return found ? found->key : name;
}

// The result that `skein -p --output-format json` prints last.
std::string result_in(const std::string& output) {
  const std::string_view printed = trimmed(output);
  const std::size_t line = printed.rfind('\n');
  const auto last = parse_json(printed.substr(line == std::string_view::npos ? 0 : line + 1));
  if (!last || string_at(*last, "type") != "result")
    throw Error("the turn ended without a result: " + std::string(utf8_prefix(printed, 2'000)));
  if (!bool_at(*last, "ok")) throw Error("the turn failed: " + string_at(*last, "error"));
  return dump({{"text", string_at(*last, "text")}, {"session", string_at(*last, "key")}});
}

// A prompt for a model, to its end; answers with JSON, the text and the session. Called on several
// threads at the same time. A process for each: what goes wrong in a turn does not end the server.
std::string ask(const Invocation& invocation, const JsonText& arguments,
                const mcp::CallStop& stop) {
  const Json given = parse_json(arguments).value_or(Json::object());
  const std::string prompt = string_at(given, "prompt"), folder = string_at(given, "cwd");
  if (is_blank(prompt)) throw Error("`prompt` is missing");
  std::error_code failed;
  if (!folder.starts_with('/') || !std::filesystem::is_directory(folder, failed))
    throw Error("`cwd` must be the absolute path of a folder");
  process::Program program{.arguments = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                         "-p", "-q", "--output-format", "json", "-C", folder},
                           .environment = process::own_environment()};
  const auto add = [&](const char* flag, const std::string& value) {
    if (value.starts_with('-')) throw Error(value + " is not a value for " + (flag + 2));
    if (!value.empty()) program.arguments.insert(program.arguments.end(), {flag, value});
  };
  add("--session", string_at(given, "session"));
  add("--model", string_at(given, "model"));
  add("--home", invocation.home);
  program.arguments.insert(program.arguments.end(), {"--", prompt});
  std::string output;
  process::ProgramWatch watch;
  watch.time = std::chrono::hours(1);
  watch.grace = std::chrono::seconds(10);  // it has to end its own commands first
  watch.wake_fd = stop.wake_fd;
  watch.stopped = stop.asked;
  watch.output = [&](std::string_view piece) {
    constexpr std::size_t most = 16u << 20;
    if (output.size() < most) output += piece;
  };
  const process::ProgramEnd end = process::run_program(program, watch);
  if (end.cause == process::ProgramEnd::Cause::stopped) throw Error("cancelled");
  return result_in(output);
}

mcp::ServedTool store_tool(SessionStore& store, const char* name, const char* description,
                           const char* schema, std::string (*run)(SessionStore&, const Json&)) {
  return {.name = name,
          .description = description,
          .schema = schema,
          .run = [&store, run](const JsonText& arguments, const mcp::CallStop&) {
            return run(store, parse_json(arguments).value_or(Json::object()));
          }};
}

// What other agents may ask of the sessions stored here. What goes out is masked as in an export:
// redacted entries, and secrets. Both must outlive it.
mcp::ServerOffer session_offer(const Invocation& invocation, SessionStore& store) {
  mcp::ServerOffer offer{
      .version = SKEIN_VERSION,
      .instructions =
          "The user's earlier conversations with coding agents, kept by skein. Search "
          "them before you ask the user what was decided, tried or said."};
  offer.tools = {
      store_tool(store, "sessions_search", "Find what was said in earlier conversations.",
                 search_schema, search_in),
      store_tool(store, "sessions_list", "List earlier conversations, the one used last first.",
                 list_schema, list_in),
      store_tool(store, "session_read",
                 "Read a conversation as Markdown, or what was said around one entry of it.",
                 read_schema, read_in)};
  if (invocation.has("--allow-notes")) {
    offer.tools.push_back(store_tool(store, "session_append_note",
                                     "Add a note to a session. No model is sent it.", note_schema,
                                     note_in));
    offer.tools.back().only_reads = false;
  }
  if (invocation.has("--allow-ask"))
    offer.tools.push_back(
        {.name = "ask",
         .description = "Give a prompt to a model through skein and wait for its "
                        "answer; tools that need permission are refused.",
         .schema = ask_schema,
         .only_reads = false,
         .run = [&invocation](
                    const JsonText& arguments,
                    const mcp::CallStop& stop) { return ask(invocation, arguments, stop); },
         .series = [&store](const JsonText& arguments) { return session_of(store, arguments); }});
  offer.templates = {
      {std::string(scheme) + "{session}", "session", "a conversation as Markdown"},
      {std::string(scheme) + "{session}/entry/{entry}", "entry", "one entry of a conversation"}};
  offer.resources = [&store](std::string& cursor) { return page_of(store, cursor); };
  offer.read = [&store](const std::string& uri) { return resource_at(store, uri); };
  return offer;
}

using Clock = std::chrono::steady_clock;

}  // namespace

void serve_sessions(const Invocation& invocation) {
  app::catch_signals();
  store::SessionStore store = app::open_store(invocation);
  mcp::Server server(session_offer(invocation, store));
  mcp::CallQueue& asks = server.slow_calls();
  app::driven::InputLines in(STDIN_FILENO);
  app::driven::OutputLines out(STDOUT_FILENO);
  const auto print = [&](const std::vector<JsonText>& messages) {
    for (const JsonText& message : messages) out.send(message);
  };
  const auto stopped = [] { return app::stop_asked().load(); };
  // Progress notifications keep clients from giving up on a long turn: many do after a minute.
  constexpr std::chrono::seconds interval(5), patience(5);
  Deadline due = Clock::now();
  while (!out.broken() && !stopped()) {
    while (const std::optional<app::driven::InputLines::Line> line = in.next()) {
      if (line->too_long) throw Error("a message is longer than 64 MiB");
      if (const std::optional<JsonText> answer = server.answer(line->text)) print({*answer});
    }
    print(asks.responses());
    if (in.ended()) break;
    if (!asks.empty() && Clock::now() >= due) {
      print(asks.progress());
      due = Clock::now() + interval;
    }
    std::array<pollfd, 2> fds{{{in.fd(), POLLIN, 0}, {asks.fd(), POLLIN, 0}}};
    wait(fds, asks.empty() ? no_deadline : due, stopped);
  }
  out.finish(stopped() ? std::chrono::seconds(0) : patience);
}

}  // namespace skein::verbs
