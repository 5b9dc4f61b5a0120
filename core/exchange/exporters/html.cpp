#include "core/exchange/exporters/html.h"

#include "core/exchange/exporters/page.h"
#include "core/exchange/exporters/page_data.h"
#include "core/exchange/exporters/whole_output.h"
#include "core/model/message.h"
#include "core/text/base64.h"
#include "core/text/hex.h"
#include "core/text/json.h"
#include "core/text/sha256.h"

namespace skein::exchange::exporters {

namespace {

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
  std::string models;
  for (const std::string& model : session.models) models += (models.empty() ? "" : ", ") + model;
  std::string dates = day(session.created_at);
  if (!session.updated_at.empty() && day(session.updated_at) != dates)
    dates += " – " + day(session.updated_at);
  const std::string title = session.title.empty() ? "A conversation" : session.title;
  return "<header class=\"head\">\n<h1>" + html_escaped(title) + "</h1>\n<dl>\n" +
         fact("session", session.key, "mono") + fact("in", session.cwd, "mono") +
         fact("with", models) + fact("from", dates) + fact("used", session.usage) +
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
    const std::string text = words_of(block);
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
  const std::string title = session.title.empty() ? "A conversation" : session.title;
  sink(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      page_policy(live) +
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" "
      "content=\"noindex\">\n<meta name=\"generator\" content=\"skein\">\n<title>" +
      html_escaped(title) + "</title>\n<style>");
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

}  // namespace skein::exchange::exporters
