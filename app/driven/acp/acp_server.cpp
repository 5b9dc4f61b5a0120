#include "app/driven/acp/acp_server.h"

#include <unistd.h>

#include "app/application.h"
#include "app/driven/acp/acp_session.h"
#include "app/driven/driver.h"
#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "app/setup/load_config.h"
#include "app/setup/model_access.h"
#include "core/sandbox/sandbox.h"
#include "core/store/children.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "providers/request.h"

namespace skein::app::driven::acp {

namespace rpc = mcp::rpc;
using store::SessionRecord;

namespace {

constexpr std::size_t page = 50;             // sessions of a list
constexpr std::chrono::seconds patience{5};  // with a client that reads nothing any more

std::string absolute_folder(const std::string& path, const char* name) {
  std::error_code failed;
  if (!path.starts_with('/')) throw bad(std::string(name) + " must be an absolute path");
  if (!std::filesystem::is_directory(path, failed)) throw bad("there is no folder " + path);
  return path;
}

// A list of {name, value}, as an object.
Json pairs(const Json& list) {
  Json out = Json::object();
  for (const Json& each : elements(list)) out[string_at(each, "name")] = string_at(each, "value");
  return out;
}

// The editor's MCP servers, as --mcp-config takes them; empty: there are none. A notice says which
// are left out.
JsonText servers_config(const Json& servers, std::vector<std::string>& notices) {
  Json out = Json::object();
  for (const Json& each : elements(servers)) {
    const std::string name = string_at(each, "name"), type = string_at(each, "type", "stdio");
    if (name.empty()) throw bad("an MCP server has no name");
    if (type == "stdio") {
      out[name] = {{"command", string_at(each, "command")},
                   {"args", strings_in(at(each, "args"))},
                   {"env", pairs(at(each, "env"))}};
    } else if (type == "http") {
      const Json headers = pairs(at(each, "headers"));
      for (const auto& [header, value] : headers.items())
        if (value.get<std::string>().starts_with('!'))
          throw bad("the header " + header + " of the MCP server " + name + " begins with '!'");
      out[name] = {{"type", "http"}, {"url", string_at(each, "url")}, {"headers", headers}};
    } else {
      notices.push_back("the MCP server " + name + " is left out: it uses " + type +
                        "; skein supports stdio and http");
    }
  }
  return out.empty() ? JsonText{} : dump({{"mcpServers", out}});
}

// How a session of the client is worked in.
Invocation session_invocation(const Invocation& base, const Json& params,
                              std::vector<std::string>& notices) {
  Invocation out = base;
  out.subcommand = nullptr;
  out.print = true;
  out.workspace = absolute_folder(string_at(params, "cwd"), "cwd");
  for (const std::string& each : strings_in(at(params, "additionalDirectories")))
    out.add_dirs.push_back(absolute_folder(each, "additionalDirectories"));
  if (JsonText servers = servers_config(at(params, "mcpServers"), notices); !servers.empty())
    out.mcp_config.push_back(std::move(servers));
  return out;
}

// The place behind a session in a list, which is sorted by the time of last use.
std::string cursor_of(const SessionRecord& record) {
  return record.used_at() + "/" + to_string(record.header.session);
}

Json info_of(const SessionRecord& record, const catalog::Catalog& catalog) {
  const model::SessionState& state = record.state;
  const auto cost = catalog.cost(state.usage);
  Json out = {{"sessionId", to_string(record.header.session)},
              {"cwd", record.header.cwd.empty() ? "/" : record.header.cwd},
              {"title", state.title},
              {"updatedAt", record.used_at()},
              {"_meta",
               {{"skein",
                 {{"key", record.key},
                  {"origin", state.origin},
                  {"branches", state.leaves.size()},
                  {"messages", state.messages},
                  {"costUsd", cost ? Json(cost->dollars) : Json()}}}}}};
  if (state.title.empty()) out.erase("title");
  return out;
}

}  // namespace

AcpServer::AcpServer(const Invocation& invocation)
    : invocation_(invocation), in_(STDIN_FILENO), out_(STDOUT_FILENO) {}

AcpServer::~AcpServer() { collect(true); }

int AcpServer::run() {
  const auto over = [] { return leave_asked() || stop_asked(); };
  while (!over() && !out_.broken()) {
    while (const std::optional<LineQueue::Line> line = in_.next()) take(*line);
    collect(false);
    if (in_.ended()) break;
    std::array<pollfd, 2> fds{{{in_.fd(), POLLIN, 0}, {ended_.fd(), POLLIN, 0}}};
    wait(fds, no_deadline, over);
  }
  collect(true);
  out_.finish(patience);
  return leave_asked() ? terminated_status : stop_asked() ? interrupted_status : 0;
}

void AcpServer::take(const LineQueue::Line& line) {
  if (line.too_long) return refuse(out_, nullptr, rpc::parse_error, "a line is longer than 64 MiB");
  if (is_blank(line.text)) return;
  const std::string text = valid_utf8(line.text);
  const std::optional<Json> json = parse_json(text);
  if (!json) return refuse(out_, nullptr, rpc::parse_error, "a line is not JSON");
  const std::string method = string_at(*json, "method");
  const Json& id = at(*json, "id");
  if (!json->is_object() || (!id.is_null() && !id.is_string() && !id.is_number_integer()))
    return refuse(out_, nullptr, rpc::invalid_request, "a line is not one request");
  if (json->contains("result") || json->contains("error")) {  // an answer to a session
    for (Session& each : sessions_)
      if (string_at(*json, "id").starts_with(each.id_start)) each.in.put({text});
    return;
  }
  if (method.empty()) return refuse(out_, id, rpc::invalid_request, "`method` is missing");
  try {
    if (json->contains("id")) return take_request(method, id, at(*json, "params"), text);
    if (!initialized_) return;
    if (method == "$/cancel_request")  // only a session knows which requests it has
      for (Session& each : sessions_) each.in.put({text});
    if (Session* const session = find(at(*json, "params")); method == "session/cancel" && session)
      session->in.put({text});
  } catch (const std::exception&) {
    refuse_by_exception(out_, id);
  }
}

void AcpServer::take_request(const std::string& method, const Json& id, const Json& params,
                             const std::string& text) {
  if (method == "initialize") return answer(out_, id, initialize(params));
  if (!initialized_) throw RequestError(rpc::invalid_request, "`initialize` must come first");
  if (!params.is_null() && !params.is_object()) throw bad("`params` must be an object");
  if (method == "authenticate") return answer(out_, id, authenticate(params));
  if (method == "session/list") return answer(out_, id, list(params));
  if (has_word("session/new session/load session/resume", method))
    return open(method, params, text);
  if (method == "session/close" || method == "session/delete")
    return close(id, params, method == "session/delete");
  if (!AcpSession::handles(method))
    throw RequestError(rpc::unknown_method, "skein does not support " + method);
  if (string_at(params, "sessionId").empty()) throw bad("`sessionId` is missing");
  Session* const session = find(params);
  if (session == nullptr)
    throw RequestError(rpc::no_such_resource,
                       "session " + string_at(params, "sessionId") + " is not open");
  session->in.put({text});
}

Json AcpServer::initialize(const Json& params) {
  if (!at(params, "protocolVersion").is_number_integer())
    throw bad("`protocolVersion` must be a whole number");
  const Json& can = at(params, "clientCapabilities");
  if (!std::exchange(initialized_, true))
    client_ = {.reads_files = bool_at(at(can, "fs"), "readTextFile"),
               .has_forms = at(at(can, "elicitation"), "form").is_object(),
               .has_notices = at(at(can, "session"), "notices").is_object(),
               .has_compactions = at(at(can, "session"), "compaction").is_object()};
  Json ways = Json::array();
  if (!can_ask_a_model()) {
    ways.push_back({{"id", "key"},
                    {"name", "Store an API key"},
                    {"description", "Run `skein login PROVIDER` in a terminal"}});
    if (bool_at(at(can, "auth"), "terminal"))
      ways.push_back({{"type", "terminal"},
                      {"id", "login"},
                      {"name", "Store an API key in a terminal"},
                      {"args", {"login"}},
                      {"env", Json::object()}});
  }
  const Json yes = Json::object();
  return {{"protocolVersion", 1},
          {"agentInfo", {{"name", "skein"}, {"title", "skein"}, {"version", SKEIN_VERSION}}},
          {"agentCapabilities",
           {{"loadSession", true},
            {"promptCapabilities", {{"image", true}, {"embeddedContext", true}}},
            {"mcpCapabilities", {{"http", true}}},
            {"sessionCapabilities",
             {{"list", yes},
              {"resume", yes},
              {"close", yes},
              {"delete", yes},
              {"additionalDirectories", yes}}},
            {"auth", yes}}},
          {"authMethods", ways}};
}

Json AcpServer::authenticate(const Json& params) {
  const std::string method = string_at(params, "methodId");
  if (method != "key" && method != "login") throw bad("there is no way '" + method + "'");
  if (!can_ask_a_model())
    throw RequestError(authentication_required,
                       "no provider has a key; run `skein login PROVIDER` in a terminal");
  return Json::object();
}

bool AcpServer::can_ask_a_model() {
  const providers::Keyring keys = gathered_keys(catalog());
  if (!invocation_.model.empty() || !load_config(invocation_, "").model.empty()) return true;
  return std::ranges::any_of(catalog().providers(), [&](const catalog::ProviderRow& row) {
    return row.key_needed && !row.local && !keys.source(providers::key_sources(row)).empty();
  });
}

Json AcpServer::list(const Json& params) {
  store::ListFilter filter{.cwd = string_at(params, "cwd")};
  if (!filter.cwd.empty() && filter.cwd.front() != '/') throw bad("cwd must be an absolute path");
  const std::string cursor = string_at(params, "cursor");
  const std::size_t slash = cursor.find('/');
  if (!at(params, "cursor").is_null() &&
      (slash == cursor.npos || !parse_id(cursor.substr(slash + 1))))
    throw bad("`cursor` is not from a list of this agent");
  if (cursor.empty()) filter.limit = 2 * page;  // sub-agents are left out of them
  std::vector<SessionRecord> found = store().list(filter);
  const bool all = filter.limit == 0 || found.size() < filter.limit;
  std::erase_if(found, &store::is_child);
  if (!all && found.size() <= page) {
    filter.limit = 0;
    found = store().list(filter);
    std::erase_if(found, &store::is_child);
  }
  auto from = found.begin();
  if (!cursor.empty()) {
    from = std::ranges::find(found, cursor, cursor_of);
    if (from != found.end())
      ++from;
    else  // it was used since, and moved to the front
      from = std::ranges::find_if(found, [&](const SessionRecord& each) {
        return each.used_at() < cursor.substr(0, slash);
      });
  }
  Json out = {{"sessions", Json::array()}};
  const auto end = from + std::min<std::ptrdiff_t>(page, found.end() - from);
  for (auto each = from; each != end; ++each) out["sessions"].push_back(info_of(*each, catalog()));
  if (end != found.end()) out["nextCursor"] = cursor_of(*(end - 1));
  return out;
}

void AcpServer::open(const std::string& method, const Json& params, const std::string& text) {
  std::vector<std::string> notices;
  const Invocation invocation = session_invocation(invocation_, params, notices);
  std::optional<Id> id;
  if (method != "session/new") {
    const std::string name = string_at(params, "sessionId");
    if (name.empty()) throw bad("`sessionId` is missing");
    const store::Result<SessionRecord> record = store().find(name);
    if (!record) throw RequestError(rpc::no_such_resource, record.error().text);
    id = record->header.session;
    if (Session* const session = find({{"sessionId", to_string(*id)}}))
      return session->in.put({text});
  }
  if (opened_ == 0) settle_interrupted_commands(false);
  const std::lock_guard hold(lock_);
  Session& session = sessions_.emplace_back();
  session.id_start = std::to_string(++opened_) + "-";
  session.id = id;
  session.in.put({text});
  session.thread =
      quiet_thread([this, &session, invocation, notices] { work(session, invocation, notices); });
}

void AcpServer::work(Session& session, const Invocation& invocation,
                     const std::vector<std::string>& notices) {
  AcpConnection connection = connection_;
  connection.notices = notices;
  connection.opened = [this, &session](Id id) {
    const std::lock_guard hold(lock_);
    session.id = id;
  };
  try {
    Driver driver(invocation, places_around(invocation.workspace),
                  {session.in, out_, {session.stop, session.stops, session.leave}});
    AcpSession dialect(driver, connection, session.id_start);
    driver.run(dialect);
  } catch (const std::exception& error) {  // the other sessions continue
    tell_user(error.what());
  }
  session.ended = true;
  ended_.raise();
}

void AcpServer::close(const Json& id, const Json& params, bool erase) {
  if (Session* const session = find(params)) {
    session->erased = session->erased || erase;
    session->closed.push_back(id);
    return session->in.end();
  }
  const std::string name = string_at(params, "sessionId");
  const auto record = store().find(name);
  if (erase && record) store::value_or_throw(store::erase_family(store(), record->header.session));
  if (!erase && !record) throw RequestError(rpc::no_such_resource, record.error().text);
  answer(out_, id, Json::object());
}

void AcpServer::collect(bool all) {
  ended_.clear();
  if (all)
    for (Session& each : sessions_) each.in.end();
  for (auto session = sessions_.begin(); session != sessions_.end();) {
    if (!all && !session->ended) {
      ++session;
      continue;
    }
    session->thread.join();
    for (const Json& id : session->closed) try {
        if (std::exchange(session->erased, false) && session->id)
          store::value_or_throw(store::erase_family(store(), *session->id));
        answer(out_, id, Json::object());
      } catch (const std::exception&) {
        refuse_by_exception(out_, id);
      }
    const std::lock_guard hold(lock_);
    session = sessions_.erase(session);
  }
}

AcpServer::Session* AcpServer::find(const Json& params) {
  const std::optional<Id> id = parse_id(string_at(params, "sessionId"));
  const std::lock_guard hold(lock_);
  const auto found = std::ranges::find_if(
      sessions_, [&](const Session& each) { return id && each.id == id && each.closed.empty(); });
  return found == sessions_.end() ? nullptr : &*found;
}

store::SessionStore& AcpServer::store() {
  if (!store_) store_ = std::make_unique<store::SessionStore>(open_store(invocation_));
  return *store_;
}

const catalog::Catalog& AcpServer::catalog() {
  if (!catalog_) catalog_ = configured_catalog(invocation_);
  return *catalog_;
}

}  // namespace skein::app::driven::acp

namespace skein::app {

int acp_mode(const Invocation& invocation) {
  catch_signals();
  sandbox::hide_process_memory();
  return driven::acp::AcpServer(invocation).run();
}

}  // namespace skein::app
