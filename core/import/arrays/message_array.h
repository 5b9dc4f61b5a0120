// Conversations as requests hold them: arrays of a provider's messages, as a whole file, in
// an object with other things, or one message a line. Nothing in them has an id, so an entry's is
// the hash of what it says, and a session's the hash of its path and its first message. For .cpp
// files only.
#pragma once

#include "core/import/source/foreign_json.h"

namespace skein::importers {

// What one message of an array comes to, in order: each result becomes a message.
struct ArrayMessage {
  std::vector<ForeignContent> said{};
  bool unplaced = false;  // something of it has no place there
};
// Reads the messages of one conversation, one after the other.
using ReadMessage = std::function<ArrayMessage(const Json& message)>;

struct ArrayDialect {
  std::array<const char*, 3> lists{};  // the members of an object that may hold the messages
  bool (*is_message)(const Json& json);
  // `facts` is the object the messages are part of, or null. `receiver` must outlive the result.
  ReadMessage (*reader)(const Json& facts, Receiver& receiver);
  std::string (*instructions)(const Json& facts);
};

bool holds_array(const SourceFile& file, const ArrayDialect& dialect);
void read_array(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                const ArrayDialect& dialect);

// Gives messages one after the other, in a session that was begun.
class ArrayWriter {
 public:
  // `receiver` must outlive this.
  ArrayWriter(Receiver& receiver, ReadMessage read) : chain_(receiver), read_(std::move(read)) {}
  void instructions(const std::string& text);  // what comes before the first
  void write(const Json& message);
  const std::string& leaf() const { return chain_.last(); }

 private:
  EntryChain chain_;
  ReadMessage read_;
};

}  // namespace skein::importers
