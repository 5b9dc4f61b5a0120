// What Gemini CLI's log of mutations comes to: every message in the form that tells most, in a tree
// whose branches are what rewinds and checkpoints dropped. For .cpp files only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text/json.h"

namespace skein::exchange::importers {

class GeminiHistory {
 public:
  enum class Kind {
    answer,
    prompt,
    context,  // what the program tells the model by itself
    notice,   // what it tells the user
    results,  // of calls, and nothing else: they belong to the calls
    nothing,
  };
  static Kind kind_of(const Json& message);

  struct Message {
    std::string id{};
    Kind kind = Kind::nothing;
    JsonText record{};
    // Counts the contents it had: an answer is written before its calls are known, and is not the
    // same entry with them.
    std::size_t form = 1;
    std::string content{};  // of the last form, as a hash
    bool current = false;
    std::size_t places = 0;
  };
  // A message in its place. One that a checkpoint put behind another one has several.
  struct Node {
    std::string id{};
    std::size_t message = 0;
    std::optional<std::size_t> parent{};
    bool has_child = false;
  };

  void add(const Json& message, std::string_view text);
  void rewind_to(std::string_view id);
  void replace_all(const Json& messages);

  const std::vector<Message>& messages() const { return messages_; }
  const std::vector<Node>& nodes() const { return nodes_; }  // parents first
  std::optional<std::size_t> leaf() const;                   // the node
  // The message that holds a call's result although the call's does not.
  const Message* response_to(std::string_view call) const;

 private:
  using Place = std::optional<std::size_t>;  // a node; none: before the first
  struct Said {
    std::size_t message = 0;
    Place after{};  // the last node that may have children, this one included
  };

  std::size_t learn(const Json& message, std::string_view text, bool checkpoint, Place parent);
  std::optional<std::size_t> known(const Json& message, const std::string& id,
                                   const std::string& content, bool checkpoint, Place parent) const;
  void remember_calls(const Json& message, std::size_t index);
  void append(std::size_t message);
  std::size_t node_for(std::size_t message, Place parent);
  Place last_place() const { return said_.empty() ? Place{} : said_.back().after; }

  std::vector<Message> messages_{};
  std::vector<Node> nodes_{};
  std::vector<Said> said_{};
  std::unordered_map<std::string, std::size_t> by_id_{};
  std::unordered_map<std::string, std::size_t> by_call_{};                 // who made it
  std::unordered_map<std::string, std::size_t> by_response_{};             // who answers it
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> by_place_{};  // message, parent + 1
  std::unordered_map<std::string, std::size_t> by_content_{};              // below the same parent
};

// The ids of the calls an answer makes, and of those a message answers.
std::vector<std::string> gemini_calls(const Json& message);

}  // namespace skein::exchange::importers
