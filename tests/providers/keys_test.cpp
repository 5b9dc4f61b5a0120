#include "providers/keys.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>

#include "core/text/base.h"
#include "tests/support/environment.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::providers;
using namespace skein::test;

TEST_CASE("a key comes from the first variable that has one, and leaves the environment") {
  const Environment first("SKEIN_TEST_KEY_A", "");
  const Environment second("SKEIN_TEST_KEY_B", " sk-second-12345 \n");
  const Environment third("SKEIN_TEST_KEY_C", "sk-third-12345");
  Keyring keys;

  const std::vector<std::string> names{"SKEIN_TEST_KEY_A", "SKEIN_TEST_KEY_B", "SKEIN_TEST_KEY_C"};
  keys.take_environment(names);

  CHECK(keys.find({names}) == "sk-second-12345");
  CHECK(keys.secrets() == std::vector<std::string>{"sk-second-12345", "sk-third-12345"});
  CHECK(std::getenv("SKEIN_TEST_KEY_B") == nullptr);
  CHECK(std::system("env | grep -q sk-second-12345") != 0);
}

TEST_CASE("a key that has left the environment is there for the next keyring of the process") {
  const std::vector<std::string> names{"SKEIN_TEST_KEY_D"};
  Keyring first, second, third;
  {
    const Environment variable("SKEIN_TEST_KEY_D", "sk-fourth-12345");
    first.take_environment(names);
  }
  second.take_environment(names);
  CHECK(first.find({names}) == "sk-fourth-12345");
  CHECK(second.find({names}) == "sk-fourth-12345");
  const Environment none("SKEIN_TEST_KEY_D", "");
  third.take_environment(names);
  CHECK(third.find({names}) == std::nullopt);
}

TEST_CASE("without a variable the key is the first line of the key command, run once") {
  const TempDir dir;
  const std::string command =
      "echo x >> " + (dir / "runs").string() + "; echo ' sk-from-command '; echo more";
  Keyring keys;

  CHECK(keys.find({{"SKEIN_TEST_NONE"}, command}) == "sk-from-command");
  CHECK(keys.find({{"SKEIN_TEST_NONE"}, command}) == "sk-from-command");

  CHECK(read_file(dir / "runs") == "x\n");
  CHECK(keys.secrets() == std::vector<std::string>{"sk-from-command"});
  CHECK(keys.find({{"SKEIN_TEST_NONE"}}) == std::nullopt);
}

TEST_CASE("a stored key is read when no variable and no command has one, by its user alone") {
  const TempDir dir;
  const KeyStore store((dir / "keys").string());
  CHECK(!store.has("acme"));
  CHECK(store.read("acme") == std::nullopt);
  store.store("acme", "sk-stored-12345");
  const std::string file = (dir / "keys/acme").string();
  struct stat info {};
  REQUIRE(stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);

  Keyring keys;
  keys.use(store);
  CHECK(keys.source({.provider = "acme"}) == "stored key");
  CHECK(keys.source({.command = "echo x", .provider = "acme"}) == "key command");
  CHECK(keys.secrets().empty());
  CHECK(keys.find({.provider = "acme"}) == "sk-stored-12345");
  CHECK(keys.secrets() == std::vector<std::string>{"sk-stored-12345"});
  CHECK(keys.find({.provider = "other"}) == std::nullopt);

  REQUIRE(chmod(file.c_str(), 0640) == 0);
  CHECK_THROWS_WITH_AS(
      store.read("acme"),
      ("the stored key of acme is not used: other users can read it; run chmod 600 " + file)
          .c_str(),
      Error);
  CHECK(store.remove("acme"));
  CHECK(!store.remove("acme"));
  CHECK_THROWS_AS(store.store("../acme", "sk"), Error);
  CHECK_THROWS_AS(KeyStore().store("acme", "sk"), Error);
}

TEST_CASE("a key command that fails says so and does not repeat the command") {
  Keyring keys;
  CHECK_THROWS_WITH_AS(keys.find({{}, "echo sk-secret-0000; exit 3"}),
                       "the key command failed (exit 3)", Error);
  CHECK_THROWS_WITH_AS(keys.find({{}, "echo; echo sk-secret-0000"}),
                       "the key command printed nothing on its first line", Error);
}

TEST_CASE("a key command does not inherit the signals skein ignores") {
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    CAPTURE(signal);
    const auto before = std::signal(signal, SIG_IGN);
    Keyring keys;
    CHECK_THROWS_WITH_AS(
        keys.find({{}, "kill -" + std::to_string(signal) + " $$; echo sk-still-alive"}),
        "the key command failed", Error);
    std::signal(signal, before);
  }
}

TEST_CASE("secrets are masked wherever they stand, short ones are left alone") {
  const std::vector<std::string> secrets{"abcdefgh", "abcdefgh-longer", "short"};
  CHECK(mask_secrets("x abcdefgh y abcdefgh-longer z short abcdefg", secrets) ==
        "x [key hidden] y [key hidden] z short abcdefg");
  CHECK(mask_secrets("abcdefghabcdefgh", secrets) == "[key hidden][key hidden]");
  CHECK(mask_secrets("", secrets).empty());
}

TEST_CASE("a secret cut anywhere by the pieces of a stream is still masked") {
  const std::vector<std::string> secrets{"sk-ant-0123456789", "sk-0123456789abcdef"};
  const std::string text = "a sk-ant-0123456789 b sk- c sk-0123456789abcdef sk-ant-012345678";
  const std::string expected = mask_secrets(text, secrets);
  for (std::size_t i = 0; i <= text.size(); ++i)
    for (std::size_t j = i; j <= text.size(); ++j) {
      StreamMask mask(secrets);
      std::string out = mask.feed(text.substr(0, i));
      out += mask.feed(text.substr(i, j - i));
      out += mask.feed(text.substr(j));
      out += mask.rest();
      REQUIRE(out == expected);
    }
}
