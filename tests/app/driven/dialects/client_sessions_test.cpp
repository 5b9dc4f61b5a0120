#include "app/driven/dialects/client_sessions.h"

#include <doctest/doctest.h>

#include "core/text/text.h"

namespace skein::app::driven::dialects {

TEST_CASE("a session's UUID leads back to its id") {
  for (int i = 0; i < 1000; ++i) {
    const Id id = random_id();
    const std::string uuid = uuid_of_session(id);
    CAPTURE(uuid);
    CHECK(is_uuid(uuid));
    CHECK(uuid[14] == '8');
    CHECK(uuid[19] == '8');
    CHECK(session_of_uuid(uuid) == id);
  }
  CHECK(uuid_of_session(*parse_id("0123456789abcdef")) == "01234567-89ab-8cde-8f00-000000000000");
}

TEST_CASE("a UUID of another kind is no session's") {
  CHECK_FALSE(session_of_uuid("01234567-89ab-4cde-8f00-000000000000"));
  CHECK_FALSE(session_of_uuid("01234567-89ab-8cde-8f00-000000000001"));
  CHECK_FALSE(session_of_uuid("01234567-89ab-8cde-8f00-00000000000"));
  CHECK_FALSE(session_of_uuid(random_uuid()));
}

TEST_CASE("an entry's UUID is the same each time, and differs from those of others") {
  const Id a = random_id(), b = random_id();
  CHECK(uuid_of_entry(a) == uuid_of_entry(a));
  CHECK(uuid_of_entry(a) != uuid_of_entry(b));
  CHECK(is_uuid(uuid_of_entry(a)));
}

TEST_CASE("the client's UUID is in the key of the session") {
  const std::string uuid = random_uuid();
  CHECK(wire_uuid(key_of_uuid(uuid), random_id()) == uuid);
  const Id id = random_id();
  CHECK(wire_uuid("main:cli:user", id) == uuid_of_session(id));
  CHECK(wire_uuid("main:sdk:20260101", id) == uuid_of_session(id));
}

}  // namespace skein::app::driven::dialects
