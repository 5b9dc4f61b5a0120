#include "core/text/checksum.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("SHA-256 gives the digests the standard gives") {
  struct Known {
    std::string text, digest;
  };
  const Known all[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const Known& known : all) CHECK(sha256_hex(known.text) == known.digest);
}

TEST_CASE("every length around a block's border has a digest of its own") {
  // The digest of the digests of 0 to 129 bytes 'x', as the system's sha256sum gives them.
  std::string all;
  for (std::size_t length = 0; length < 130; ++length) all += sha256_hex(std::string(length, 'x'));
  CHECK(sha256_hex(all) == "199af942eba7fa5d1e16d475169eb24018b14e69339c93d26a9ea6d873b4ace6");
}
