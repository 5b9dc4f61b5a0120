// What a reader of another program's sessions gives, kept for tests to look at.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats.h"

namespace skein::test {

struct CollectedSession {
  importers::ForeignSession session{};
  std::vector<importers::ForeignEntry> entries{};
  std::string leaf{};

  // What a user would count on the whole tree.
  int prompts() const;   // messages of the user's own
  int answers() const;   // of the model
  int calls() const;     // tool_use blocks
  int results() const;   // tool_result blocks
  int failures() const;  // of them with is_error
  int contexts() const;  // ForeignContext
  model::Usage usage() const;
  // "user: text", "assistant: text [call name]", "tool: …", one a line, from the root to the leaf.
  std::string path() const;
};

struct CollectedImport : importers::Receiver {
  std::vector<CollectedSession> sessions{};
  std::map<std::string, int> losses{};
  std::vector<std::string> blobs{};
  // The promises of Receiver that were broken: a parent after its child, an id given twice.
  std::vector<std::string> faults{};

  bool begin(const importers::ForeignSession& session) override;
  void add(importers::ForeignEntry entry) override;
  std::string keep(std::string_view bytes) override;
  void lose(std::string_view what) override;
  void end(std::string_view leaf) override;

 private:
  bool open_ = false;
};

// By their ids there.
std::set<std::string> ids_of(const CollectedImport& import);
const importers::ForeignEntry& entry_in(const CollectedSession& session, const std::string& id);
const model::Message& message_in(const CollectedSession& session, const std::string& id);

// Reads a file, or bytes as if they were one, with the first format that recognizes it, or the
// one named.
CollectedImport collect_file(const std::string& path, std::string_view format = {});
CollectedImport collect_bytes(const std::string& path, const std::string& bytes,
                              std::string_view format);

}  // namespace skein::test
