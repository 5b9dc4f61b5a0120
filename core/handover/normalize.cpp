#include "core/handover/normalize.h"

#include "core/handover/carry_over.h"
#include "core/text/json.h"

namespace skein::handover {

namespace {

constexpr std::size_t mark_length = 9;  // 53 bits; also the whole of a Mistral id
constexpr std::string_view digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// FNV-1a with a finish that spreads the last bytes. Written out because it must be the same on
// every machine and in every version: prompt caches depend on it.
std::uint64_t hash_of(std::string_view text, std::uint64_t attempt) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ attempt;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
  return hash ^ hash >> 33;
}

std::string in_digits(std::uint64_t hash, std::size_t length) {
  std::string out;
  for (; out.size() < length; hash /= digits.size()) out += digits[hash % digits.size()];
  return out;
}

}  // namespace

// What is left of an id when every refused character became '_'. Some stores write
// "call|item" for the two ids of one Responses call; the first part is the call's.
std::string ToolIds::fitted(std::string_view original) const {
  if (fits(original, rule_)) return std::string(original);
  if (const std::size_t bar = original.find('|'); bar != 0) original = original.substr(0, bar);
  std::string out;
  for (const char c : original) {
    const IdRule one{.max = 1, .alphanumeric = rule_.alphanumeric};
    if (fits({&c, 1}, one))
      out += c;
    else if (!rule_.alphanumeric)
      out += '_';
  }
  return out;
}

std::string ToolIds::marked(std::string_view stem, std::uint64_t hash) const {
  if (rule_.exact) return in_digits(hash, rule_.max);
  const std::string mark = (rule_.alphanumeric ? "" : "_") + in_digits(hash, mark_length);
  return std::string(stem.substr(0, rule_.max - std::min(rule_.max, mark.size()))) + mark;
}

std::string ToolIds::next(const std::string& original) {
  const std::string fit = fitted(original);
  if (fits(fit, rule_) && taken_.insert(fit).second) return fit;

  const std::string_view stem = fit.empty() ? std::string_view("call") : fit;
  for (std::uint64_t& attempt = tries_[original];;) {
    std::string id = marked(stem, hash_of(original, attempt++));
    if (taken_.insert(id).second) return id;
  }
}

namespace {

constexpr std::string_view opening_text = "(earlier messages are not shown)";
constexpr std::string_view attached_text = "(images from the tool results)";

struct OpenCall {
  std::size_t block;  // its position in the turn's content
  bool own;           // made by the target itself
  const model::ToolResult* result = nullptr;
};

// What one side says until the other side, or a tool, speaks.
struct RequestTurn {
  model::Role role;
  std::vector<model::Block> content{};
  std::vector<OpenCall> calls{};
  bool answered = false;
};

bool is_thinking(const model::Block& block) {
  return std::holds_alternative<model::Thinking>(block);
}

// Sorts messages into turns and results to their calls.
class Sorter {
 public:
  explicit Sorter(const Target& target) : target_(target) {}
  std::vector<RequestTurn> turns{};

  // See unended_loops.
  void add(const model::Message& message, bool unended) {
    std::vector<model::Block> blocks = carry_over(message, target_, unended);
    if (!blocks.empty()) say(message, std::move(blocks), unended);
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block)) answer(*result);
  }

 private:
  // The calls with one id in the latest turn that used it.
  struct Waiting {
    std::size_t turn;
    std::vector<std::size_t> calls{};
    std::size_t answered = 0;
  };

  void say(const model::Message& message, std::vector<model::Block> blocks, bool unended) {
    // Replies with nothing between them were one reply: some stores write a line for every block.
    // A result between them means that the second was said knowing it.
    if (turns.empty() || turns.back().role != message.role || turns.back().answered) {
      turns.push_back({message.role});
      last_item_.clear();
    }
    if (auto* text = std::get_if<model::Text>(&blocks.front());
        text && message.role == model::Role::assistant && target_.wire == WireFormat::openai_chat)
      set_apart(text->text, turns.back().content);
    const bool own = same_model(message, target_), joined = !turns.back().content.empty();
    for (model::Block& block : blocks) {
      auto* call = std::get_if<model::ToolUse>(&block);
      if (call && !wait_for(*call, own)) continue;
      if (call && (own || unended) && turns.back().calls.size() == 1) sign(*call);
      if (comes_too_late(block, joined)) continue;
      if (target_.wire == WireFormat::openai_responses && !name_once(block)) continue;
      turns.back().content.push_back(std::move(block));
    }
  }

  // Anthropic wants thinking first in its reply. What a newer model wrote in one piece goes back as
  // it came, whatever its order: there the thought after it is bound to it.
  bool comes_too_late(const model::Block& block, bool joined) const {
    const std::vector<model::Block>& before = turns.back().content;
    return target_.wire == WireFormat::anthropic && (joined || !target_.prefix_bound) &&
           is_thinking(block) && !before.empty() && !is_thinking(before.front());
  }

  // The first call of a step must bear a signature where the target checks it: in what it continues
  // with. Turns that others ended are not checked, and a stand-in costs quality.
  void sign(model::ToolUse& call) const {
    // What it has was read when it was carried over.
    if (!target_.signed_calls || call.provider_data.find("thoughtSignature") != std::string::npos)
      return;
    Json data = parse_json(call.provider_data).value_or(Json::object());
    if (!data.is_object()) data = Json::object();
    data["thoughtSignature"] = stand_in_signature;
    call.provider_data = dump(data);
  }

  // A Responses server refuses a second item with the same id; only the texts of one message share
  // theirs. False if nothing is left of the block without it.
  bool name_once(model::Block& block) {
    const std::string id = item_id(block);
    auto* text = std::get_if<model::Text>(&block);
    const bool next_text = text && !last_item_.empty() && id == last_item_;
    last_item_ = text ? id : "";
    if (id.empty() || next_text || items_.insert(id).second) return true;
    last_item_.clear();
    if (text) return text->provider_data.clear(), true;
    if (auto* call = std::get_if<model::ToolUse>(&block)) return call->provider_data.clear(), true;
    return false;
  }

  // False if the call is in this turn already: some stores write it twice.
  bool wait_for(const model::ToolUse& use, bool own) {
    const std::size_t index = turns.size() - 1;
    RequestTurn& turn = turns.back();
    const auto [found, first_use] = waiting_.try_emplace(use.id, Waiting{index});
    Waiting& waiting = found->second;
    if (waiting.turn != index) waiting = {index};
    if (!waiting.calls.empty() && !use.id.empty()) {
      const auto& last =
          std::get<model::ToolUse>(turn.content[turn.calls[waiting.calls.back()].block]);
      if (last.name == use.name && last.input == use.input) return false;
    }
    waiting.calls.push_back(turn.calls.size());
    turn.calls.push_back({turn.content.size(), own});
    // A result written before its call is better than none, if the id was not in use before.
    const auto stray = first_use ? strays_.find(use.id) : strays_.end();
    if (stray != strays_.end()) turn.calls.back().result = stray->second;
    return true;
  }

  // A result belongs to the latest turn that used its id; there, equal ids are served in order.
  // More results than calls: the rest are duplicates.
  void answer(const model::ToolResult& result) {
    const auto found = waiting_.find(result.tool_use_id);
    if (found == waiting_.end()) {
      strays_.try_emplace(result.tool_use_id, &result);
      return;
    }
    Waiting& waiting = found->second;
    if (waiting.answered == waiting.calls.size()) return;
    RequestTurn& turn = turns[waiting.turn];
    turn.calls[waiting.calls[waiting.answered++]].result = &result;
    turn.answered = true;
  }

  const Target& target_;
  std::unordered_map<std::string, Waiting> waiting_{};
  std::unordered_map<std::string, const model::ToolResult*> strays_{};
  std::unordered_set<std::string> items_{};
  std::string last_item_{};  // of a text that the next one may belong to
};

// Puts turns one after the other, so that roles follow each other as the target wants them to.
class Composer {
 public:
  explicit Composer(const Target& target) : target_(target), ids_(target.ids) {}
  std::vector<model::Message> messages{};

  void add(RequestTurn turn) {
    if (turn.role == model::Role::user) return say(model::Role::user, std::move(turn.content));
    if (std::ranges::all_of(turn.content, is_thinking)) return;
    while (!target_.ends_in_thinking && is_thinking(turn.content.back())) turn.content.pop_back();

    std::vector<model::Block> results, attached;
    for (const OpenCall& call : turn.calls) {
      auto& use = std::get<model::ToolUse>(turn.content[call.block]);
      use.id = ids_.next(use.id);
      std::vector<model::Block> images;
      model::ToolResult result{.tool_use_id = {},
                               .content = {model::Text{std::string(interrupted_text)}},
                               .is_error = true};
      if (call.result) result = carry_over(*call.result, call.own, target_, images);
      result.tool_use_id = use.id;
      results.emplace_back(std::move(result));
      if (images.empty()) continue;
      if (target_.images_in_results)  // so these are exceptions: say whose they are
        attached.emplace_back(
            model::Text{"(from the failed call of " + use.name + ", " + use.id + ")"});
      else if (attached.empty())
        attached.emplace_back(model::Text{std::string(attached_text)});
      std::ranges::move(images, std::back_inserter(attached));
    }
    say(model::Role::assistant, std::move(turn.content));
    if (!results.empty()) say(model::Role::tool, std::move(results));
    if (!attached.empty()) say(model::Role::user, std::move(attached));
  }

 private:
  void say(model::Role role, std::vector<model::Block> content) {
    if (messages.empty() && role != model::Role::user)
      push(model::Role::user, {model::Text{std::string(opening_text)}});
    if (!messages.empty() && messages.back().role == role) {
      std::ranges::move(content, std::back_inserter(messages.back().content));
      return;
    }
    if (!messages.empty() && messages.back().role == model::Role::tool &&
        role == model::Role::user && !target_.bridge_text.empty())
      push(model::Role::assistant, {model::Text{target_.bridge_text}});
    push(role, std::move(content));
  }

  void push(model::Role role, std::vector<model::Block> content) {
    model::Message message{.role = role, .content = std::move(content)};
    if (role == model::Role::assistant) {
      message.provider = target_.provider;
      message.model = target_.model;
    }
    messages.push_back(std::move(message));
  }

  const Target& target_;
  ToolIds ids_;
};

}  // namespace

std::vector<model::Message> normalize(const std::vector<model::Message>& messages,
                                      const Target& target) {
  Sorter sorter(target);
  const std::vector<bool> unended = unended_loops(messages);
  for (std::size_t i = 0; i < messages.size(); ++i) sorter.add(messages[i], unended[i]);
  Composer composer(target);
  for (RequestTurn& turn : sorter.turns) composer.add(std::move(turn));
  return std::move(composer.messages);
}

}  // namespace skein::handover
