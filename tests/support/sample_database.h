// Databases and compressed bytes as other programs leave them, made with the libraries themselves.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

struct sqlite3;

namespace skein::test {

// A database that stays open, as a running program has it; in its log until it is closed.
class SampleDatabase {
 public:
  explicit SampleDatabase(const std::filesystem::path& file);
  ~SampleDatabase();
  SampleDatabase(const SampleDatabase&) = delete;
  SampleDatabase& operator=(const SampleDatabase&) = delete;

  void run(const std::string& sql);  // one statement or several; fails the test if one is wrong

 private:
  sqlite3* database_ = nullptr;
};

// A text as an SQL literal, a blob as one.
std::string sql_text(std::string_view text);
std::string sql_blob(std::string_view bytes);

std::string zstd_packed(std::string_view bytes);

}  // namespace skein::test
