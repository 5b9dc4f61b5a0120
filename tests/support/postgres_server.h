// A PostgreSQL server of our own: in a folder that is gone with it, as a user who may do nothing
// else, on a socket and a port of loopback.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace skein::test {

class PostgresServer {
 public:
  // Where its programs are; empty: nowhere, and tests are skipped with a word.
  static std::string programs();
  // One for all tests of this process, started when it is first asked for; it syncs nothing.
  static PostgresServer& shared();

  explicit PostgresServer(std::vector<std::string> settings = {"fsync=off"});
  // A standby that follows `primary`, which must have been started for that.
  PostgresServer(const PostgresServer& primary, std::vector<std::string> settings);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // `user` is a plain one: alice or bob. As postgres one may do anything.
  std::string address(const std::string& database, const std::string& user = "alice") const;
  std::string socket_address(const std::string& database, const std::string& user = "alice") const;
  // A new database, ready for sessions; its name.
  std::string make_database();
  void run_sql(const std::string& database, const std::string& sql) const;  // as postgres
  // The first column of the first row, as text.
  std::string ask(const std::string& database, const std::string& query) const;

  void kill_at_once();  // SIGKILL, without a word to anybody
  void promote();
  int port() const { return port_; }
  const std::string& folder() const { return folder_; }

 private:
  void start();
  int run_program(const std::string& name, const std::vector<std::string>& words) const;

  std::string folder_{};
  int port_ = 0;
  std::vector<std::string> settings_{};
  pid_t process_ = -1;
};

// Whether tests with a server can run; says so if not.
bool has_postgres();

}  // namespace skein::test
