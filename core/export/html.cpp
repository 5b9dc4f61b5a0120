#include "core/export/html.h"

#include "core/model/payloads.h"
#include "core/text/checksum.h"
#include "core/text/encoding.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::exporters {

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
                                    : Json{"t", "*(an image that is no longer stored)*"});
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
struct PageNote {
  std::string words{}, text{};
};
struct PageNoteOf {
  PageNote operator()(const payload::ModelChange& change) const {
    return {change.provider + "/" + change.model +
            (change.reason.empty() ? "" : " (" + change.reason + ")")};
  }
  PageNote operator()(const payload::ThinkingLevelChange& change) const {
    return {"thinking: " + change.level};
  }
  PageNote operator()(const payload::SystemPromptOverride& system) const {
    return {system.text.empty() ? "the usual system prompt again" : "a system prompt", system.text};
  }
  PageNote operator()(const payload::RuntimeInit& init) const {
    return {"initial context of the model", init.system};
  }
  PageNote operator()(const payload::Title& title) const { return {"titled: " + title.text}; }
  PageNote operator()(const payload::Label& label) const {
    return {label.text.empty() ? "" : "label: " + label.text};
  }
  PageNote operator()(const payload::Snapshot& snapshot) const {
    return {snapshot.entry ? "snapshot: " + snapshot.name : ""};
  }
  template <class Other>
  PageNote operator()(const Other&) const {
    return {};
  }
};

// False: nothing of it is shown.
bool add_other(Json& out, const model::Entry& entry) {
  if (const auto summary = summary_of(entry)) {
    out["t"] = "summary";
    out["b"] = Json::array(
        {{"t", summary->empty() ? "*Older messages were left out for the model.*" : *summary}});
    return true;
  }
  const auto known = model::read_payload(entry.type, entry.payload);
  const auto aside = model::aside_of(entry);
  const PageNote note = aside   ? PageNote{"side question: " + aside->question, aside->answer}
                        : known ? std::visit(PageNoteOf{}, *known)
                                : PageNote{};
  // What others follow must be there, shown or not.
  if (note.words.empty() && model::is_marginal(entry.type)) return false;
  out["t"] = "note";
  out["n"] = note.words.empty() ? entry.type : note.words;
  if (!note.text.empty()) out["l"] = note.text;
  return true;
}

// `<` as \u003c: no text can end the element that contains it, or begin a comment.
JsonText inside_script(JsonText json) {
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;)
    json.replace(at, 1, "\\u003c");
  return json;
}

// The session itself, without its entries.
JsonText page_session(const ExportedSession& session) {
  Json leaves = Json::array();
  for (const Id leaf : session.leaves) leaves.push_back(to_string(leaf));
  return inside_script(dump({{"id", to_string(session.id)},
                             {"key", session.key},
                             {"title", session.title},
                             {"leaf", session.leaf ? Json(to_string(*session.leaf)) : Json()},
                             {"leaves", std::move(leaves)}}));
}

// Of a tool's output without script: the page has all of it once already.
constexpr std::size_t most_plain_output = 2000;
constexpr std::size_t entries_in_a_script = 500;
constexpr std::size_t bytes_in_a_script = 1 << 20;

std::string source_hash(std::string_view source) {
  const std::string hex = sha256_hex(source);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 8) {
    std::uint32_t four = 0;
    parse_hex8(hex.data() + i, four);
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(four >> shift & 0xff);
  }
  return "'sha256-" + base64(bytes) + "'";
}

std::string fact(std::string_view name, std::string_view value, std::string_view classes = {}) {
  if (value.empty()) return {};
  return "<div><dt>" + std::string(name) + "</dt><dd" +
         (classes.empty() ? "" : " class=\"" + std::string(classes) + "\"") + ">" +
         html_escaped(value) + "</dd></div>\n";
}

std::string day(const std::string& timestamp) {
  return timestamp.size() < 16 ? timestamp
                               : timestamp.substr(0, 10) + " " + timestamp.substr(11, 5);
}

std::string page_head(const ExportedSession& session) {
  std::string dates = day(session.created_at);
  if (!session.updated_at.empty() && day(session.updated_at) != dates)
    dates += " – " + day(session.updated_at);
  return "<header class=\"head\">\n<h1>" + html_escaped(shown_title(session)) + "</h1>\n<dl>\n" +
         fact("session", session.key, "mono") + fact("in", session.cwd, "mono") +
         fact("with", listed(session.models)) + fact("from", dates) + fact("used", session.usage) +
         fact("seal", session.seal, session.seal.starts_with("intact") ? "" : "bad") +
         "</dl>\n</header>\n";
}

constexpr std::string_view page_frame = R"html(<div id="app" class="hidden">
<div class="bar"><div>
<button id="branches" type="button">Branches</button>
<input type="search" placeholder="Search ( / )" aria-label="search this conversation" autocomplete="off" spellcheck="false">
<output></output>
<button id="tools" class="wide" type="button" aria-pressed="true">Tools</button>
<button id="thinking" class="wide" type="button" aria-pressed="true">Thinking</button>
</div></div>
<div class="frame"><nav class="tree" aria-label="branches"></nav><main></main></div>
</div>
)html";

void write_data(const ExportedSession& session, const Sink& sink) {
  sink("<script type=\"application/json\" id=\"session\">" + page_session(session) + "</script>\n");
  std::string piece;
  std::size_t count = 0;
  const auto flush = [&] {
    if (count > 0)
      sink("<script type=\"application/json\" class=\"entries\">[" + piece + "]</script>\n");
    piece.clear();
    count = 0;
  };
  session.each_entry([&](const model::Entry& entry) {
    const auto json = page_entry(session, entry);
    if (!json) return;
    piece += (count++ > 0 ? ",\n" : "") + *json;
    if (count == entries_in_a_script || piece.size() > bytes_in_a_script) flush();
  });
  flush();
}

struct PlainWriter {
  const ExportedSession& session;
  std::string& out;

  void operator()(const model::Text& block) const {
    out += "<div class=\"plain\">" + html_escaped(block.text) + "</div>\n";
  }
  void operator()(const model::Thinking&) const {}
  void operator()(const model::Image& block) const {
    const LoadedImage loaded = load_image(session, block);
    if (loaded.there()) out += "<img alt=\"an image\" src=\"" + loaded.data_url() + "\">\n";
  }
  void operator()(const model::ToolUse& block) const {
    out += "<pre>" + html_escaped(block.name + " " + block.input) + "</pre>\n";
  }
  void operator()(const model::ToolResult& block) const {
    const std::string text = model::plain_text(block);
    const std::string_view shown = utf8_prefix(text, most_plain_output);
    out += "<pre>" + html_escaped(shown) + (shown.size() < text.size() ? " …" : "") + "</pre>\n";
  }
  void operator()(const model::Opaque&) const {}
};

// A browser that runs scripts reads past this without making elements of it.
void write_plain_body(const ExportedSession& session, const Sink& sink) {
  sink("<noscript><div class=\"static\">\n");
  session.each_entry([&](const model::Entry& entry) {
    const auto message = model::message_of(entry);
    if (!message || message->continuation) return;
    const std::string who = message->role == model::Role::user   ? "You"
                            : message->role == model::Role::tool ? "Result"
                            : message->model.empty()             ? "Assistant"
                                                                 : message->model;
    std::string out = "<h2 id=\"s-" + to_string(entry.id) + "\">" + html_escaped(who) + "</h2>\n";
    for (const model::Block& block : message->content) std::visit(PlainWriter{session, out}, block);
    if (!message->error.empty())
      out += "<p class=\"error\">" + html_escaped(message->error) + "</p>\n";
    sink(out);
  });
  sink("</div></noscript>\n");
}

void write_page(const ExportedSession& session, const Sink& sink, bool live) {
  sink(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      page_policy(live) +
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" "
      "content=\"noindex\">\n<meta name=\"generator\" content=\"skein\">\n<title>" +
      html_escaped(shown_title(session)) + "</title>\n<style>");
  sink(page_style);
  sink("</style>\n</head>\n" + std::string(live ? "<body data-live=\"yes\">\n" : "<body>\n") +
       page_head(session));
  sink(page_frame);
  write_plain_body(session, sink);
  write_data(session, sink);
  sink("<script>");
  sink(page_script);
  sink("</script>\n</body>\n</html>\n");
}

}  // namespace

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

std::string page_policy(bool live) {
  return "default-src 'none'; style-src " + source_hash(page_style) + "; script-src " +
         source_hash(page_script) + "; img-src data:; base-uri 'none'; form-action 'none'" +
         (live ? "; connect-src 'self'" : "");
}

void write_html(const ExportedSession& session, const Sink& sink) {
  write_page(session, sink, false);
}

void write_live_html(const ExportedSession& session, const Sink& sink) {
  write_page(session, sink, true);
}

}  // namespace skein::exporters
