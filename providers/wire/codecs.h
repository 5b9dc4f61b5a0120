// Codecs: one per wire format, each three pure functions. They hold no state and no keys, do no
// I/O, and know nothing of who serves the format: services and models are rows of the catalog.
#pragma once

#include "core/model/event.h"
#include "core/model/provider.h"
#include "providers/http/http.h"
#include "providers/wire/sse.h"

namespace skein::wire {

// Recorded with every answer. Raise it whenever the same conversation is to give other bytes,
// because of a codec here or of core/handover.
inline constexpr int request_version = 1;

// How a request says how much to think.
enum class ThinkingStyle {
  none,    // it is not
  budget,  // as a number of tokens
  effort,  // as a word: low, medium, high
};

// What a codec must know about a model or its service: facts of the catalog.
struct ModelFacts {
  std::int64_t max_output = 0;  // tokens; 0: not known, the service decides where it can
  bool images = true;           // takes images
  ThinkingStyle thinking = ThinkingStyle::none;
  std::string thinking_off{};  // what ThinkingLevel::off is called ("disabled", "none", "0");
                               // empty: nothing is sent
  model::ThinkingLevels levels = model::all_thinking_levels;  // another falls to the nearest

  // Anthropic.
  bool betas = false;             // the service knows the vendor's beta headers
  bool prefix_bound = false;      // signed thinking counts only behind what it was written behind
  bool thinking_display = false;  // thinking is left out of answers unless asked for

  // Chat completions, where every service has a dialect.
  std::string system_role = "system";  // or "developer"
  std::string max_tokens_field = "max_tokens";
  bool stream_usage = true;       // knows stream_options
  bool reasoning_always = false;  // every reply has its reasoning, if empty, once there are tools

  // Gemini.
  bool images_in_results = false;  // a function's response may hold images
  bool signed_calls = false;       // each step's first call needs a signature
  bool call_ids = false;           // calls and responses carry ids, also of others' calls
};

// Names what of the vendor's new things a request makes use of.
inline constexpr std::string_view beta_header = "anthropic-beta";

// A request without its base address and its key. The base ends in the version: …/v1, …/v1beta.
struct WireRequest {
  std::string path;
  http::HttpHeaders headers;
  JsonText body;
};

// Why a request was refused: what a stream says when it fails.
using Explanation = model::delta::Failed;

struct Codec {
  std::string_view name;
  // Expects messages that already suit the model (core/handover/normalize): calls are answered,
  // what other models signed is gone. What this model signed goes back as it came.
  WireRequest (*encode)(const model::Context& context, const model::ModelRef& model,
                        const ModelFacts& facts);
  // Events and members it does not know are passed over, blocks it does not know are kept.
  model::Deltas (*decode)(const SseEvent& event);
  Explanation (*explain)(int status, std::string_view body, const http::HttpHeaders& headers);
};

extern const Codec anthropic_messages;
extern const Codec openai_chat;
extern const Codec openai_responses;
extern const Codec google_gemini;

}  // namespace skein::wire
