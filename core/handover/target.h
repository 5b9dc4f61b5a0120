// The model a conversation is handed to, as rules: what its server takes and what it refuses.
#pragma once

#include "core/model/message.h"

namespace skein::handover {

enum class WireFormat { anthropic, openai_chat, openai_responses, google };

// What a tool call's id may look like: ASCII letters and digits, '_' and '-', at most `max`.
struct IdRule {
  std::size_t max = 64;       // at least 10, so that a telling suffix fits
  bool exact = false;         // exactly `max` characters
  bool alphanumeric = false;  // '_' and '-' are refused too
  bool operator==(const IdRule&) const = default;
};
bool fits(std::string_view id, const IdRule& rule);

struct Target {
  std::string provider;
  std::string model;
  WireFormat wire = WireFormat::anthropic;
  std::string provider_alias{};  // another name of the same service; empty: it has none
  IdRule ids{};
  bool takes_images = true;
  bool images_in_results = true;    // else they follow the results, in a user message
  std::size_t max_image_bytes = 0;  // 0: no limit known
  bool unsigned_thinking = false;   // its own thinking goes back without a signature
  bool ends_in_thinking = false;    // a reply may end in a thinking block
  bool signed_calls = false;        // each step's first call needs a signature on the wire
  bool call_ids = false;            // calls and results carry ids there, for every author of calls
  bool reasoning_always = false;    // every reply has its reasoning, if empty, once there are tools
  bool prefix_bound = false;        // signed thinking counts only behind what it was written behind
  std::string seal_family{};        // models with this in their name read each other's signed
                                    // thinking; empty: none does
  std::string bridge_text{};        // said by the assistant where a user message may not follow
                                    // tool results directly; empty: it may
};

// What Google accepts as the signature of a call that bears none.
inline constexpr std::string_view stand_in_signature = "skip_thought_signature_validator";

// The usual rules of a wire format; what one service or model wants besides is in the catalog.
Target target_for(WireFormat wire, std::string provider, std::string model);

bool same_service(std::string_view provider, const Target& target);
// Only what the very same model wrote may go back with signatures, encrypted blocks and item ids.
bool same_model(const model::Message& message, const Target& target);

// Whether the target takes this image at all; else a short text replaces it.
bool takes(const model::Image& image, const Target& target);

// Names of tools: what every provider takes.
inline constexpr std::size_t max_tool_name = 64;
bool is_tool_name(std::string_view name);
std::string tool_name(std::string_view name);  // the nearest name that is one

}  // namespace skein::handover
