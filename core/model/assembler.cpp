#include "core/model/assembler.h"

#include "core/model/provider.h"
#include "core/text/json.h"

namespace skein::model {

namespace {

// `members` laid over `object`; what is not an object counts as an empty one.
JsonText merged(const JsonText& object, const JsonText& members) {
  std::optional<Json> base = parse_json(object);
  const std::optional<Json> more = parse_json(members);
  if (!base || !base->is_object()) base = Json::object();
  if (more && more->is_object()) base->update(*more);
  return dump(*base);
}

// A call's input as it is stored; empty if it is not a JSON object. Lone surrogates are a fault of
// many models' tokenizers and not worth losing the call for.
JsonText whole_input(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return "{}";
  std::optional<Json> input = parse_json(text);
  if (!input) input = parse_json(json_line(text));
  return input && input->is_object() ? dump(*input) : JsonText{};
}

bool worth_keeping(const Block& block) {
  if (const auto* text = std::get_if<Text>(&block))
    return !text->text.empty() || !text->provider_data.empty();
  const auto* thinking = std::get_if<Thinking>(&block);
  return thinking == nullptr || !thinking->thinking.empty() || !thinking->signature.empty();
}

constexpr const char* unnamed = "unnamed";

// What is wrong with a call, for the model; empty if nothing is.
std::string fault_of(const ToolUse& call, bool ended) {
  if (call.name.empty()) return "the call does not name a tool";
  if (!ended) return "the call of " + call.name + " never ended";
  if (call.input.empty())
    return "the arguments of " + call.name +
           " are not a JSON object; make the call again with one that fits its schema";
  return {};
}

// Calls, and blocks we do not know, are of use only when they are whole.
bool must_be_whole(const Block& block) {
  return std::holds_alternative<ToolUse>(block) || std::holds_alternative<Opaque>(block);
}

}  // namespace

Assembler::Part* Assembler::find(const std::string& key) {
  if (key.empty()) return parts_.empty() || parts_.back().ended ? nullptr : &parts_.back();
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &parts_[found->second];
}

Assembler::Part& Assembler::open(const std::string& key, Block block) {
  if (!key.empty()) keys_[key] = parts_.size();
  return parts_.emplace_back(Part{std::move(block)});
}

template <class Kind>
Kind& Assembler::part(const std::string& key) {
  Part* known = find(key);
  if (known == nullptr || !std::holds_alternative<Kind>(known->block)) known = &open(key, Kind{});
  return std::get<Kind>(known->block);
}

// The parse is done once, here: message() is asked for often, a call ends once.
void Assembler::end(Part& part) {
  part.ended = true;
  if (auto* call = std::get_if<ToolUse>(&part.block)) {
    call->input = whole_input(part.input);
  } else if (auto* opaque = std::get_if<Opaque>(&part.block); opaque && !part.input.empty()) {
    const JsonText input = whole_input(part.input);
    part.ended = !input.empty();
    if (part.ended) opaque->raw = merged(opaque->raw, R"({"input":)" + input + "}");
  }
}

struct Assembler::Taker {
  Assembler& to;

  void operator()(const delta::TextPiece& delta) const {
    to.part<Text>(delta.block).text += delta.text;
  }
  void operator()(const delta::ThinkingPiece& delta) const {
    to.part<Thinking>(delta.block).thinking += delta.text;
  }
  void operator()(const delta::Signature& delta) const {
    auto& thinking = to.part<Thinking>(delta.block);
    thinking.signature = delta.signature;
    thinking.redacted = delta.redacted;
  }
  void operator()(const delta::ToolStart& delta) const {
    Part* known = delta.block.empty() ? nullptr : to.find(delta.block);
    auto* call = known == nullptr ? nullptr : std::get_if<ToolUse>(&known->block);
    // Some servers repeat id and name with every piece; some give all their calls one index.
    const bool another = call != nullptr && !delta.id.empty() && call->id != delta.id;
    if (call == nullptr || another) {
      if (another) end(*known);
      to.open(delta.block, ToolUse{delta.id, delta.name, {}});
    } else if (call->name.empty()) {
      call->name = delta.name;
    }
  }
  void operator()(const delta::ToolInput& delta) const {
    Part* known = to.find(delta.block);
    if (known == nullptr || !must_be_whole(known->block)) return;
    if (delta.whole) known->input.clear();
    known->input += delta.json_piece;
    known->ended = false;
  }
  void operator()(const delta::BlockEnd& delta) const {
    if (delta.all) {
      for (Part& each : to.parts_)
        if (!each.ended) end(each);
    } else if (Part* known = to.find(delta.block); known != nullptr && !known->ended) {
      end(*known);
    }
  }
  void operator()(const delta::ProviderData& delta) const {
    Part* known = to.find(delta.block);
    if (known == nullptr) return;
    std::visit(
        [&](auto& block) {
          if constexpr (requires { block.provider_data; })
            block.provider_data = merged(block.provider_data, delta.members);
          else
            block.raw = merged(block.raw, delta.members);
        },
        known->block);
  }
  void operator()(const delta::Unknown& delta) const {
    to.open(delta.block, Opaque{to.provider_, delta.raw});
  }
  void operator()(const delta::UsageUpdate& delta) const {
    Usage& usage = to.usage_ ? *to.usage_ : to.usage_.emplace();
    const auto set = [](std::int64_t& total, const std::optional<std::int64_t>& now) {
      if (now && is_plausible_count(*now)) total = *now;
    };
    set(usage.input, delta.input);
    set(usage.output, delta.output);
    set(usage.cache_read, delta.cache_read);
    set(usage.cache_write, delta.cache_write);
    set(usage.reasoning, delta.reasoning);
  }
  void operator()(const delta::Transformed& delta) const { to.transformed_ = delta.all; }
  void operator()(const delta::StopReason& delta) const {
    // Chat servers end a refusal with "stop": the refusal is what matters.
    if (!to.stop_ || to.stop_->stop != Stop::refusal || delta.stop != Stop::stop) to.stop_ = delta;
  }
  void operator()(const delta::Finished&) const { to.finished_ = true; }
  void operator()(const delta::Failed& delta) const {
    if (!to.failure_) to.failure_ = delta;
  }
};

void Assembler::add(const Delta& delta) { std::visit(Taker{*this}, delta); }

std::vector<Block> Assembler::content(Calls calls) const {
  std::vector<Block> out;
  std::set<std::string> ids;
  for (const Part& each : parts_) {
    const auto* made = std::get_if<ToolUse>(&each.block);
    const std::string fault = made == nullptr ? "" : fault_of(*made, each.ended);
    if (made != nullptr             ? !fault.empty() && calls == Calls::whole
        : must_be_whole(each.block) ? !each.ended
                                    : !worth_keeping(each.block))
      continue;
    out.push_back(each.block);
    auto* call = std::get_if<ToolUse>(&out.back());
    if (call == nullptr) continue;
    if (call->id.empty() || !ids.insert(call->id).second)
      call->id = "call_" + stem_ + "_" + std::to_string(out.size());
    if (fault.empty()) continue;
    call->fault = fault;
    if (call->name.empty()) call->name = unnamed;
    if (each.ended && !call->input.empty()) continue;
    call->input = each.input.empty() ? "{}" : dump({{"_raw", valid_utf8(each.input)}});
  }
  return out;
}

Message Assembler::message() const {
  Message message{.role = Role::assistant,
                  .provider = provider_,
                  .model = model_,
                  .usage = usage_,
                  .transformed = transformed_};
  // A terminal marker alone, without a reason or a word, is no answer either.
  const bool ended = !failure_ && finished_ && (stop_ || !parts_.empty());
  if (failure_) {
    message.stop = Stop::error;
    message.error = failure_->text;
  } else if (!ended) {
    message.stop = Stop::interrupted;
  } else {
    message.stop = stop_ ? stop_->stop : Stop::stop;
    message.error = stop_ ? stop_->detail : "";
  }
  const bool well = ended && (message.stop == Stop::stop || message.stop == Stop::tool_use);
  message.content = content(well || message.stop == Stop::length ? Calls::all : Calls::whole);
  // What counts is whether calls were made, not what the server calls the end.
  if (well) message.stop = tool_uses(message).empty() ? Stop::stop : Stop::tool_use;
  return message;
}

Message Assembler::aborted() const {
  Message message = this->message();
  message.content = content(Calls::whole);
  message.stop = Stop::aborted;
  message.error.clear();
  return message;
}

}  // namespace skein::model
