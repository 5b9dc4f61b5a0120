
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "core/checkpoints/file_look.h"
#include "core/text/checksum.h"
#include "tests/support/homes.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::checkpoints;
using namespace skein::test;
using Contents = FileLook::Contents;

namespace {

std::string made_folder(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  return folder.string();
}

// A folder with a file that changed long ago, and those who look at it one after the other.
struct Scene {
  Scene() {
    write_file(dir / "work" / "a.txt", "one");
    // What changed in the tick of the clock it was looked at in is never believed.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::string memory() const { return (dir / "looks").string(); }
  std::string hash_of(const std::string& path, Contents contents) {
    FileLook look(root, kept, stop, memory());
    const SeenFile seen = value_of(look.look(path, contents));
    value_of(look.flush());
    return seen.file.hash.value_or("none");
  }
  // What those who come later believe, whatever is in the file by then.
  void believe(const std::string& path, const std::string& hash) {
    LookedAtFiles looks = load_looks(memory());
    looks.at(path).hash = hash;
    save_looks(memory(), looks);
  }

  TempDir dir;
  store::SessionStore store = store_at((dir / "home").string());
  ContentStore kept = content_store(store.blobs());
  Root root{made_folder(dir / "work"), {}};
  StopRequest stop{};
};

}  // namespace

TEST_CASE("what was looked at is not read again by the next process, until it changes") {
  Scene scene;
  CHECK(scene.hash_of("a.txt", Contents::hashed) == sha256_hex("one"));
  const std::string marked(64, 'e');  // shows whose word it is
  scene.believe("a.txt", marked);
  CHECK(scene.hash_of("a.txt", Contents::hashed) == marked);
  write_file(scene.dir / "work" / "a.txt", "two");
  CHECK(scene.hash_of("a.txt", Contents::hashed) == sha256_hex("two"));
}

TEST_CASE("a file whose content is to be kept is read again unless that is kept") {
  Scene scene;
  CHECK(scene.hash_of("a.txt", Contents::kept) == sha256_hex("one"));
  scene.believe("a.txt", std::string(64, 'e'));
  CHECK(scene.hash_of("a.txt", Contents::kept) == sha256_hex("one"));
  const std::string other = value_of(scene.kept->keep_blob("two"));  // of the same size
  scene.believe("a.txt", other);
  CHECK(scene.hash_of("a.txt", Contents::kept) == other);
}

TEST_CASE("a memory that was changed is not believed") {
  Scene scene;
  scene.hash_of("a.txt", Contents::hashed);
  std::string text = read_file(scene.memory());
  CHECK(load_looks(scene.memory()).size() == 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(scene.memory(), changed);
    CHECK(load_looks(scene.memory()).empty());
    write_file(scene.memory(), text.substr(0, i));
    CHECK(load_looks(scene.memory()).empty());
  }
}
