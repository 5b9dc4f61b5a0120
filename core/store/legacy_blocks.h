// What other programs put into a message, as our blocks: the content of Anthropic's and OpenAI's
// messages, the parts of Google's. What cannot be taken over is told of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/message.h"
#include "core/store/legacy.h"

namespace skein {

// A message of an older form.
struct LegacyMessage {
  std::string role{};  // in our words: user, assistant, tool; another one is none of these
  std::string time{};
  std::vector<Block> content{};
  Json json{};  // as it was written
};

class LegacyBlocks {
 public:
  explicit LegacyBlocks(LegacySession& out) : out_(out) {}

  LegacyMessage message(const Json& json);
  // A string, or blocks as most programs write them.
  std::vector<Block> content(const Json& json);
  std::vector<ResultBlock> result_content(const Json& json);
  void finish();  // adds what was lost

 private:
  Block block(const Json& json);
  Block part(const Json& json);  // Google's
  Block image(const std::string& type, const std::string& base64, const Json& raw);
  Block image_at(const std::string& url, const Json& raw);
  Block unknown(const std::string& what, const Json& raw);

  LegacySession& out_;
  std::map<std::string, std::size_t> lost_{};
  // Google's calls often have no ids: a result belongs to the first call of that name without one.
  std::map<std::string, std::vector<std::string>> open_calls_{};
  std::size_t calls_ = 0;
};

// 1767323045, 1767323045678 or an ISO time, as we write it; empty if it is none of these.
std::string legacy_time(const Json& value);
// The first of these members that is there.
const Json& first_of(const Json& object, std::initializer_list<const char*> keys);
// A call's arguments, as an object or as the text of one.
JsonText object_text(const Json& value);

}  // namespace skein
