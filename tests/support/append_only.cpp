#include "tests/support/append_only.h"

#include <algorithm>

#include "core/handover/normalize.h"
#include "core/model/payloads.h"
#include "providers/catalog/catalog.h"
#include "providers/grammar/validator.h"
#include "providers/wire/codecs.h"

namespace skein::test {

namespace {

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

catalog::Catalog& all_models() {
  static catalog::Catalog known;
  return known;
}

catalog::ProviderRow service_of(const model::ModelRef& model) {
  return catalog::routed(*all_models().find_provider(model.provider), model.model);
}

// As if the model were served in that format.
catalog::ProviderRow service_on(handover::WireFormat wire, const model::ModelRef& model) {
  catalog::ProviderRow row = service_of(model);
  row.wire = wire;
  return row;
}

handover::Target target_on(handover::WireFormat wire, const model::ModelRef& model) {
  return catalog::target_of(service_on(wire, model), all_models().find_model(model), model);
}

// Marks of the cache wander with the end; a stand-in for a signature only says that there is none.
void strip(Json& value) {
  if (value.is_object()) {
    value.erase("cache_control");
    if (const auto mark = value.find("thoughtSignature");
        mark != value.end() && *mark == handover::stand_in_signature)
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
    out += (out.empty() ? "" : "\n\n") +
           (part.contains("text") ? string_at(part, "text") : dump(part));
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
  refusals_ += model::read_as<model::payload::ThinkingOffBefore>(entry).has_value();
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

handover::WireFormat wire_of(const model::ModelRef& model) { return service_of(model).wire; }

bool binds_thinking(const model::ModelRef& model) {
  return target_on(wire_of(model), model).prefix_bound;
}

Seal::Seal(const Json& body) {
  chain_ = fnv(fnv(0xCBF29CE484222325, text_at(body, "system")), text_at(body, "tools"));
  const Json& messages = body.at("messages");
  for (std::size_t i = 0; i < messages.size(); ++i) {
    chain_ = fnv(chain_, string_at(messages[i], "role"));
    for (const Json& block : messages[i].at("content")) {
      const std::string seal =
          string_at(block, string_at(block, "type") == "thinking" ? "signature" : "data");
      if (is_thinking(block) && seal != text() && seal != unbound && broken_.empty()) {
        broken_seal_ = seal;
        broken_ = "messages." + std::to_string(i) +
                  ": the thinking there is bound to a different conversation: " + dump(messages[i]);
      }
      add(block);
    }
  }
  chain_ = fnv(chain_, "assistant");
}

// Thoughts themselves may go, as long as what is around them stays.
void Seal::add(const Json& block) {
  if (!is_thinking(block)) chain_ = fnv(chain_, dump(block));
}

std::string Seal::text() const { return "c2VhbA" + to_string(Id{chain_}) + "=="; }

namespace {

wire::WireRequest request_on(handover::WireFormat wire, const model::Context& context,
                             const model::ModelRef& model) {
  model::Context fit = context;
  fit.messages = handover::normalize(context.messages, target_on(wire, model));
  const wire::ModelFacts facts =
      catalog::facts_of(service_on(wire, model), all_models().find_model(model), model);
  return row_of(wire).codec.encode(fit, model, facts);
}

std::string refusal(const handover::Target& target, const wire::WireRequest& request) {
  std::string betas;
  for (const auto& [name, value] : request.headers)
    if (name == wire::beta_header) betas = value;
  const std::vector<std::string> broken = grammar::violations(target, request.body, betas);
  return broken.empty() ? "" : broken.front() + ": " + request.body;
}

}  // namespace

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
    if (before[i] != after[i] && (i + 1 < before.size() || !goes_on(wire, before[i], after[i])))
      return named("message " + std::to_string(i) + " of " + std::to_string(before.size()) +
                   " changed:\n" + dump(before[i]) + "\n" + dump(after[i]));
  return {};
}

std::string AppendOnlyJudge::judge(const model::Context& context, const model::ModelRef& model,
                                   Id leaf, const Branches& branches) {
  Request request{model::to_string(model) + " " + std::string(model::name(model.thinking)),
                  leaf,
                  branches.refusals(),
                  {}};
  const handover::WireFormat own = wire_of(model);
  std::string trouble;
  for (const handover::WireFormat wire : wires) {
    const wire::WireRequest encoded = request_on(wire, context, model);
    if (wire == own) trouble = refusal(target_on(own, model), encoded);
    request.bodies.push_back(*parse_json(encoded.body));
    strip(request.bodies.back());
  }
  last_body_ = request.bodies.front();
  if (binds_thinking(model) && trouble.empty())
    if (const Seal seal(last_body_); !seal.broken().empty())
      trouble = seal.broken() + ", " +
                difference(own, sealed_behind_[seal.broken_seal()], last_body_) + " made behind " +
                dump(at(sealed_behind_[seal.broken_seal()], "messages")) + " now " +
                dump(at(last_body_, "messages"));

  for (const Request& before : requests_) {
    if (before.model != request.model) continue;
    Branches::Way way = branches.way(before.leaf, leaf);
    if (!way.leads) continue;
    way.has_step = way.has_step || before.refusals != request.refusals;
    way.has_step ? ++steps_ : ++compared_;
    for (std::size_t i = 0; i < std::size(wires) && !way.has_step && trouble.empty(); ++i)
      trouble = difference(wires[i], before.bodies[i], request.bodies[i]);
    break;
  }
  requests_.push_front(std::move(request));
  return trouble;
}

}  // namespace skein::test
