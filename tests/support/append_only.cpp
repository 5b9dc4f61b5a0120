#include "tests/support/append_only.h"

#include <algorithm>

#include "core/handover/normalize.h"
#include "providers/grammar/validator.h"
#include "providers/wire/codecs.h"

namespace skein::test {

namespace {

constexpr const char* stand_in = "skip_thought_signature_validator";

struct Wire {
  const wire::Codec& codec;
  const char* messages;  // the member that holds them
  const char* content;   // the member of a message that holds its blocks
};
const Wire& row_of(handover::WireFormat wire) {
  static const Wire rows[] = {{wire::anthropic_messages, "messages", "content"},
                              {wire::openai_chat, "messages", "content"},
                              {wire::openai_responses, "input", "content"},
                              {wire::google_gemini, "contents", "parts"}};
  return rows[static_cast<std::size_t>(wire)];
}
constexpr handover::WireFormat wires[] = {
    handover::WireFormat::anthropic, handover::WireFormat::openai_chat,
    handover::WireFormat::openai_responses, handover::WireFormat::google};

// Marks of the cache wander with the end; a stand-in for a signature only says that there is none.
void strip(Json& value) {
  if (value.is_object()) {
    value.erase("cache_control");
    if (const auto mark = value.find("thoughtSignature"); mark != value.end() && *mark == stand_in)
      value.erase(mark);
  }
  if (value.is_structured())
    for (Json& each : value) strip(each);
}

// One string or an array of parts, as parts.
Json parts_of(const Json& content) {
  if (!content.is_string()) return content;
  return Json::array({{{"type", "text"}, {"text", content}}});
}

// Chat completions put several texts into one string, a paragraph each.
std::string joined(const Json& content) {
  std::string out;
  for (const Json& part : parts_of(content))
    out += (out.empty() ? "" : "\n\n") + (part.contains("text") ? string_at(part, "text")
                                                                  : dump(part));
  return out;
}

bool goes_on(handover::WireFormat wire, const Json& earlier, const Json& later) {
  const char* member = row_of(wire).content;
  if (!earlier.contains(member) || !later.contains(member)) return earlier == later;
  Json before = earlier, after = later;
  before.erase(member);
  after.erase(member);
  if (before != after) return false;
  if (wire == handover::WireFormat::openai_chat && earlier.at(member) != later.at(member))
    return joined(later.at(member)).starts_with(joined(earlier.at(member)));
  const Json less = parts_of(earlier.at(member)), more = parts_of(later.at(member));
  return less.size() <= more.size() && std::equal(less.begin(), less.end(), more.begin());
}

constexpr std::uint64_t fnv(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return (hash ^ 0xFF) * 0x100000001B3;
}

bool is_thinking(const Json& block) {
  const std::string type = string_at(block, "type");
  return type == "thinking" || type == "redacted_thinking";
}

}  // namespace

void Branches::add(const model::Entry& entry) {
  if (!model::is_marginal(entry.type))
    places_[entry.id] = {entry.parent, entry.type == model::type::runtime_init ||
                                           entry.type == model::type::compaction_summary};
}

Branches::Way Branches::way(Id ancestor, Id leaf) const {
  Way out;
  for (std::optional<Id> at = leaf; at;) {
    if (*at == ancestor) return {true, out.has_step};
    const auto place = places_.find(*at);
    if (place == places_.end()) break;
    out.has_step = out.has_step || place->second.is_step;
    at = place->second.parent;
  }
  return {};
}

handover::WireFormat wire_of(const std::string& provider) {
  if (provider == "anthropic") return handover::WireFormat::anthropic;
  if (provider == "openai-responses") return handover::WireFormat::openai_responses;
  if (provider == "google") return handover::WireFormat::google;
  return handover::WireFormat::openai_chat;
}

Seal::Seal(const Json& body) {
  chain_ = fnv(fnv(0xCBF29CE484222325, text_at(body, "system")), text_at(body, "tools"));
  const Json& messages = body.at("messages");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    chain_ = fnv(chain_, string_at(messages[i], "role"));
    for (const Json& block : messages[i].at("content")) {
      const std::string seal =
          string_at(block, string_at(block, "type") == "thinking" ? "signature" : "data");
      if (is_thinking(block) && seal != text() && broken_.empty()) {
        broken_seal_ = seal;
        broken_ = "messages." + std::to_string(i) +
                  ": the thinking there is bound to a different conversation: " + dump(messages[i]);
      }
      add(block);
    }
  }
  chain_ = fnv(chain_, "assistant");
}

void Seal::add(const Json& block) { chain_ = fnv(chain_, dump(block)); }

std::string Seal::text() const { return "c2VhbA" + to_string(Id{chain_}) + "=="; }

Json body_on(handover::WireFormat wire, const model::Context& context,
             const model::ModelRef& model) {
  handover::Target target = handover::target_for(wire, model.provider, model.model);
  target.signed_calls = wire == handover::WireFormat::google;
  model::Context fit = context;
  fit.messages = handover::normalize(context.messages, target);
  return *parse_json(row_of(wire).codec.encode(fit, model, {.max_output = 1000}).body);
}

std::string difference(handover::WireFormat wire, const Json& earlier, const Json& later) {
  const char* member = row_of(wire).messages;
  const auto named = [&](const std::string& what) {
    return std::string(row_of(wire).codec.name) + ": " + what;
  };
  for (const char* fixed : {"system", "instructions", "systemInstruction", "tools"})
    if (at(earlier, fixed) != at(later, fixed)) return named(std::string(fixed) + " changed");
  const Json &before = earlier.at(member), &after = later.at(member);
  if (before.size() > after.size()) return named("there are fewer messages");
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i] &&
        (i + 1 < before.size() || !goes_on(wire, before[i], after[i])))
      return named("message " + std::to_string(i) + " of " + std::to_string(before.size()) +
                   " changed:\n" + dump(before[i]) + "\n" + dump(after[i]));
  return {};
}

std::string AppendOnlyJudge::judge(const model::Context& context, const model::ModelRef& model,
                                   Id leaf, const Branches& branches) {
  Request request{model::to_string(model), leaf, {}};
  const handover::WireFormat own = wire_of(model.provider);
  std::string trouble;
  for (const handover::WireFormat wire : wires) {
    request.bodies.push_back(body_on(wire, context, model));
    Json& body = request.bodies.back();
    if (wire == own)
      if (const auto broken = grammar::violations(
              handover::target_for(own, model.provider, model.model), dump(body));
          !broken.empty())
        trouble = broken.front() + ": " + dump(body);
    strip(body);
  }
  last_body_ = request.bodies.front();
  if (own == handover::WireFormat::anthropic && trouble.empty())
    if (const Seal seal(last_body_); !seal.broken().empty())
      trouble = seal.broken() + ", " +
                difference(own, sealed_behind_[seal.broken_seal()], last_body_) + " made behind " +
                dump(at(sealed_behind_[seal.broken_seal()], "messages")) + " now " + dump(at(last_body_, "messages"));

  for (const Request& before : requests_) {
    if (before.model != request.model) continue;
    const Branches::Way way = branches.way(before.leaf, leaf);
    if (!way.leads) continue;
    way.has_step ? ++steps_ : ++compared_;
    for (std::size_t i = 0; i < std::size(wires) && !way.has_step && trouble.empty(); ++i)
      trouble = difference(wires[i], before.bodies[i], request.bodies[i]);
    break;
  }
  requests_.push_front(std::move(request));
  return trouble;
}

}  // namespace skein::test
