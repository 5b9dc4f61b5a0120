// A home in a database against what the database itself takes: one line per workload, ratios in one
// run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "core/store/postgres/connection.h"
#include "core/store/postgres/database_backend.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::test;
using store::postgres::DatabaseBackend;
using store::postgres::Link;
using store::postgres::SqlValues;
using store::postgres::Statement;

namespace {

using Clock = std::chrono::steady_clock;

template <class Work>
double us(Work work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double middle(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

void run(Link& link, const Statement& statement, const SqlValues& values) {
  std::uint64_t changed = 0;
  if (const auto problem = link.run(
          statement, values, [](auto) {}, changed))
    throw Error(problem.text);
}

// Both are timed in turn, so that whatever else the machine does meets both.
template <class Ours, class Theirs>
void compare(const char* what, int rounds, double limit, Ours ours, Theirs theirs) {
  std::vector<double> a, b, ratios;
  for (int i = 0; i < rounds; ++i) {
    a.push_back(us([&] { ours(i); }));
    b.push_back(us([&] { theirs(i); }));
    ratios.push_back(a.back() / b.back());
  }
  std::printf("%-44s %9.0f us  against %9.0f us  %5.2f x (at most %.1f)\n", what, middle(a),
              middle(b), middle(ratios), limit);
}

void append(PostgresServer& server, const std::string& database) {
  DatabaseBackend backend(server.address(database));
  value_of(backend.create(header_of(Id{1}, "main:cli:append"), {}));
  server.run_sql(database,
                 "create table plain (id bigint primary key, line bytea not null); "
                 "grant all on plain to alice");
  const auto link = value_of(store::postgres::open_link(server.address(database)));
  const Statement insert{"insert", "insert into plain values ($1, $2)"};
  const std::string text(450, 'x'), line(700, 'x');
  const auto ours = [&](int i) {
    const store::NewEntry entry = says(static_cast<std::uint64_t>(i) + 1, text);
    value_of(backend.append(Id{1}, std::span(&entry, 1), {}));
  };
  const auto theirs = [&](int i) { run(*link, insert, SqlValues().integer(i).bytes(line)); };
  ours(-1);
  theirs(-1);
  compare("append, against a prepared insert", 1500, 1.8, ours, theirs);
}

void fill(DatabaseBackend& backend, Id session, const std::string& key, std::uint64_t count) {
  value_of(backend.create(header_of(session, key), {}));
  constexpr std::uint64_t batch = 2000;
  for (std::uint64_t number = 0; number < count;) {
    std::vector<store::NewEntry> entries;
    // At the end one by one, as people talk: what is opened first is the last batch.
    const std::uint64_t most = number + batch < count ? batch : 1;
    while (entries.size() < most && number < count) entries.push_back(says(++number));
    value_of(backend.append(session, entries, {}));
  }
}

void open(PostgresServer& server, const std::string& database, std::uint64_t large) {
  {
    DatabaseBackend backend(server.address(database));
    fill(backend, Id{2}, "main:cli:large", large);
    fill(backend, Id{3}, "main:cli:small", 100);
  }
  DatabaseBackend backend(server.address(database));
  const auto opening = [&](Id session) {
    return [&backend, session](int) {
      const store::SessionRecord record = value_of(backend.open(session));
      value_of(backend.load_back(session, std::nullopt,
                                 [n = 0](const store::StoredEntry&) mutable { return ++n < 50; }));
      if (record.state.entries == 0) throw Error("nothing was opened");
      backend.close(session);
    };
  };
  opening(Id{2})(0);
  opening(Id{3})(0);
  compare(("opening, " + std::to_string(large) + " entries against 100").c_str(), 101, 2.0,
          opening(Id{2}), opening(Id{3}));
}

void list(PostgresServer& server, const std::string& database, std::int64_t count) {
  const auto link = value_of(store::postgres::open_link(server.address(database)));
  const Statement insert{"sessions", R"(
    insert into skein.session (id, key, cwd, used, record, bytes, last_crc, archived)
    select e.id, e.key, '/', 20300101000000000 + e.id, e.record, 1, 0, false
      from unnest($1::bigint[], $2::text[], $3::text[]) as e (id, key, record))"};
  for (std::int64_t at = 1000; at < 1000 + count;) {
    std::vector<std::int64_t> ids;
    std::vector<std::string> keys, records;
    for (; ids.size() < 1000 && at < 1000 + count; ++at) {
      store::log::LogMemory memory;
      const Id session{static_cast<std::uint64_t>(at)};
      memory.header = header_of(session, "main:cli:s" + std::to_string(at));
      memory.state.title = "the title of session " + std::to_string(at);
      memory.state.entries = 10;
      memory.state.updated_at = "2030-01-01T00:00:00.000Z";
      memory.end = 1;
      ids.push_back(at);
      keys.push_back(memory.header.key);
      records.push_back(store::postgres::print_record(memory, keys.back()));
    }
    const std::vector<std::string_view> key_views(keys.begin(), keys.end()),
        record_views(records.begin(), records.end());
    run(*link, insert, SqlValues().integers(ids).texts(key_views).texts(record_views));
  }
  server.run_sql(database, "analyze skein.session");
  DatabaseBackend backend(server.address(database));
  const Statement bare{"bare",
                       "select id, key, record, bytes, archived from skein.session where deleted "
                       "is null order by used desc, id desc limit 50"};
  const auto ours = [&](int) {
    if (value_of(backend.list({.limit = 50})).size() != 50) throw Error("not 50");
  };
  const auto theirs = [&](int) { run(*link, bare, SqlValues()); };
  ours(0);
  theirs(0);
  compare(("listing 50 of " + std::to_string(count) + ", against the bare query").c_str(), 301, 3.0,
          ours, theirs);
}

}  // namespace

// postgres_bench [SESSIONS ENTRIES]: how many to list from, and how long the long one is.
int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::uint64_t sessions = count > 1 ? std::stoull(words[1]) : 100'000,
                      entries = count > 2 ? std::stoull(words[2]) : 1'000'000;
  if (PostgresServer::programs().empty()) {
    std::printf("skipped: there is no PostgreSQL server on this machine\n");
    return 0;
  }
  PostgresServer server({"synchronous_commit=on"});
  const std::string database = server.make_database();
  append(server, database);
  list(server, database, static_cast<std::int64_t>(sessions));
  open(server, database, entries);
}
