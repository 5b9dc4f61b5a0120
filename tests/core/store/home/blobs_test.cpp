#include "core/store/home/blobs.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/store/home/file_backend.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::store::home;
using namespace skein::test;

namespace {

void make_old(const std::filesystem::path& file) {
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
}

store::NewEntry refers_to(const std::string& blob) {
  model::Message message{.role = model::Role::tool};
  message.content.emplace_back(model::ToolResult{"call", {model::Text{"cut"}}, false, blob});
  return {model::message_entry(message)};
}

}  // namespace

TEST_CASE("the same bytes are kept once, under the name of their content, for the user alone") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());

  const std::string name = value_of(store.blobs().keep_blob("abc"));
  CHECK(name == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(value_of(store.blobs().keep_blob("abc")) == name);

  const auto file = dir / "home" / "blobs" / name;
  CHECK(read_file(file) == "abc");
  struct stat s {};
  REQUIRE(::stat(file.c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0600);
  CHECK(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}) == 1);
  CHECK(value_of(store.blobs().load_blob(name)) == "abc");
}

TEST_CASE("a blob that was changed is not shown, and keeping its bytes again mends it") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const std::string name = value_of(store.blobs().keep_blob("abc"));
  write_file(dir / "home" / "blobs" / name, "abd");

  const store::Result<std::string> loaded = store.blobs().load_blob(name);
  REQUIRE(!loaded);
  CHECK(loaded.error().kind == store::Failure::Kind::damaged);

  CHECK(value_of(store.blobs().keep_blob("abc")) == name);
  CHECK(value_of(store.blobs().load_blob(name)) == "abc");
}

TEST_CASE("a name that is not a blob's reaches no file") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  for (const char* name : {"", "../sessions.json", "ABC", "transcripts"}) {
    const store::Result<std::string> loaded = store.blobs().load_blob(name);
    REQUIRE(!loaded);
    CHECK(loaded.error().kind == store::Failure::Kind::refused);
  }
}

TEST_CASE("more than 64 MiB are refused") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const store::Result<std::string> kept =
      store.blobs().keep_blob(std::string(max_blob_bytes + 1, 'x'));
  REQUIRE(!kept);
  CHECK(kept.error().kind == store::Failure::Kind::refused);
}

TEST_CASE("pruning removes old blobs that nothing refers to, and only those") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const auto blobs = dir / "home" / "blobs";
  const auto kept = [&](const std::string& bytes) {
    const std::string name = value_of(store.blobs().keep_blob(bytes));
    make_old(blobs / name);
    return name;
  };
  const std::string used = kept("used"), packed = kept("packed"), trashed = kept("trashed");
  const std::string torn = kept("torn"), unused = kept("unused");
  const std::string young = value_of(store.blobs().keep_blob("young"));

  append(store, session_called(store, "main:cli:a"), {refers_to(used)});
  const Id archived = session_called(store, "main:cli:b");
  append(store, archived, {refers_to(packed)});
  REQUIRE(store.life_cycle().archive(archived));
  const Id erased = session_called(store, "main:cli:c");
  append(store, erased, {refers_to(trashed)});
  REQUIRE(store.life_cycle().erase(erased));
  write_file(dir / "home" / "quarantine" / "0000000000000001.12.frag", "\"blob\":\"" + torn + "\"");

  CHECK(value_of(prune_blobs(*home_at((dir / "home").string()), true)).names ==
        std::vector{unused});
  CHECK(std::filesystem::exists(blobs / unused));
  CHECK(value_of(prune_blobs(*home_at((dir / "home").string()), false)).names ==
        std::vector{unused});
  for (const std::string& name : {used, packed, trashed, torn, young})
    CHECK(std::filesystem::exists(blobs / name));
  CHECK(!std::filesystem::exists(blobs / unused));
}

TEST_CASE("many blobs at once are those that one after the other would be") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  std::vector<std::string> all{"twice", "twice", value_of(store.blobs().keep_blob("there"))};
  all.back() = "there";
  for (int i = 0; i < 20; ++i) all.push_back("blob " + std::to_string(i));
  const std::vector<std::string> names = value_of(store.blobs().keep_blobs(all));
  REQUIRE(names.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK(value_of(store.blobs().load_blob(names[i])) == all[i]);
  CHECK(std::distance(std::filesystem::directory_iterator(dir / "home" / "blobs"), {}) == 22);
}

TEST_CASE("pruning spares what checkpoints and their lists refer to, and thins older ones out") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const Id session = session_called(store, "main:cli:a");
  const auto kept = [&](const std::string& bytes) {
    const std::string name = value_of(store.blobs().keep_blob(bytes));
    make_old(dir / "home" / "blobs" / name);
    return name;
  };
  const auto checkpoint = [&](const std::string& day, const std::string& blob, bool listed) {
    model::payload::Checkpoint state{.phase = "before", .root = "/w", .coverage = "tools"};
    state.files = {{"a", 0644, blob, 1}};
    if (listed) state.list = kept(model::files_json(std::exchange(state.files, {})));
    store::NewEntry entry{model::make_entry(state)};
    entry.entry.timestamp = day + "T10:00:00.000Z";
    append(store, session, {entry});
    return state.list;
  };
  const std::string first = kept("first"), second = kept("second"), third = kept("third");
  checkpoint("2026-11-01", first, false);
  const std::string list_of_second = checkpoint("2026-11-01", second, true);
  const std::string list_of_third = checkpoint("2026-11-02", third, true);

  const auto home = home_at((dir / "home").string());
  CHECK(value_of(prune_blobs(*home, true)).names.empty());
  std::vector<std::string> thinned = value_of(prune_blobs(*home, true, 1)).names;
  std::vector<std::string> expected{second, list_of_second};
  std::ranges::sort(expected);
  CHECK(thinned == expected);
}

TEST_CASE("contents beside sessions that are elsewhere are pruned by what those refer to") {
  const TempDir dir;
  store::SessionStore local = store_at((dir / "local").string());
  store::SessionStore elsewhere = store_at((dir / "elsewhere").string());
  const Id session = session_called(elsewhere, "main:cli:a");
  const auto kept = [&](const std::string& bytes) {
    const std::string name = value_of(local.blobs().keep_blob(bytes));
    make_old(dir / "local" / "blobs" / name);
    return name;
  };
  model::payload::Checkpoint state{.phase = "before", .root = "/w", .coverage = "tools"};
  state.files = {{"a", 0644, kept("listed"), 1}};
  state.list = kept(model::files_json(std::exchange(state.files, {})));
  append(elsewhere, session, {{model::make_entry(state)}});
  const std::string unused = kept("unused");

  const auto home = home_at((dir / "local").string());
  const auto prune = [&] {
    return prune_contents(
        *home, *std::make_unique<FileBackend>(home_at((dir / "elsewhere").string())), false);
  };
  CHECK(value_of(prune()).names == std::vector{unused});
  value_of(elsewhere.life_cycle().erase(session));
  CHECK_FALSE(prune());
  value_of(elsewhere.life_cycle().empty_trash());
  CHECK(value_of(prune()).names.size() == 2);
}

TEST_CASE("an old blob that is kept again is spared, whatever refers to it so far") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const std::string name = value_of(store.blobs().keep_blob("again"));
  make_old(dir / "home" / "blobs" / name);

  value_of(store.blobs().keep_blob("again"));

  CHECK(value_of(prune_blobs(*home_at((dir / "home").string()), false)).names.empty());
}

TEST_CASE("a file that cannot be read keeps every blob") {
  const TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  const std::string name = value_of(store.blobs().keep_blob("unused"));
  make_old(dir / "home" / "blobs" / name);
  write_file(dir / "home" / "transcripts" / "00000000000000aa.jsonl.gz", "not gzip");

  CHECK(!prune_blobs(*home_at((dir / "home").string()), false));
  CHECK(std::filesystem::exists(dir / "home" / "blobs" / name));
}
