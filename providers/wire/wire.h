// What the codecs share: small translations that are the same on every wire. For codecs' .cpp
// files.
#pragma once

#include "core/model/event.h"
#include "core/model/message.h"
#include "core/text/json.h"
#include "providers/wire/codecs.h"

namespace skein::wire {

namespace delta = model::delta;

std::string data_url(const model::Image& image);

// The text in place of an image that cannot be sent; empty if it can.
std::string_view missing_image(const model::Image& image, const ModelFacts& facts);

// A member of a block's provider_data, null if there is none.
Json provider_member(const JsonText& provider_data, std::string_view key);

// A tool result for wires that want one string, and the images that do not fit into it. Never
// empty: several services refuse a result without content.
struct FlatResult {
  std::string text;
  std::vector<const model::Image*> images{};
};
FlatResult flatten(const model::ToolResult& result, const ModelFacts& facts);

std::int64_t max_output(const model::ModelRef& model, const ModelFacts& facts);
// The word or number for the model's thinking level; empty if nothing is to be sent.
std::string effort(const model::ModelRef& model, const ModelFacts& facts);
std::int64_t thinking_budget(model::ThinkingLevel level);

Json parsed(const JsonText& text);  // an empty object if it is not a JSON object

// An integer member if it is there: totals that are missing or null keep their old value.
std::optional<std::int64_t> count_at(const Json& object, std::string_view key);

// Totals as OpenAI's services name them, `input` and `output` being their words for the two sides.
// What they count as input includes what came from the cache; ours does not.
delta::UsageUpdate openai_usage(const Json& usage, const std::string& input,
                                const std::string& output);

// The row of a service's reasons for stopping; Stop::stop if it has no such row.
using StopRow = std::pair<std::string_view, model::Stop>;
model::Stop stop_for(std::span<const StopRow> rows, std::string_view reason);

model::Deltas not_json();
// The error object of any provider, found inside a stream.
delta::Failed failure(const Json& error);
// The same of an event, which holds the object or is one.
model::Deltas error_event(const Json& event);
// The same for the answer to a whole request.
Explanation explain(int status, std::string_view body, const http::HttpHeaders& headers);

}  // namespace skein::wire
