#include "tests/support/postgres_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/store/postgres/connection.h"
#include "core/store/postgres/schema.h"
#include "core/text/base.h"
#include "tests/support/homes.h"

namespace skein::test {

namespace fs = std::filesystem;
namespace postgres = store::postgres;

namespace {

// The server refuses to run as root.
const passwd* unprivileged() {
  if (geteuid() != 0) return nullptr;
  const passwd* user = getpwnam("postgres");
  return user != nullptr ? user : getpwnam("nobody");
}

void become_unprivileged() {
  if (const passwd* user = unprivileged())
    if (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)
      _exit(126);
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof any;
  const bool bound = bind(socket, reinterpret_cast<sockaddr*>(&any), size) == 0 &&
                     getsockname(socket, reinterpret_cast<sockaddr*>(&any), &size) == 0;
  close(socket);
  if (!bound) throw Error("no free port");
  return ntohs(any.sin_port);
}

std::string new_folder() {
  std::string folder = "/tmp/skein-pg-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw Error("no temporary folder");
  if (const passwd* user = unprivileged())
    if (chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0) throw Error("chown failed");
  return folder;
}

// `words` run as the unprivileged user, with their output in a file of the folder.
pid_t start_program(const std::string& folder, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string log = folder + "/log";
  const pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  become_unprivileged();
  prctl(PR_SET_PDEATHSIG, SIGQUIT);  // it must not outlive a test that was killed
  if (getppid() != parent) _exit(126);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  if (chdir(folder.c_str()) != 0) _exit(126);
  setsid();
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

std::string PostgresServer::programs() {
  std::string newest;
  std::error_code failed;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", failed))
    if (fs::exists(version.path() / "bin/postgres", failed))
      newest = std::max(newest, (version.path() / "bin").string());
  return newest;
}

bool has_postgres() {
  if (!PostgresServer::programs().empty()) return true;
  std::fputs("skipped: there is no PostgreSQL server on this machine\n", stderr);
  return false;
}

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer(std::vector<std::string> settings)
    : folder_(new_folder()), port_(free_port()), settings_(std::move(settings)) {
  if (run_program("initdb", {"-D", folder_ + "/data", "-A", "trust", "-U", "postgres", "-E", "UTF8",
                             "--locale=C", "--no-sync"}) != 0)
    throw Error("initdb failed; see " + folder_ + "/log");
  port_ = free_port();  // the other may have been taken meanwhile
  start();
  run_sql("postgres", "create role alice login; create role bob login");
}

PostgresServer::PostgresServer(const PostgresServer& primary, std::vector<std::string> settings)
    : folder_(new_folder()), port_(free_port()), settings_(std::move(settings)) {
  if (run_program("pg_basebackup",
                  {"-D", folder_ + "/data", "-h", "127.0.0.1", "-p", std::to_string(primary.port_),
                   "-U", "postgres", "-R", "-C", "-S", "standby" + std::to_string(port_), "-c",
                   "fast", "--no-sync"}) != 0)
    throw Error("pg_basebackup failed; see " + folder_ + "/log");
  port_ = free_port();
  start();
}

PostgresServer::~PostgresServer() {
  kill_at_once();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

int PostgresServer::run_program(const std::string& name,
                                const std::vector<std::string>& words) const {
  std::vector<std::string> all{programs() + "/" + name};
  all.insert(all.end(), words.begin(), words.end());
  int status = -1;
  waitpid(start_program(folder_, all), &status, 0);
  return status;
}

void PostgresServer::start() {
  std::vector<std::string> words{programs() + "/postgres",
                                 "-D",
                                 folder_ + "/data",
                                 "-k",
                                 folder_,
                                 "-p",
                                 std::to_string(port_),
                                 "-c",
                                 "listen_addresses=127.0.0.1",
                                 "-c",
                                 "shared_buffers=32MB",
                                 "-c",
                                 "max_connections=60"};
  for (const std::string& setting : settings_) words.insert(words.end(), {"-c", setting});
  process_ = start_program(folder_, words);
  for (int tries = 0; tries < 300; ++tries) {
    if (postgres::open_link(address("postgres", "postgres") + "?target_session_attrs=any",
                            {.connect_ms = 2000}))
      return;
    usleep(100'000);
  }
  throw Error("the server did not start; see " + folder_ + "/log");
}

void PostgresServer::kill_at_once() {
  if (process_ < 0) return;
  // Its children notice at once that it is gone, and end.
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void PostgresServer::promote() { run_sql("postgres", "select pg_promote(true, 30)"); }

std::string PostgresServer::address(const std::string& database, const std::string& user) const {
  return "postgresql://" + user + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

std::string PostgresServer::socket_address(const std::string& database,
                                           const std::string& user) const {
  std::string folder;
  for (const char c : folder_) folder += c == '/' ? std::string("%2F") : std::string(1, c);
  return "postgresql://" + user + "@" + folder + ":" + std::to_string(port_) + "/" + database;
}

std::string PostgresServer::make_database() {
  static int number = 0;
  const std::string name = "home" + std::to_string(getpid()) + "_" + std::to_string(++number);
  run_sql("postgres", "create database " + name + " owner alice");
  value_of(postgres::prepare_database(address(name)));
  return name;
}

void PostgresServer::run_sql(const std::string& database, const std::string& sql) const {
  const auto link =
      value_of(postgres::open_link(address(database, "postgres") + "?target_session_attrs=any"));
  if (const postgres::Problem problem = link->run_script(sql)) throw Error(problem.text);
}

std::string PostgresServer::ask(const std::string& database, const std::string& query) const {
  const auto link =
      value_of(postgres::open_link(address(database, "postgres") + "?target_session_attrs=any"));
  std::string out;
  std::uint64_t changed = 0;
  const std::string as_text = "select (" + query + ")::text";
  const postgres::Problem problem = link->run(
      {"", as_text.c_str()}, {}, [&](postgres::Row row) { out = row[0].bytes; }, changed);
  if (problem) throw Error(problem.text);
  return out;
}

}  // namespace skein::test
