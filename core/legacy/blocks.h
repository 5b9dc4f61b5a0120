// What other programs put into a message, as our blocks: the content of Anthropic's and OpenAI's
// messages, the parts of Google's. What cannot be taken over is told of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/legacy/session.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::legacy {

// A message of an older form.
struct Message {
  std::string role{};  // in our words: user, assistant, tool; another one is none of these
  std::string time{};
  std::vector<model::Block> content{};
  Json json{};  // as it was written
};

class Blocks {
 public:
  explicit Blocks(Session& out) : out_(out) {}

  Message message(const Json& json);
  // A string, or blocks as most programs write them.
  std::vector<model::Block> content(const Json& json);
  std::vector<model::ResultBlock> result_content(const Json& json);
  void finish();  // adds what was lost

 private:
  model::Block block(const Json& json);
  model::Block part(const Json& json);  // Google's
  model::Block image(const std::string& type, const std::string& base64, const Json& raw);
  model::Block image_at(const std::string& url, const Json& raw);
  model::Block unknown(const std::string& what, const Json& raw);

  Session& out_;
  std::map<std::string, std::size_t> lost_{};
  // Google's calls often have no ids: a result belongs to the first call of that name without one.
  std::map<std::string, std::vector<std::string>> open_calls_{};
  std::size_t calls_ = 0;
};

// 1767323045, 1767323045678 or an ISO time, as we write it; empty if it is none of these.
std::string time_of(const Json& value);
// The first of these members that is there.
const Json& first_of(const Json& object, std::initializer_list<const char*> keys);
// A call's arguments, as an object or as the text of one.
JsonText object_text(const Json& value);

}  // namespace skein::legacy
