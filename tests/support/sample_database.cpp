#include "tests/support/sample_database.h"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <zstd.h>

namespace skein::test {

SampleDatabase::SampleDatabase(const std::filesystem::path& file) {
  REQUIRE(sqlite3_open(file.c_str(), &database_) == SQLITE_OK);
}

SampleDatabase::~SampleDatabase() { sqlite3_close(database_); }

void SampleDatabase::run(const std::string& sql) {
  char* error = nullptr;
  const int result = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &error);
  const std::string words = error != nullptr ? error : "";
  sqlite3_free(error);
  REQUIRE_MESSAGE(result == SQLITE_OK, words << " in " << sql);
}

std::string sql_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string sql_blob(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "x'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out + "'";
}

std::string zstd_packed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  REQUIRE(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

}  // namespace skein::test
