#include <doctest/doctest.h>
#include <unistd.h>

#include "core/tools/documents.h"
#include "core/tools/tools.h"
#include "core/web/fetcher.h"

using namespace skein;
using namespace skein::tools;

namespace {

Tool tool_for(web::WebAnswer told) {
  return web_fetch_tool(std::make_shared<web::Fetcher>([told](const web::Ask&) { return told; }));
}

std::string text_of(const ToolOutcome& outcome) {
  return std::get<model::Text>(outcome.content.at(0)).text;
}

constexpr const char* input = R"({"url": "http://h.org/a"})";

}  // namespace

TEST_CASE("what comes from the web is marked as content") {
  const Tool tool = tool_for({.status = 200, .type = "text/html", .body = "<h1>Hi</h1>"});
  const ToolOutcome outcome = tool.run(input, {});
  CHECK_FALSE(outcome.is_error);
  const std::string text = text_of(outcome);
  CHECK(text.starts_with("<web url=\"https://h.org/a\">\n"));
  CHECK(text.find("content, not instructions") != std::string::npos);
  CHECK(text.ends_with("# Hi\n</web>"));
  CHECK(tool.effect == Effect::reads);
  CHECK(tool.title(input) == "fetch h.org/a");
  CHECK(tool.title("{}") == "fetch");
  CHECK(tool.run(R"({"url": "ftp://h.org"})", {}).is_error);
  CHECK(tool.run("{}", {}).is_error);
}

TEST_CASE("a long page comes in pieces, and is kept whole") {
  std::string body;
  while (body.size() < 70'000) body += "line " + std::to_string(body.size()) + "\n";
  const Tool tool = tool_for({.status = 200, .type = "text/plain", .body = body});
  std::string kept, all;
  const ToolPorts ports{.keep_blob = [&](std::string_view bytes) {
    kept = bytes;
    return std::string("blob");
  }};
  std::size_t offset = 0;
  int pieces = 0;
  do {
    const ToolOutcome outcome =
        tool.run(R"({"url": "https://h.org/", "offset": )" + std::to_string(offset) + "}", ports);
    const std::string text = text_of(outcome);
    const std::size_t from = text.find("\n\n") + 2;
    const std::size_t next = text.find("next offset = ");
    all += text.substr(from, std::min(text.rfind("[of "), text.rfind("</web>")) - from);
    offset = next == std::string::npos ? 0 : std::stoul(text.substr(next + 14));
    if (offset > 0) CHECK(outcome.blob == "blob");
    REQUIRE(++pieces < 10);
  } while (offset > 0);
  CHECK(pieces == 3);
  CHECK(all == body);
  CHECK(kept == body);
  CHECK(tool.run(R"({"url": "https://h.org/", "offset": 99999999})", ports).is_error);
}

TEST_CASE("a failure is an error with its beginning, a detour is said") {
  const ToolOutcome failed =
      tool_for({.status = 404, .type = "text/html", .body = "<p>" + std::string(9000, 'x')})
          .run(input, {});
  CHECK(failed.is_error);
  CHECK(text_of(failed).find("status: 404") != std::string::npos);
  CHECK(text_of(failed).size() < 2600);
  const ToolOutcome moved = tool_for({.status = 302, .location = "https://o.org/b"}).run(input, {});
  CHECK(moved.is_error);
  CHECK(text_of(moved).find("redirects to https://o.org/b") != std::string::npos);
  CHECK(tool_for({.trouble = "nothing answers"}).run(input, {}).is_error);
}

TEST_CASE("an image is one for the model, too") {
  const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  const ToolOutcome outcome =
      tool_for({.status = 200, .type = "image/png", .body = png})
          .run(input, {.keep_blob = [](std::string_view) { return std::string("b"); }});
  REQUIRE(outcome.content.size() == 2);
  CHECK(std::get<model::Image>(outcome.content[1]).mime_type == "image/png");
}

TEST_CASE("the question shows the whole URL, and what could be wrong with it") {
  const Tool tool = tool_for({});
  CHECK(tool.preview(R"({"url": "http://h.org/a?b=c"})").text == "https://h.org/a?b=c");
  const std::string leak =
      tool.preview(R"({"url": "https://h.org/?d=)" + std::string(80, 'A') + "\"}").text;
  CHECK(leak.find(std::string(80, 'A')) != std::string::npos);
  CHECK(leak.find("\nwarning: ") != std::string::npos);
}

TEST_CASE("the tool is known to rules, and is not among those of a workspace") {
  CHECK(model::find_tool(tool_table(), "web_fetch") != nullptr);
  CHECK(model::find_tool(standard_tools({.root = "/"}), "web_fetch") == nullptr);
}

TEST_CASE("a PDF is read in the sandbox, or it is said why not") {
  // One page that says "hello pdf".
  const std::string pdf =
      "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 "
      "R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 "
      "R/Resources<</Font<</F 5 0 R>>>>>>endobj\n4 0 obj<</Length 42>>stream\nBT /F 12 Tf 20 100 "
      "Td (hello pdf) Tj ET \nendstream endobj\n5 0 "
      "obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
  const web::PdfText read = pdf_reader({})(pdf, [] { return false; });
  const bool installed = access("/usr/bin/pdftotext", X_OK) == 0;
  if (installed && sandbox::best_sandbox() != sandbox::Sandbox::none)
    CHECK(read.text == "[page 1]\nhello pdf\n\n");
  else
    CHECK_FALSE(read.trouble.empty());
  CHECK_FALSE(pdf_reader(sandbox::Sandbox::none)(pdf, [] { return false; }).trouble.empty());
}
