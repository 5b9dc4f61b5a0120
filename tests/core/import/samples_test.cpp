// Small files as the programs themselves write them, with invented content.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/support/collected_import.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using test::CollectedImport;
using test::CollectedSession;

namespace {

struct Sample {
  const char* file;
  const char* format;
  const char* title;
  std::vector<int> counts;  // prompts, answers, calls, results, contexts
  const char* path;
};

const Sample samples[] = {
    {"claude-code.jsonl",
     "claude-code",
     "Watering plan",
     {3, 4, 1, 1, 1},
     "user: How often are the tomatoes watered?\n"
     "assistant:  [Read]\n"
     "tool: tomatoes: every second day\n"
     "assistant: Every second day.\n"
     "user: And the herbs?\n"
     "assistant: Once a week.\n"},
    {"codex.jsonl",
     "codex",
     "",
     {2, 3, 1, 1, 1},
     "user: Which loaves are left?\n"
     "assistant:  [shell]\n"
     "tool: Exit code: 0\nOutput:\nrye\nspelt\n"
     "assistant: Rye and spelt.\n"
     "user: Put the rye aside.\n"
     "assistant: Done.\n"},
    {"pi.jsonl",
     "pi",
     "Opening hours",
     {2, 3, 1, 1, 0},
     "user: When does it close?\n"
     "assistant: At six.\n"},
    {"gemini.jsonl",
     "gemini",
     "",
     {3, 4, 1, 1, 0},
     "user: Name a bird that cannot fly.\n"
     "assistant:  [read_file]\n"
     "tool: kiwi\n"
     "assistant: The kiwi.\n"
     "user: A fish that can.\n"
     "assistant: The flying fish.\n"},
    {"openai.json",
     "openai",
     "",
     {1, 2, 1, 1, 1},
     "user: Is the atlas in?\n"
     "assistant:  [find]\n"
     "tool: shelf 4\n"
     "assistant: It is on shelf 4.\n"},
};

std::string path_of(const Sample& sample) {
  return std::string(SKEIN_SOURCE_DIR "/tests/core/import/samples/") + sample.file;
}

}  // namespace

TEST_CASE("a sample of each family is recognized and read whole") {
  for (const Sample& sample : samples) {
    CAPTURE(sample.file);
    auto file = importers::SourceFile::open(path_of(sample));
    const auto* format = importers::format_of(std::get<importers::SourceFile>(file));
    CHECK(format == importers::format_named(sample.format));
    const CollectedImport read = test::collect_file(path_of(sample));
    CHECK(read.faults == std::vector<std::string>{});
    CHECK(read.losses.empty());
    REQUIRE(read.sessions.size() == 1);
    const CollectedSession& session = read.sessions[0];
    CHECK(session.session.title == sample.title);
    CHECK(std::vector<int>{session.prompts(), session.answers(), session.calls(), session.results(),
                           session.contexts()} == sample.counts);
    CHECK(session.path() == sample.path);
  }
}

TEST_CASE("a sample that is cut after any line has no ids that the whole one lacks") {
  for (const Sample& sample : samples) {
    if (!std::string_view(sample.file).ends_with(".jsonl"))
      continue;  // part of a JSON value is none
    CAPTURE(sample.file);
    const std::string bytes = test::read_file(path_of(sample));
    const std::set<std::string> all = test::ids_of(test::collect_file(path_of(sample)));
    CHECK(test::ids_of(test::collect_file(path_of(sample))) == all);
    for (std::size_t end = bytes.find('\n'); end != std::string::npos;
         end = bytes.find('\n', end + 1))
      for (const std::string& id : test::ids_of(
               test::collect_bytes(path_of(sample), bytes.substr(0, end + 1), sample.format)))
        // What is unfinished has an id that the finished one will not have.
        if (id.find('+') == std::string::npos) CHECK_MESSAGE(all.contains(id), id);
  }
}
