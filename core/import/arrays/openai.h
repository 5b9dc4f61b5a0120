// Messages as OpenAI's services take them, and those who speak like them, as ours. For .cpp files
// only.
#pragma once

#include "core/import/arrays/message_array.h"

namespace skein::importers {

class OpenaiMessages {
 public:
  // Who answers if a message does not say.
  OpenaiMessages(std::string model, Receiver& receiver)
      : receiver_(receiver), model_(std::move(model)) {}

  // One of a chat (with a role), or an item of the newer interface (with a type).
  ArrayMessage operator()(const Json& message);

  // Pieces of it, for those who put them together otherwise.
  model::Message answer(const Json& json);
  model::Message result(const Json& json, const Json& content, std::string call);
  std::vector<model::Block> content(const Json& json);  // a string, or parts
  // Whether something of what was read last has no place among blocks.
  bool unplaced() const { return unplaced_; }

 private:
  std::optional<ForeignContent> read(const Json& message);
  std::optional<ForeignContent> item(const Json& json, const std::string& type);
  void add_calls(const Json& json, std::vector<model::Block>& out);
  model::Message answer_with(std::vector<model::Block> said, const Json& json);

  Receiver& receiver_;
  std::string model_;
  std::size_t calls_ = 0;  // so far: ids that are made up depend on it
  bool unplaced_ = false;
};

// Whose model it is, by its name; empty: unknown.
std::string provider_of_model(std::string_view model);

}  // namespace skein::importers
