#include "core/export/otlp.h"

#include "core/model/payloads.h"
#include "core/text/json.h"

namespace skein::exporters {

namespace {

enum class SpanKind { internal = 1, client = 3 };

// Attributes as OTLP has them: integers are texts.
class SpanAttributes {
 public:
  void add(const char* key, const std::string& text) {
    if (!text.empty()) put(key, {{"stringValue", text}});
  }
  void add(const char* key, std::int64_t number) {
    if (number > 0) put(key, {{"intValue", std::to_string(number)}});
  }
  void add_seconds(const char* key, std::int64_t ms) {
    if (ms > 0) put(key, {{"doubleValue", static_cast<double>(ms) / 1000}});
  }
  void add_list(const char* key, const std::string& only) {
    put(key, {{"arrayValue", {{"values", Json::array({{{"stringValue", only}}})}}}});
  }
  Json take() { return std::move(all_); }

 private:
  void put(const char* key, Json value) {
    all_.push_back({{"key", key}, {"value", std::move(value)}});
  }
  Json all_ = Json::array();
};

std::string nanoseconds(std::int64_t ms) { return ms > 0 ? std::to_string(ms) + "000000" : "0"; }

class SpanWriter {
 public:
  SpanWriter(const ExportedSession& session, const std::function<void(const JsonText&)>& visit)
      : session_(session),
        visit_(visit),
        begin_ms_(ms_of(session.created_at)),
        end_ms_(begin_ms_) {}

  void add(const model::Entry& entry) {
    const std::int64_t at = ms_of(entry.timestamp);
    end_ms_ = std::max(end_ms_, at);
    if (begin_ms_ == 0) begin_ms_ = at;
    if (const auto message = model::message_of(entry)) return add_message(entry.id, *message, at);
    if (const auto summary = model::read_as<model::payload::CompactionSummary>(entry))
      add_call(entry.id, *summary, at);
    else if (const auto aside = model::aside_of(entry))
      add_call(entry.id, *aside, at);
  }

  void end() {
    SpanAttributes about;
    about.add("gen_ai.operation.name", "invoke_agent");
    about.add("gen_ai.agent.name",
              session_.imported_from.empty() ? std::string("skein") : session_.imported_from);
    about.add("gen_ai.conversation.id", to_string(session_.id));
    about.add("skein.session.key", session_.key);
    write(session_.id, "invoke_agent skein", SpanKind::internal, begin_ms_, end_ms_, about, "");
  }

 private:
  struct OpenCall {
    std::string tool;
    Id span;
    std::int64_t begin_ms;
  };

  static std::int64_t ms_of(const std::string& timestamp) {
    return ms_from_utc(timestamp).value_or(0);
  }

  void add_message(Id id, const model::Message& message, std::int64_t at) {
    for (const model::Block& block : message.content)
      if (const auto* result = std::get_if<model::ToolResult>(&block)) add_result(*result, at);
    if (message.role != model::Role::assistant) return;
    SpanAttributes about;
    if (message.stop != model::Stop::none)
      about.add_list("gen_ai.response.finish_reasons", std::string(name(message.stop)));
    about.add_seconds("gen_ai.response.time_to_first_chunk", message.first_token_ms);
    const bool failed = message.stop == model::Stop::error;
    write_call(id, message, at - message.duration_ms, at, about, failed ? "model_error" : "");
    std::uint64_t number = 0;
    for (const model::ToolUse* call : model::tool_uses(message)) {
      // Calls have no ids of their own that would fit: theirs are made of their answer's.
      constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;
      open_.insert_or_assign(call->id, OpenCall{call->name, {id.value ^ (++number * spread)}, at});
    }
  }

  // Of a call a model was paid for.
  template <class Paid>
  void write_call(Id id, const Paid& paid, std::int64_t begin_ms, std::int64_t end_ms,
                  SpanAttributes& about, const std::string& failure) {
    about.add("gen_ai.operation.name", "chat");
    about.add("gen_ai.provider.name", paid.provider);
    about.add("gen_ai.request.model", paid.model);
    about.add("gen_ai.response.model", paid.model);
    if (const std::optional<model::Usage>& usage = paid.usage) {
      about.add("gen_ai.usage.input_tokens", model::whole_input(*usage));
      about.add("gen_ai.usage.output_tokens", usage->output);
      about.add("gen_ai.usage.cache_read.input_tokens", usage->cache_read);
      about.add("gen_ai.usage.cache_creation.input_tokens", usage->cache_write);
      about.add("gen_ai.usage.reasoning.output_tokens", usage->reasoning);
    }
    write(id, "chat " + paid.model, SpanKind::client, begin_ms, end_ms, about, failure);
  }
  template <class Paid>
  void add_call(Id id, const Paid& paid, std::int64_t at) {
    SpanAttributes about;
    if (paid.usage) write_call(id, paid, at, at, about, "");
  }

  void add_result(const model::ToolResult& result, std::int64_t at) {
    const auto open = open_.find(result.tool_use_id);
    if (open == open_.end()) return;
    const OpenCall call = std::move(open->second);
    open_.erase(open);
    SpanAttributes about;
    about.add("gen_ai.operation.name", "execute_tool");
    about.add("gen_ai.tool.name", call.tool);
    about.add("gen_ai.tool.call.id", result.tool_use_id);
    write(call.span, "execute_tool " + call.tool, SpanKind::internal, call.begin_ms, at, about,
          result.is_error ? model::was_refused(result) ? "refused" : "tool_error" : "");
  }

  void write(Id id, const std::string& name, SpanKind kind, std::int64_t begin_ms,
             std::int64_t end_ms, SpanAttributes& about, const std::string& failure) {
    about.add("error.type", failure);
    const std::string session = to_string(session_.id);
    Json span = {{"traceId", session + session}, {"spanId", to_string(id)}};
    if (id != session_.id) span["parentSpanId"] = session;
    span.update({{"name", name},
                 {"kind", static_cast<int>(kind)},
                 {"startTimeUnixNano", nanoseconds(std::min(begin_ms, end_ms))},
                 {"endTimeUnixNano", nanoseconds(end_ms)},
                 {"attributes", about.take()},
                 {"status", {{"code", failure.empty() ? 0 : 2}}}});
    visit_(dump(span));
  }

  const ExportedSession& session_;
  const std::function<void(const JsonText&)>& visit_;
  std::int64_t begin_ms_, end_ms_;
  std::map<std::string, OpenCall> open_{};  // by the id of the call
};

// Around the spans of a request.
std::pair<JsonText, JsonText> request_frame() {
  const JsonText resource = dump(
      {{"attributes",
        Json::array({{{"key", "service.name"}, {"value", {{"stringValue", "skein"}}}},
                     {{"key", "service.version"}, {"value", {{"stringValue", SKEIN_VERSION}}}}})}});
  return {R"({"resourceSpans":[{"resource":)" + resource +
              R"(,"scopeSpans":[{"scope":{"name":"skein"},"spans":[)",
          "]}]}]}"};
}

}  // namespace

void each_span(const ExportedSession& session, const std::function<void(const JsonText&)>& visit) {
  SpanWriter writer(session, visit);
  session.each_entry([&](const model::Entry& entry) { writer.add(entry); });
  writer.end();
}

JsonText trace_request(std::string_view spans) {
  const auto [before, behind] = request_frame();
  return before + std::string(spans) + behind;
}

void write_otlp(const ExportedSession& session, const Sink& sink) {
  const auto [before, behind] = request_frame();
  const char* separator = "\n";
  sink(before);
  each_span(session, [&](const JsonText& span) { sink(std::exchange(separator, ",\n") + span); });
  sink("\n" + behind + "\n");
}

}  // namespace skein::exporters
