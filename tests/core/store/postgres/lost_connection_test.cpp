// A connection that is cut at every message: what was acknowledged is there, once.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "core/store/postgres/database_backend.h"
#include "tests/support/cutting_proxy.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;

namespace {

constexpr Id a{0xa};

std::string through(const CuttingProxy& proxy, const std::string& database) {
  return "postgresql://alice@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database +
         "?sslmode=disable&gssencmode=disable";
}

}  // namespace

TEST_CASE("an append whose connection is cut at any message is written once") {
  if (!has_postgres()) return;
  PostgresServer& server = PostgresServer::shared();
  const std::string database = server.make_database();
  CuttingProxy proxy(server.port());
  postgres::DatabaseBackend direct(server.address(database));
  value_of(direct.create(header_of(a), {}));
  std::uint64_t number = 0;
  int cuts = 0;
  for (const CuttingProxy::Cut cut : {CuttingProxy::Cut::before, CuttingProxy::Cut::behind})
    for (const bool prepared : {false, true})
      for (int message = 0;; ++message) {
        CAPTURE(message);
        CAPTURE(prepared);
        postgres::DatabaseBackend backend(through(proxy, database));
        REQUIRE(ok(backend.open(a)));
        const auto append = [&] {
          const std::vector<NewEntry> batch{says(number + 1), says(number + 2)};
          AppendOptions options;
          if (number > 0) options.expected_tail = entry_id(number);
          number += 2;
          return backend.append(a, batch, options);
        };
        if (prepared) REQUIRE(ok(append()));
        proxy.cut_at(message, cut);
        const auto outcome = append();
        const bool was_cut = proxy.has_cut();
        proxy.disarm();
        REQUIRE(ok(outcome));
        CHECK(outcome->appended == 2);
        CHECK(outcome->entries.size() == 2);
        const std::vector<Id> there = ids_of(direct, a);
        CHECK(there.size() == number);
        CHECK(std::set<Id>(there.begin(), there.end()).size() == number);
        if (!was_cut) break;
        ++cuts;
      }
  CHECK(cuts > 20);
  CHECK_FALSE(value_of(direct.examine(a)).any());
}

TEST_CASE("a session whose maker's connection is cut at any message is made once, or not") {
  if (!has_postgres()) return;
  PostgresServer& server = PostgresServer::shared();
  const std::string database = server.make_database();
  CuttingProxy proxy(server.port());
  postgres::DatabaseBackend direct(server.address(database));
  int cuts = 0;
  for (const CuttingProxy::Cut cut : {CuttingProxy::Cut::before, CuttingProxy::Cut::behind})
    for (int message = 0;; ++message) {
      CAPTURE(message);
      postgres::DatabaseBackend backend(through(proxy, database));
      const std::vector<NewEntry> entries{says(1), says(2)};
      const Id session{0x100u + static_cast<std::uint64_t>(cuts)};
      const std::string key = "main:cli:" + to_string(session);
      proxy.cut_at(message, cut);
      const auto made = backend.create(header_of(session, key), entries);
      const bool was_cut = proxy.has_cut();
      proxy.disarm();
      REQUIRE(ok(made));
      CHECK(made->made);
      CHECK(made->record.header.session == session);
      CHECK(ids_of(direct, session).size() == 2);
      if (!was_cut) break;
      ++cuts;
    }
  CHECK(cuts > 20);
  CHECK(value_of(direct.list()).size() == static_cast<std::size_t>(cuts) + 1);
}
