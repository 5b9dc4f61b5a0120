// Gives the entries of a session of Codex, each read from its records when its turn comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/exchange/importers/codex_index.h"
#include "core/exchange/importers/codex_units.h"
#include "core/exchange/importers/format.h"
#include "core/exchange/importers/receiver.h"
#include "core/exchange/importers/record_reader.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

class CodexEntries {
 public:
  // All of them must outlive this. `provider`: whose models answered.
  CodexEntries(const std::vector<CodexFile>& files, const CodexIndex& index,
               const CodexUnits& units, const ReadOptions& options, Receiver& receiver,
               std::string provider);

  void give();

 private:
  void give_unit(std::uint32_t unit);
  void give_prompt(const CodexUnit& unit);
  void give_context(const CodexUnit& unit);
  void give_answer(const CodexUnit& unit);
  void give_results(const CodexUnit& unit);
  void give_failure(const CodexUnit& unit);
  void give_compaction(const CodexUnit& unit);
  void roll_back(const CodexUnit& unit);

  ForeignEntry entry_of(const CodexUnit& unit) const;
  void add(ForeignEntry entry);
  void alias_rest(const CodexUnit& unit, const std::string& id);
  void add_raw(ForeignEntry& entry, const CodexRecord& record);
  std::string call_id(const CodexRecord& record);
  Json body(const CodexRecord& record);
  std::string_view read(const CodexRecord& record, std::uint32_t from, std::size_t size);

  const CodexIndex& index_;
  const CodexUnits& units_;
  const ReadOptions& options_;
  Receiver& receiver_;
  const std::string provider_;
  std::vector<RecordReader> readers_{};
  std::vector<bool> given_{};
  std::string current_{};                    // the entry that the next one follows
  std::vector<std::string> before_{};        // each prompt of the path, the entry it follows
  std::unordered_set<std::string> calls_{};  // that were made
  std::unordered_map<std::string, std::string> renamed_{};  // calls whose id another one had
  std::string open_call_{};                                 // the one made last
};

}  // namespace skein::exchange::importers
