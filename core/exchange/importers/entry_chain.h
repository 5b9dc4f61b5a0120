// Keeps a reader's promises to a receiver: no id twice in a session, no parent that was not given
// before, whatever the file says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/exchange/importers/receiver.h"

namespace skein::exchange::importers {

class EntryChain {
 public:
  explicit EntryChain(Receiver& receiver) : receiver_(receiver) {}

  // Adds it below its parent, or below the entry before if the parent is unknown, and returns the
  // id it got. What nobody said or typed (ForeignContext) is nobody's parent: its children become
  // its parent's.
  std::string add(ForeignEntry entry);
  // Adds it below the entry before.
  std::string append(ForeignEntry entry);
  // A line that became no entry: its children are its parent's.
  void pass(const std::string& id, const std::string& parent);

  // The entry that children of a line come below; empty: none, they are roots.
  std::string place_of(const std::string& id) const;
  const std::string& last() const { return last_; }

 private:
  std::string give(ForeignEntry entry);
  std::string unused(const std::string& id);

  Receiver& receiver_;
  std::unordered_map<std::string, std::string> places_{};  // of every line
  std::unordered_set<std::string> given_{};
  std::unordered_map<std::string, std::size_t> repeats_{};
  std::string last_{};
};

}  // namespace skein::exchange::importers
