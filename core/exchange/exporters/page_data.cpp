#include "core/exchange/exporters/page_data.h"

#include "core/exchange/exporters/whole_output.h"
#include "core/model/aside.h"
#include "core/model/message.h"
#include "core/model/payloads.h"
#include "core/text/json.h"

namespace skein::exchange::exporters {

namespace {

namespace payload = model::payload;

Json images_of(const ExportedSession& session, const model::ToolResult& result) {
  Json out = Json::array();
  for (const model::ResultBlock& part : result.content)
    if (const auto* image = std::get_if<model::Image>(&part))
      if (const LoadedImage loaded = load_image(session, *image); loaded.there())
        out.push_back(loaded.data_url());
  return out;
}

struct PageBlocks {
  const ExportedSession& session;
  Json& blocks;

  void operator()(const model::Text& block) const {
    if (!block.text.empty()) blocks.push_back({"t", block.text});
  }
  void operator()(const model::Thinking& block) const {
    if (!block.thinking.empty()) blocks.push_back({"k", block.thinking});
  }
  void operator()(const model::Image& block) const {
    const LoadedImage loaded = load_image(session, block);
    blocks.push_back(loaded.there() ? Json{"i", loaded.data_url()}
                                    : Json{"t", "*(an image that is not there any more)*"});
  }
  void operator()(const model::ToolUse& block) const {
    blocks.push_back(Json::array(
        {"c", block.id, block.name, parse_json(block.input).value_or(Json(block.input))}));
  }
  void operator()(const model::ToolResult& block) const {
    blocks.push_back(Json::array({"r", block.tool_use_id, block.is_error,
                                  whole_output(session, block), images_of(session, block)}));
  }
  void operator()(const model::Opaque&) const {}
};

void add_message(Json& out, const ExportedSession& session, const model::Message& message) {
  out["t"] = message.continuation ? "skein" : model::name(message.role);
  if (message.role == model::Role::assistant && !message.model.empty()) out["m"] = message.model;
  Json blocks = Json::array();
  for (const model::Block& block : message.content) std::visit(PageBlocks{session, blocks}, block);
  out["b"] = std::move(blocks);
  if (!message.error.empty()) out["e"] = message.error;
}

// A step of the session in a few words; a long text is folded below them.
struct Note {
  std::string words{}, text{};
};
struct NoteOf {
  Note operator()(const payload::ModelChange& change) const {
    return {change.provider + "/" + change.model +
            (change.reason.empty() ? "" : " (" + change.reason + ")")};
  }
  Note operator()(const payload::ThinkingLevelChange& change) const {
    return {"thinking: " + change.level};
  }
  Note operator()(const payload::SystemPromptOverride& system) const {
    return {system.text.empty() ? "the usual system prompt again" : "a system prompt", system.text};
  }
  Note operator()(const payload::RuntimeInit& init) const {
    return {"what the model was told first", init.system};
  }
  Note operator()(const payload::Title& title) const { return {"titled: " + title.text}; }
  Note operator()(const payload::Label& label) const {
    return {label.text.empty() ? "" : "label: " + label.text};
  }
  Note operator()(const payload::Snapshot& snapshot) const {
    return {snapshot.entry ? "snapshot: " + snapshot.name : ""};
  }
  template <class Other>
  Note operator()(const Other&) const {
    return {};
  }
};

// False: nothing of it is shown.
bool add_other(Json& out, const model::Entry& entry) {
  if (entry.type == model::type::compaction_summary || entry.type == model::type::branch_summary) {
    const auto json = parse_json(entry.payload);
    const std::string summary = json ? string_at(*json, "summary") : "";
    out["t"] = "summary";
    out["b"] = Json::array(
        {{"t", summary.empty() ? "*Older messages were left out for the model.*" : summary}});
    return true;
  }
  const auto known = model::read_payload(entry.type, entry.payload);
  const auto aside = model::aside_of(entry);
  const Note note = aside ? Note{"asked beside the conversation: " + aside->question, aside->answer}
                    : known ? std::visit(NoteOf{}, *known)
                            : Note{};
  // What others follow must be there, shown or not.
  if (note.words.empty() && model::is_marginal(entry.type)) return false;
  out["t"] = "note";
  out["n"] = note.words.empty() ? entry.type : note.words;
  if (!note.text.empty()) out["l"] = note.text;
  return true;
}

}  // namespace

JsonText inside_script(JsonText json) {
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;)
    json.replace(at, 1, "\\u003c");
  return json;
}

JsonText page_session(const ExportedSession& session) {
  Json leaves = Json::array();
  for (const Id leaf : session.leaves) leaves.push_back(to_string(leaf));
  return inside_script(dump({{"id", to_string(session.id)},
                             {"key", session.key},
                             {"title", session.title},
                             {"leaf", session.leaf ? Json(to_string(*session.leaf)) : Json()},
                             {"leaves", std::move(leaves)}}));
}

std::optional<JsonText> page_entry(const ExportedSession& session, const model::Entry& entry) {
  if (entry.type == model::type::session_header) return std::nullopt;
  Json out{{"i", to_string(entry.id)},
           {"p", entry.parent ? Json(to_string(*entry.parent)) : Json()},
           {"t", ""},
           {"at", entry.timestamp}};
  if (model::is_marginal(entry.type)) out["x"] = 1;
  if (const auto message = model::message_of(entry))
    add_message(out, session, *message);
  else if (!add_other(out, entry))
    return std::nullopt;
  return inside_script(dump(out));
}

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else if (byte < 0x20 && c != '\n' && c != '\t')
      out += "\xEF\xBF\xBD";
    else
      out += c;
  }
  return out;
}

}  // namespace skein::exchange::exporters
