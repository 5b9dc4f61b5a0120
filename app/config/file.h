// One configuration file, read and checked against the table of keys. What is wrong in it becomes
// sentences with file and line, all of them, not an exception at the first.
#pragma once

#include "app/config/keys.h"

namespace skein::config {

// Whose file it is decides what in it counts.
enum class Writer { user, trusted_workspace, workspace };

class File {
 public:
  File(std::string path, const std::string& text, Writer writer);

  // `see` is shown every item that counted, and the file.
  using See = std::function<void(const Item&, const std::string& file)>;
  void apply(Target to, const See& see = {});

  // "FILE:LINE: what is wrong and what was expected", in the order of the lines
  std::vector<std::string> troubles() const;
  // Keys of earlier versions: "FILE:LINE: NAME was removed: what to do instead"
  const std::vector<std::string>& notices() const { return notices_; }
  // Keys that do not count here, or would loosen what they may only tighten.
  const std::vector<std::string>& passed_over() const { return passed_over_; }
  // Keys and tables that count only in a file the user trusts.
  const std::vector<std::string>& wants() const { return wants_; }

 private:
  struct Table {
    std::string_view kind;  // "providers", "models"
    std::string name;
    std::size_t line;
    bool like = false;  // says which provider it is like
  };
  friend class Reader;

  std::string located(std::size_t line, const std::string& sentence) const;
  void trouble(std::size_t line, const std::string& sentence);
  void check_names(const catalog::Catalog& catalog);
  void check_chords(const Config& config);

  std::string path_;
  std::vector<Item> items_{};  // in the table's order
  std::vector<Table> tables_{};
  std::multimap<std::size_t, std::string> troubles_{};  // by line
  std::vector<std::string> passed_over_{};
  std::vector<std::string> wants_{};
  std::vector<std::string> notices_{};
};

}  // namespace skein::config
