// What repairs set aside is told, and comes back where somebody asks for it.
#include <doctest/doctest.h>

#include "core/store/home/maintenance/repair.h"
#include "core/store/session_store.h"
#include "tests/support/store_samples.h"

using namespace skein;
using namespace skein::store::home;
using namespace skein::test;

namespace {

// A session of 1, 2 and 5, and a piece of it set aside: 3 follows 2, 4 follows 3.
struct Torn {
  CrashDisk disk{};
  Torn() {
    const Sample whole = make_sample("whole", {{says(1)}, {says(2)}, {says(3), says(4)}});
    put_transcript(disk, whole.bytes.substr(0, whole.borders[2]));
    disk.put("quarantine/" + to_string(sample_session) + "." + std::to_string(whole.borders[2]) +
                 ".frag",
             whole.bytes.substr(whole.borders[2]) + R"({"id":"cut sho)");
    FileBackend backend(disk.process());
    const store::NewEntry entry = says(5);
    (void)backend.append(sample_session, std::span(&entry, 1), {});
  }
};

}  // namespace

TEST_CASE("what was set aside is told, with what the session lacks of it") {
  Torn home;
  FileBackend backend(home.disk.process());
  const auto found = *maintenance::set_aside(backend.home(), sample_session);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].lacking.size() == 2);
  CHECK(found[0].lacking[0].id == entry_id(3));
  CHECK(found[0].lacking[1].id == entry_id(4));
}

TEST_CASE("what was set aside comes back behind its parents, once, and moves nobody's head") {
  Torn home;
  const auto opened = std::make_shared<Home>(home.disk.process());
  store::SessionStore store(std::make_unique<FileBackend>(opened));
  CHECK(*maintenance::bring_back(*opened, sample_session) == 2);

  const store::SessionRecord record = store.open(sample_session);
  CHECK(record.state.head == entry_id(5));
  const store::Path path = *store.path(sample_session, entry_id(4));
  REQUIRE(path.entries.size() == 4);
  CHECK(path.entries[2].entry.id == entry_id(3));
  CHECK(path.entries[2].entry.payload == message_of(3, "hello").payload);
  CHECK(path.notices.empty());
  CHECK_FALSE(store.transcripts().examine(sample_session)->any());

  CHECK(*maintenance::bring_back(*opened, sample_session) == 0);
  CHECK(home.disk.paths("quarantine").size() == 1);  // nothing is ever dropped
}
