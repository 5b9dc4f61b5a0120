// libpq, for a server that may be anybody's: what it sends is bounded, what it says is only quoted,
// and no password is taken from where others could read it.
#include "core/text/std.h"

#include <poll.h>
#include <sys/ioctl.h>

#include <libpq-fe.h>

#include "core/store/postgres/link.h"
#include "core/text/text.h"

namespace skein::store::postgres {

namespace {

// An address with what the environment and the defaults add to it.
struct AddressSettings {
  std::map<std::string, std::string> given{};
  std::string problem{};

  std::string get(const std::string& name) const {
    const auto found = given.find(name);
    return found == given.end() ? "" : found->second;
  }
  void set_if_absent(const std::string& name, const std::string& value) {
    if (std::string& held = given[name]; held.empty()) held = value;
  }
};

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0;;) {
    const std::size_t comma = text.find(',', at);
    out.push_back(text.substr(at, comma - at));
    if (comma == std::string::npos) return out;
    at = comma + 1;
  }
}

constexpr const char* usual_socket_folder = "/var/run/postgresql";

bool is_folder(const std::string& host) {
  return host.empty() || host.starts_with('/') || host.starts_with('@');
}

bool is_loopback(const std::string& host) {
  return is_folder(host) || host == "localhost" || host == "::1" || host.starts_with("127.");
}

struct Host {
  std::string name{}, port{}, address{};
  std::string shown() const {
    if (is_folder(name)) return (name.empty() ? usual_socket_folder : name) + "/.s.PGSQL." + port;
    return name + ":" + port;
  }
};

std::vector<Host> hosts_of(const AddressSettings& settings) {
  const std::vector<std::string> names = listed(settings.get("host")),
                                 ports = listed(settings.get("port")),
                                 addresses = listed(settings.get("hostaddr"));
  std::vector<Host> out;
  for (std::size_t i = 0; i < std::max(names.size(), addresses.size()); ++i) {
    Host host;
    if (i < addresses.size()) host.address = addresses[i];
    host.name = i < names.size() ? names[i] : "";
    if (host.name.empty() && !host.address.empty()) host.name = host.address;
    host.port = ports.size() == 1 ? ports[0] : i < ports.size() ? ports[i] : "";
    if (host.port.empty()) host.port = "5432";
    out.push_back(std::move(host));
  }
  return out;
}

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using Kind = Problem::Kind;

// A statement waits ten seconds for a lock; nothing we ask for takes longer than this.
constexpr Milliseconds answer_patience{60'000};

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
struct FreeMemory {
  void operator()(void* memory) const { PQfreemem(memory); }
};
struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Handle = std::unique_ptr<PGconn, Finish>;
using Answer = std::unique_ptr<PGresult, Clear>;
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::string one_line(const char* text) {
  std::string out = text != nullptr ? text : "";
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  for (char& c : out)
    if (c == '\n' || c == '\t') c = ' ';
  if (out.size() > 1000) out.resize(1000);
  return out;
}

// What bounds a server: it may not speak without end.
struct AnswerDeadline {
  Clock::time_point until = Clock::now();
  std::size_t bytes_left = 0;
  int notices_left = 0;
  PostgresModule::GoesOn goes_on{};
  bool stopped() const { return goes_on.function != nullptr && !goes_on(); }
};

void count_notice(void* patience, const PGresult*) {
  --static_cast<AnswerDeadline*>(patience)->notices_left;
}

// False: it took too long, or the user wants it to end. A signal that comes just before the poll
// does not end it, so that it is short.
bool wait_for(int socket, short events, const AnswerDeadline& patience) {
  constexpr long long slice_ms = 100;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<Milliseconds>(patience.until - Clock::now()).count();
    pollfd fd{socket, events, 0};
    const int ready = poll(&fd, 1, static_cast<int>(std::clamp<long long>(left, 0, slice_ms)));
    if (ready > 0) return true;
    if ((ready < 0 && errno != EINTR) || left <= 0 || patience.stopped()) return false;
  }
}

}  // namespace

class LibpqLink {
 public:
  explicit LibpqLink(Handle handle) : handle_(std::move(handle)) {
    PQsetNoticeReceiver(handle_.get(), count_notice, &patience_);
    PQsetnonblocking(handle_.get(), 1);
  }

  // Does the work of a call, and keeps what it returns for the caller to look at.
  template <class Work>
  ProblemView call(const PostgresModule::GoesOn& goes_on, const Work& work) noexcept {
    try {
      patience_ = {Clock::now() + answer_patience, largest_answer, most_notices, goes_on};
      problem_ = handle_ ? work() : gone("the connection is closed");
    } catch (const std::exception& error) {
      problem_ = {.kind = Kind::lost, .text = error.what()};
    }
    return {problem_.kind, problem_.state, problem_.constraint, problem_.text};
  }

  Problem run(const Statement& statement, View<SqlValue> values, const Callback<void(Row)>& each,
              std::uint64_t& changed) {
    std::vector<Oid> types;
    for (const SqlValue& value : values) types.push_back(static_cast<Oid>(value.type));
    const bool once = *statement.name == '\0';
    if (!once && !prepared_.contains(statement.name)) {
      if (PQsendPrepare(handle_.get(), statement.name, statement.sql,
                        static_cast<int>(types.size()), types.data()) == 0)
        return lost();
      Answer answer;
      if (Problem problem = finish(answer)) return problem;
      prepared_.insert(statement.name);
    }
    std::vector<const char*> bytes;
    std::vector<int> lengths, formats;
    for (const SqlValue& value : values) {
      // Of an empty value libpq wants an address too; none means null.
      bytes.push_back(value.null ? nullptr : value.bytes.empty() ? "" : value.bytes.data());
      lengths.push_back(static_cast<int>(value.bytes.size()));
      formats.push_back(1);
    }
    const int count = static_cast<int>(values.size());
    const int sent = once ? PQsendQueryParams(handle_.get(), statement.sql, count, types.data(),
                                              bytes.data(), lengths.data(), formats.data(), 1)
                          : PQsendQueryPrepared(handle_.get(), statement.name, count, bytes.data(),
                                                lengths.data(), formats.data(), 1);
    if (sent == 0) return lost();
    Answer answer;
    if (Problem problem = finish(answer)) return problem;
    changed = std::strtoull(PQcmdTuples(answer.get()), nullptr, 10);
    give_rows(answer.get(), each);
    return {};
  }

  Problem run_script(const std::string& sql) {
    if (PQsendQuery(handle_.get(), sql.c_str()) == 0) return lost();
    Answer answer;
    return finish(answer);
  }

  int descriptor() const { return handle_ ? PQsocket(handle_.get()) : -1; }

  Problem take_news(const Callback<void(Bytes)>& each) {
    if (Problem trouble = take_in()) return trouble;
    constexpr int most_news =
        10'000;  // there is more than that only where a server wants to tire us
    for (int count = 0; count < most_news; ++count) {
      const std::unique_ptr<PGnotify, FreeMemory> news(PQnotifies(handle_.get()));
      if (!news) break;
      each(std::string_view(news->extra != nullptr ? news->extra : ""));
    }
    return {};
  }

 private:
  Problem gone(const std::string& why) {
    handle_.reset();
    prepared_.clear();
    return {.kind = Kind::lost, .text = why};
  }
  // Why no call waits any longer.
  Problem gave_up(const char* why) {
    const bool stopped = patience_.stopped();
    Problem problem = gone(stopped ? "the request was stopped" : why);
    if (stopped) problem.kind = Kind::stopped;
    return problem;
  }
  Problem lost() { return gone(one_line(PQerrorMessage(handle_.get()))); }
  Problem absurd(const std::string& why) {
    Problem problem = gone("the database server misbehaves: " + why);
    problem.kind = Kind::absurd;
    return problem;
  }

  Problem take_in() {
    int waiting = 0;
    if (ioctl(PQsocket(handle_.get()), FIONREAD, &waiting) == 0 && waiting > 0) {
      if (static_cast<std::size_t>(waiting) > patience_.bytes_left)
        return absurd("it sends more than was asked for");
      patience_.bytes_left -= static_cast<std::size_t>(waiting);
    }
    if (PQconsumeInput(handle_.get()) == 0) return lost();
    if (patience_.notices_left < 0) return absurd("it sends notices without end");
    return {};
  }

  // Waits until everything is sent and there is an answer, and takes the last one of them.
  Problem finish(Answer& answer) {
    Problem problem;
    for (;;) {
      while (const int unsent = PQflush(handle_.get())) {
        if (unsent < 0) return lost();
        if (!wait_for(PQsocket(handle_.get()), POLLIN | POLLOUT, patience_))
          return gave_up("the server does not accept data");
        if (Problem trouble = take_in()) return trouble;
      }
      while (PQisBusy(handle_.get()) != 0) {
        if (patience_.notices_left < 0) return absurd("it sends notices without end");
        if (!wait_for(PQsocket(handle_.get()), POLLIN, patience_))
          return gave_up("the server does not answer");
        if (Problem trouble = take_in()) return trouble;
      }
      Answer next(PQgetResult(handle_.get()));
      if (!next) break;
      const ExecStatusType status = PQresultStatus(next.get());
      if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
        return absurd("it starts a COPY");
      if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && !problem)
        problem = said_no(next.get());
      answer = std::move(next);
    }
    if (PQstatus(handle_.get()) != CONNECTION_OK) {
      // A server that is going down says so before it hangs up: what it said is the better reason.
      const std::string why = problem ? problem.text : one_line(PQerrorMessage(handle_.get()));
      return gone(why);
    }
    if (!problem && !answer) return absurd("it does not answer");
    return problem;
  }

  static Problem said_no(const PGresult* result) {
    const auto field = [&](int code) {
      const char* text = PQresultErrorField(result, code);
      return std::string(text != nullptr ? text : "");
    };
    Problem problem{Kind::said_no, field(PG_DIAG_SQLSTATE), field(PG_DIAG_CONSTRAINT_NAME),
                    one_line(field(PG_DIAG_MESSAGE_PRIMARY).c_str())};
    if (problem.text.empty()) problem.text = one_line(PQresultErrorMessage(result));
    return problem;
  }

  static void give_rows(const PGresult* result, const Callback<void(Row)>& each) {
    const int columns = PQnfields(result);
    std::vector<SqlValue> row(static_cast<std::size_t>(columns));
    for (int at = 0; at < PQntuples(result); ++at) {
      for (int column = 0; column < columns; ++column)
        row[static_cast<std::size_t>(column)] = {
            static_cast<Type>(PQftype(result, column)),
            Bytes(PQgetvalue(result, at, column),
                  static_cast<std::size_t>(PQgetlength(result, at, column))),
            PQgetisnull(result, at, column) != 0};
      each(row);
    }
  }

  AnswerDeadline patience_{};
  Problem problem_{};
  Handle handle_;
  std::set<std::string, std::less<>> prepared_{};
};

namespace {

AddressSettings settings_of(const std::string& address) {
  AddressSettings settings;
  char* wrong = nullptr;
  const Options parsed(PQconninfoParse(address.c_str(), &wrong));
  if (!parsed) {
    settings.problem = one_line(wrong);
    PQfreemem(wrong);
    return settings;
  }
  const Options defaults(PQconndefaults());
  for (const PQconninfoOption* each = parsed.get(); each->keyword != nullptr; ++each)
    if (each->val != nullptr) settings.given.emplace(each->keyword, each->val);
  if (!settings.get("password").empty() || !settings.get("sslpassword").empty())
    settings.problem =
        "it holds a password, which other programs could see; put it into ~/.pgpass, a "
        "file named by PGPASSFILE, or PGPASSWORD";
  // PGHOST and the like, and service files, count as they do for every program.
  for (const PQconninfoOption* each = defaults.get(); each != nullptr && each->keyword != nullptr;
       ++each)
    if (each->val != nullptr && std::string_view(each->keyword) != "password" &&
        (std::string_view(each->keyword) != "sslmode" || std::getenv("PGSSLMODE") != nullptr) &&
        (std::string_view(each->keyword) != "target_session_attrs" ||
         std::getenv("PGTARGETSESSIONATTRS") != nullptr))
      settings.set_if_absent(each->keyword, each->val);
  return settings;
}

// Every step of it, so that a server which does not answer, or does not stop, is left behind.
Handle connect_to(const AddressSettings& settings, const Host& host, int connect_ms,
                  const PostgresModule::GoesOn& goes_on, std::string& problem) {
  AddressSettings own = settings;
  own.given["host"] = host.name;
  own.given["hostaddr"] = host.address;
  own.given["port"] = host.port;
  own.given["client_encoding"] = "UTF8";
  own.set_if_absent("sslmode", is_loopback(host.name) ? "prefer" : "verify-full");
  own.set_if_absent("target_session_attrs", "read-write");
  own.set_if_absent("fallback_application_name", "skein");
  own.set_if_absent("keepalives_idle", "30");
  own.set_if_absent("keepalives_interval", "10");
  own.set_if_absent("keepalives_count", "3");
  own.set_if_absent("tcp_user_timeout", "60000");
  std::vector<const char*> names, values;
  for (const auto& [name, value] : own.given)
    if (!value.empty()) names.push_back(name.c_str()), values.push_back(value.c_str());
  names.push_back(nullptr);
  values.push_back(nullptr);

  Handle handle(PQconnectStartParams(names.data(), values.data(), 0));
  if (!handle) return problem = "out of memory", nullptr;
  AnswerDeadline patience{Clock::now() + Milliseconds(connect_ms), std::size_t{1} << 20, 100,
                          goes_on};
  PQsetNoticeReceiver(handle.get(), count_notice, &patience);
  PostgresPollingStatusType step = PGRES_POLLING_WRITING;
  while (PQstatus(handle.get()) != CONNECTION_BAD && step != PGRES_POLLING_OK &&
         step != PGRES_POLLING_FAILED) {
    const int socket = PQsocket(handle.get());
    if (!wait_for(socket, step == PGRES_POLLING_WRITING ? POLLOUT : POLLIN, patience))
      return problem = "it does not answer", nullptr;
    int arrived = 0;
    if (ioctl(socket, FIONREAD, &arrived) == 0 && arrived > 0)
      patience.bytes_left -= std::min(patience.bytes_left, static_cast<std::size_t>(arrived));
    if (patience.notices_left < 0 || patience.bytes_left == 0)
      return problem = "it sends data without end before it is asked", nullptr;
    step = PQconnectPoll(handle.get());
  }
  if (PQstatus(handle.get()) == CONNECTION_OK) return handle;
  problem = one_line(PQerrorMessage(handle.get()));
  // libpq begins with the host, which we name ourselves.
  constexpr std::string_view opening = "connection to server", ending = " failed: ";
  if (const std::size_t at = problem.find(ending);
      problem.starts_with(opening) && at != std::string::npos)
    problem.erase(0, at + ending.size());
  return nullptr;
}

void describe(Bytes address, Callback<void(AddressPart, Bytes)> each) noexcept try {
  const AddressSettings settings = settings_of(std::string(address));
  each(AddressPart::problem, settings.problem);
  for (const Host& host : hosts_of(settings)) {
    each(AddressPart::host, host.shown());
    if (is_folder(host.name))
      each(AddressPart::socket_folder, host.name.empty() ? usual_socket_folder : host.name);
  }
  each(AddressPart::database, settings.get("dbname"));
  each(AddressPart::user, settings.get("user"));
  std::string password_file = settings.get("passfile");
  if (const std::string home = env_path("HOME"); password_file.empty() && !home.empty())
    password_file = home + "/.pgpass";
  each(AddressPart::password_file, password_file);
} catch (const std::exception& error) {
  each(AddressPart::problem, std::string_view(error.what()));
}

LibpqLink* connect(Bytes address, int connect_ms, PostgresModule::GoesOn goes_on,
                   TextSink problem) noexcept {
  LibpqLink* link = nullptr;
  report_exceptions(problem, [&] {
    const AddressSettings settings = settings_of(std::string(address));
    if (!settings.problem.empty()) return problem(settings.problem);
    std::string problems;
    for (const Host& host : hosts_of(settings)) {
      std::string why;
      if (Handle handle = connect_to(settings, host, connect_ms, goes_on, why)) {
        link = new LibpqLink(std::move(handle));
        return;
      }
      problems += (problems.empty() ? "" : "; ") + host.shown() + ": " + why;
      if (!goes_on()) break;
    }
    problem(problems);
  });
  return link;
}

}  // namespace

extern "C" const PostgresModule skein_module{
    .version = SKEIN_VERSION,
    .describe = describe,
    .connect = connect,
    .close = [](LibpqLink* link) noexcept { delete link; },
    .run =
        [](LibpqLink* link, const Statement& statement, View<SqlValue> values,
           PostgresModule::GoesOn goes_on, Callback<void(Row)> each,
           std::uint64_t* changed) noexcept {
          return link->call(goes_on, [&] { return link->run(statement, values, each, *changed); });
        },
    .run_script =
        [](LibpqLink* link, Bytes sql, PostgresModule::GoesOn goes_on) noexcept {
          return link->call(goes_on, [&] { return link->run_script(std::string(sql)); });
        },
    .descriptor = [](const LibpqLink* link) noexcept { return link->descriptor(); },
    .take_news =
        [](LibpqLink* link, Callback<void(Bytes)> each) noexcept {
          return link->call({}, [&] { return link->take_news(each); });
        },
};

}  // namespace skein::store::postgres
