#include "core/exchange/exporters/google.h"

#include "core/exchange/exporters/turns.h"
#include "core/exchange/exporters/whole_output.h"
#include "core/text/json.h"

namespace skein::exchange::exporters {

namespace {

Json google_image(const ExportedSession& session, const model::Image& image) {
  LoadedImage loaded = load_image(session, image);
  if (!loaded.there()) return {{"text", "(an image that is not there any more)"}};
  return {{"inlineData", {{"mimeType", loaded.mime_type}, {"data", loaded.base64}}}};
}

// What the service signed goes back with the part it signed.
Json signed_part(Json part, const JsonText& provider_data) {
  const auto data = provider_data.empty() ? std::nullopt : parse_json(provider_data);
  if (data && data->is_object())
    if (const std::string signature = string_at(*data, "thoughtSignature"); !signature.empty())
      part["thoughtSignature"] = signature;
  return part;
}

Json result_part(const model::ToolResult& result, const std::string& name) {
  return {{"functionResponse",
           {{"id", result.tool_use_id},
            {"name", name},
            {"response", {{result.is_error ? "error" : "output", words_of(result)}}}}}};
}

Json parts_of(const ExportedSession& session, const Turn& turn) {
  Json parts = Json::array(), pictures = Json::array();
  std::size_t results = 0;
  for (const model::Block& block : turn.blocks) {
    if (const auto* text = std::get_if<model::Text>(&block))
      parts.push_back(signed_part({{"text", text->text}}, text->provider_data));
    if (const auto* image = std::get_if<model::Image>(&block))
      parts.push_back(google_image(session, *image));
    if (const auto* call = std::get_if<model::ToolUse>(&block))
      parts.push_back(signed_part({{"functionCall",
                                    {{"id", call->id},
                                     {"name", call->name},
                                     {"args", parse_json(call->input).value_or(Json::object())}}}},
                                  call->provider_data));
    if (const auto* result = std::get_if<model::ToolResult>(&block)) {
      parts.push_back(result_part(*result, turn.names[results++]));
      for (const model::ResultBlock& part : result->content)
        if (const auto* image = std::get_if<model::Image>(&part))
          pictures.push_back(google_image(session, *image));
    }
  }
  for (Json& picture : pictures) parts.push_back(std::move(picture));
  return parts;
}

}  // namespace

void write_google(const ExportedSession& session, const Sink& sink) {
  const std::string system = system_of(session);
  sink("{" +
       (system.empty()
            ? ""
            : "\"systemInstruction\":" + dump({{"parts", {{{"text", system}}}}}) + ",\n") +
       "\"contents\":[");
  bool first = true;
  each_turn(session, [&](const Turn& turn) {
    Json parts = parts_of(session, turn);
    if (parts.empty()) return;
    sink((first ? "\n" : ",\n") +
         dump({{"role", turn.assistant ? "model" : "user"}, {"parts", std::move(parts)}}));
    first = false;
  });
  sink("\n]}\n");
}

}  // namespace skein::exchange::exporters
