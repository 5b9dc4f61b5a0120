// Conversations as requests hold them: arrays of a provider's messages, in a file of their own, in
// an object with other things, or one message a line. Nothing in them has an id, so an entry's is
// the hash of what it says, and a session's that of where it lies and how it begins. For .cpp files
// only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/exchange/importers/entry_chain.h"
#include "core/exchange/importers/format.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// What one message of an array comes to, in order: the results in it are messages of their own.
struct ArrayMessage {
  std::vector<std::variant<model::Message, ForeignContext>> said{};
  bool unplaced = false;  // something of it has no place there
};
using ReadMessage = std::function<ArrayMessage(const Json& message)>;

struct ArrayDialect {
  std::vector<const char*> lists{};  // the members of an object that may hold the messages
  bool (*is_message)(const Json& json);
  // `facts` is the object the messages are part of, or null; both must outlive what is returned.
  ReadMessage (*reader)(const Json& facts, Receiver& receiver);
  std::string (*instructions)(const Json& facts);
};

bool holds_array(const SourceFile& file, const ArrayDialect& dialect);
void read_array(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                const ArrayDialect& dialect);

// Gives messages one after the other, in a session that was begun.
class ArrayWriter {
 public:
  ArrayWriter(Receiver& receiver, ReadMessage read) : chain_(receiver), read_(std::move(read)) {}
  void instructions(const std::string& text);  // what comes before the first
  void write(const Json& message);
  const std::string& leaf() const { return chain_.last(); }

 private:
  EntryChain chain_;
  ReadMessage read_;
};

}  // namespace skein::exchange::importers
