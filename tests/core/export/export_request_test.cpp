#include "core/export/export_request.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/text/text.h"

using namespace skein;
using namespace skein::exporters;

namespace {

ExportRequest asked(std::string_view words) {
  const std::vector<std::string_view> pieces = split(words, ' ');
  return read_request(pieces);
}

}  // namespace

TEST_CASE("the words of an export say format, file and flags") {
  CHECK(asked("").format->name == "markdown");
  CHECK(asked("html").format->name == "html");
  CHECK(asked("html").file.empty());
  CHECK(asked("talk.html").format->name == "html");
  CHECK(asked("talk.pi.jsonl").format->name == "pi");
  CHECK(asked("text talk.md").format->name == "text");
  CHECK(asked("json a b.json").file == "a b.json");
  CHECK(asked("notes").file == "notes");
  const ExportRequest all = asked("pi --all-branches --redact-secrets --no-tools --no-thinking");
  CHECK(all.all_branches);
  CHECK(all.redact_secrets);
  CHECK_FALSE(all.show.tools);
  CHECK_FALSE(all.show.thinking);
  CHECK(asked("openai --branch 3fa1").branch == "3fa1");
}

TEST_CASE("what cannot be meant is wrong usage") {
  for (const char* words :
       {"talk.docx", "--format docx", "--all-branches openai --format openai", "--branch",
        "--branch a --all-branches", "--everything", "google --all-branches"}) {
    CAPTURE(words);
    try {
      asked(words);
      FAIL_CHECK("not refused");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::usage);
    }
  }
}

TEST_CASE("a file that nobody named is called after the key") {
  CHECK(file_name_for("main:cli:user", *exporters::format_named("html")) == "main-cli-user.html");
}
