// A database that goes away in the middle of a turn, and comes back.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "core/store/postgres/database_backend.h"
#include "core/text/io.h"
#include "tests/support/cutting_proxy.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/stage.h"
#include "tests/support/store_samples.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;
using postgres::DatabaseBackend;

namespace {

using Clock = std::chrono::steady_clock;
using Lines = std::vector<std::string>;

constexpr Id a{0xa};

struct Away {
  PostgresServer& server = PostgresServer::shared();
  std::string database = server.make_database();
  CuttingProxy proxy{server.port()};
  std::vector<std::string> told{};

  std::string address() const {
    return "postgresql://alice@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database +
           "?sslmode=disable&gssencmode=disable";
  }
  std::unique_ptr<DatabaseBackend> backend() {
    return std::make_unique<DatabaseBackend>(
        address(), [this](const std::string& what) { told.push_back(what); });
  }
};

NewEntry after(std::uint64_t number, std::uint64_t parent) {
  return says_after(number, parent == 0 ? std::nullopt : std::optional(parent));
}

Lines messages(StorageBackend& store, Id session) {
  Lines out;
  value_of(store.load(session, 0, [&](const StoredEntry& placed) {
    if (placed.entry.type == model::type::message) out.push_back(line_of(placed.entry));
    return true;
  }));
  return out;
}

}  // namespace

TEST_CASE("a turn goes on when the database is back, and nothing is lost or said twice") {
  if (!has_postgres()) return;
  Away away;
  Stage stage(R"(["the answer"])", SessionStore(away.backend()));
  agent::Conversation conversation = stage.conversation();
  bool is_away = false;
  std::thread later;
  // The prompt is saved, and then the database goes away, until a second after that was noticed.
  stage.listener = [&](const model::Event& event) {
    const auto* committed = std::get_if<model::Committed>(&event);
    if (committed != nullptr && !is_away && line_of(committed->entry) == "user: hello") {
      is_away = true;
      away.proxy.set_down(true);
    }
    const auto* notice = std::get_if<model::Notice>(&event);
    if (notice == nullptr || later.joinable() ||
        notice->text.find("keeps the new messages in memory") == std::string::npos)
      return;
    later = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1000));
      away.proxy.set_down(false);
    });
  };
  const agent::TurnEnd end = stage.turn(conversation, "hello");
  REQUIRE(later.joinable());
  later.join();
  CHECK(end.text == "the answer");
  std::string notices;
  for (const std::string& each : stage.notices()) notices += each + "\n";
  CHECK(notices.find("keeps the new messages in memory") != std::string::npos);
  CHECK(notices.find("connected again; everything is saved") != std::string::npos);
  DatabaseBackend direct(away.server.address(away.database));
  CHECK(messages(direct, conversation.session()) ==
        Lines{"user: hello", "assistant: the answer -> stop"});
}

TEST_CASE("^C gives up waiting for the database") {
  if (!has_postgres()) return;
  Away away;
  Stage stage(R"(["the answer"])", SessionStore(away.backend()));
  agent::Conversation conversation = stage.conversation();
  stage.listener = [&](const model::Event& event) {
    if (std::get_if<model::Committed>(&event) != nullptr) away.proxy.set_down(true);
    const auto* notice = std::get_if<model::Notice>(&event);
    if (notice != nullptr &&
        notice->text.find("keeps the new messages in memory") != std::string::npos)
      stage.stop = true;
  };
  const auto begun = Clock::now();
  CHECK_THROWS_WITH_AS(stage.turn(conversation, "hello"), doctest::Contains("connection"), Error);
  CHECK(Clock::now() - begun < std::chrono::seconds(30));  // not the minute that it waits alone
}

TEST_CASE("a server that takes a connection and says nothing is left as soon as the user wants") {
  if (!has_postgres()) return;
  const Fd silent(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  REQUIRE(bind(silent.get(), reinterpret_cast<sockaddr*>(&place), size) == 0);
  REQUIRE(listen(silent.get(), 4) == 0);
  REQUIRE(getsockname(silent.get(), reinterpret_cast<sockaddr*>(&place), &size) == 0);
  std::atomic<unsigned> interrupts{7};  // there were some before
  std::atomic<bool> asked{false};
  std::thread user([&] {
    while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ++interrupts;
  });
  const auto begun = Clock::now();
  CHECK_THROWS_AS(DatabaseBackend("postgresql://alice@127.0.0.1:" +
                                      std::to_string(ntohs(place.sin_port)) + "/x?sslmode=disable",
                                  {}, [&] { return asked = true, interrupts.load(); }),
                  Error);
  CHECK(Clock::now() - begun < std::chrono::seconds(9));  // not the ten of a server that is slow
  asked = true;
  user.join();
}

TEST_CASE("with an outbox what is said goes on, and is sent when the database is there") {
  if (!has_postgres()) return;
  Away away;
  const TempDir dir;
  const std::string folder = (dir / "outbox").string();
  {
    const auto backend = away.backend();
    backend->use_outbox(folder);
    value_of(backend->create(header_of(a), {}));
    const NewEntry first = after(1, 0);
    value_of(backend->append(a, std::span(&first, 1), {.patient = false}));
    away.proxy.set_down(true);
    for (std::uint64_t number : {2u, 3u}) {
      const NewEntry next = after(number, number - 1);
      const AppendResult parked =
          value_of(backend->append(a, std::span(&next, 1), {.patient = false}));
      CHECK(parked.entries.size() == 1);
    }
    REQUIRE(away.told.size() == 1);
    CHECK(away.told[0].find("queued in " + folder) != std::string::npos);
    away.proxy.set_down(false);
    const NewEntry next = after(4, 3);
    value_of(backend->append(a, std::span(&next, 1), {.patient = false}));
    CHECK(away.told.back() == "2 queued entries were sent");
  }
  DatabaseBackend direct(away.server.address(away.database));
  CHECK(ids_of(direct, a) == std::vector{entry_id(1), entry_id(2), entry_id(3), entry_id(4)});
  CHECK_FALSE(value_of(direct.examine(a)).any());
}

TEST_CASE("what was parked becomes a branch if others went on, also after a crash") {
  if (!has_postgres()) return;
  Away away;
  const TempDir dir;
  const std::string folder = (dir / "outbox").string();
  DatabaseBackend direct(away.server.address(away.database));
  {
    const auto backend = away.backend();
    backend->use_outbox(folder);
    value_of(backend->create(header_of(a), {}));
    const NewEntry first = after(1, 0);
    value_of(backend->append(a, std::span(&first, 1), {.patient = false}));
    away.proxy.set_down(true);
    const NewEntry next = after(2, 1);
    value_of(backend->append(a, std::span(&next, 1), {.patient = false}));
  }
  const NewEntry theirs = after(3, 1);
  value_of(direct.append(a, std::span(&theirs, 1), {}));
  away.proxy.set_down(false);
  away.told.clear();
  away.backend()->use_outbox(folder);
  REQUIRE(away.told.size() == 1);
  CHECK_MESSAGE(away.told[0].find("as a branch") != std::string::npos, away.told[0]);
  const SessionState state = value_of(direct.open(a)).state;
  CHECK(state.leaves.size() == 2);
  CHECK(state.head == entry_id(3));
  away.told.clear();
  away.backend()->use_outbox(folder);
  CHECK(away.told.empty());  // it was sent once
}
