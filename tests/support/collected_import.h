// What a reader of another program's sessions gives, kept for tests to look at.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/importers/format.h"

namespace skein::test {

struct CollectedSession {
  exchange::importers::ForeignSession session{};
  std::vector<exchange::importers::ForeignEntry> entries{};
  std::map<std::string, std::string> aliases{};
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

struct CollectedImport : exchange::importers::Receiver {
  std::vector<CollectedSession> sessions{};
  std::map<std::string, int> losses{};
  std::vector<std::string> blobs{};
  // The promises of Receiver that were broken: a parent after its child, an id given twice.
  std::vector<std::string> faults{};

  bool begin(const exchange::importers::ForeignSession& session) override;
  void add(exchange::importers::ForeignEntry entry) override;
  void alias(std::string_view id, std::string_view added) override;
  std::string keep(std::string_view bytes) override;
  void lose(std::string_view what) override;
  void end(std::string_view leaf) override;

 private:
  bool open_ = false;
};

// By their ids there.
std::set<std::string> ids_of(const CollectedImport& import);
const exchange::importers::ForeignEntry& entry_in(const CollectedSession& session,
                                                  const std::string& id);
const model::Message& message_in(const CollectedSession& session, const std::string& id);

// The folder of other programs' sessions in SKEIN_SAMPLES; empty: there is none.
std::string foreign_samples();

// Reads a file, or bytes as if they were one, with the first format that recognizes it, or the
// one named.
CollectedImport collect_file(const std::string& path, std::string_view format = {});
CollectedImport collect_bytes(const std::string& path, const std::string& bytes,
                              std::string_view format);

}  // namespace skein::test
