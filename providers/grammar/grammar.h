// The four grammars behind the validator, and the words they share. For providers/grammar/validator
// only.
#pragma once

#include "core/handover/target.h"
#include "core/text/json.h"

namespace skein::grammar {

// Collects what is wrong, each with its place: "messages[2].content[0]: blank text".
class RuleReport {
 public:
  RuleReport(const handover::Target& the_target, std::string_view the_betas)
      : target(the_target), betas(the_betas) {}

  const handover::Target& target;
  std::string_view betas;  // that the request names in its header
  std::vector<std::string> broken{};

  // Returns `kept`, so that a check can guard what relies on it.
  bool check(bool kept, const std::string& place, std::string_view rule);

  bool filled_array(const Json& value, const std::string& place);
  // Whether it is a filled list; else it has to be a text.
  bool list_or_text(const Json& value, const std::string& place);
  bool text(const Json& value, const std::string& place);       // a string with words in it
  bool object(const Json& value, const std::string& place);     // a JSON object
  void arguments(const Json& value, const std::string& place);  // a string that is a JSON object
  void base64(const Json& value, const std::string& place);
  void tool_name(const Json& value, const std::string& place);
  void new_id(const Json& value, const std::string& place);  // fits, and was not used before
  void choice(const std::string& value, std::initializer_list<std::string_view> allowed,
              const std::string& place);

 private:
  std::set<std::string> ids_{};
};

// Newer models refuse to go on inside a reply of theirs: the request ends with the user or a
// result.
inline constexpr std::string_view last_is_a_reply = "the last is the assistant's";

std::string item(const std::string& place, std::size_t index);
std::string member(const std::string& place, std::string_view name);
bool is_string(const Json& value);  // and not empty

// Visits the elements of a list, each with its place.
void each(const auto& list, const std::string& place, const auto& visit) {
  for (std::size_t i = 0; i < list.size(); ++i) visit(list[i], item(place, i));
}

void anthropic(const Json& body, RuleReport& report);
void openai_chat(const Json& body, RuleReport& report);
void openai_responses(const Json& body, RuleReport& report);
void google(const Json& body, RuleReport& report);

}  // namespace skein::grammar
