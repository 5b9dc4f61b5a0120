#include "core/store/session_store.h"

#include <doctest/doctest.h>

#include "core/model/message.h"
#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"

using namespace skein;
using namespace skein::store;
using namespace skein::test;

TEST_CASE("what repeats a masked entry is named, unless it is masked itself or on another branch") {
  SessionStore store{std::make_unique<home::FileBackend>(files::memory_files())};
  const Id session = test::session_called(store, "main:cli:user");
  const auto answers = [](const std::string& text) {
    return NewEntry{
        model::message_entry({.role = model::Role::assistant, .content = {model::Text{text}}})};
  };
  const NewEntry asked = user_says("my secret is walrus77, keep it to yourself");
  const NewEntry quoted = answers("> my secret is walrus77, keep it to yourself\n\nI will.");
  const NewEntry other = answers("Something else altogether, about nothing in particular.");
  const NewEntry again = user_says("as I said: my secret is walrus77, keep it to yourself");
  test::append(store, session, {asked, quoted, other, again});
  value_of(store.mark(session, payload::Redaction{asked.entry.id, ""}));
  const auto repeats = [&] { return value_of(entries_repeating(store, session, asked.entry)); };
  CHECK(repeats() == std::vector{quoted.entry.id, again.entry.id});
  value_of(store.mark(session, payload::Redaction{quoted.entry.id, ""}));
  CHECK(repeats() == std::vector{again.entry.id});
  value_of(store.mark(session, payload::Head{other.entry.id}));
  CHECK(repeats().empty());
}
