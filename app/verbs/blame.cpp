// skein blame: which message and model wrote a line of a file.
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

#include "app/home.h"
#include "app/load_config.h"
#include "app/verbs/output.h"
#include "app/verbs/subcommands.h"
#include "core/checkpoints/blame.h"
#include "core/model/redaction.h"
#include "core/text/amounts.h"
#include "core/text/json_writer.h"
#include "core/text/text.h"

namespace skein::verbs {

using checkpoints::FileHistory, checkpoints::FileVersion, checkpoints::LineAuthor;
using checkpoints::LineOrigin, store::value_or_throw;

namespace {

namespace fs = std::filesystem;

struct Asked {
  std::string file{};  // absolute
  std::size_t line = 0;
};

Asked asked_about(const app::Invocation& invocation) {
  const std::string& given = invocation.arguments.at(0);
  const std::size_t colon = given.rfind(':');
  Asked out;
  const char* const end = given.data() + given.size();
  if (colon != std::string::npos && colon > 0) {
    const auto read = std::from_chars(given.data() + colon + 1, end, out.line);
    if (read.ec != std::errc{} || read.ptr != end) out.line = 0;
  }
  if (out.line == 0)
    throw Error("'" + given + "' names no line; say FILE:LINE, as src/main.c:12",
                ExitStatus::usage);
  std::error_code failed;
  const fs::path file =
      fs::canonical(fs::path(app::workspace_folder(invocation)) / given.substr(0, colon), failed);
  if (failed || !fs::is_regular_file(file))
    throw Error(given.substr(0, colon) + " is not a file", ExitStatus::usage);
  out.file = file.string();
  return out;
}

std::string_view name_of(FileVersion::By by, bool seen_before) {
  if (!seen_before) return "unknown";
  switch (by) {
    case FileVersion::By::turn: return "turn";
    case FileVersion::By::restore: return "restore";
    case FileVersion::By::outside: return "outside";
    case FileVersion::By::first: return "older";
  }
  return "";
}

// "2026-11-16 15:04": to the minute, as people look at it.
std::string minute_of(const std::string& time) {
  std::string out = time.substr(0, 16);
  if (out.size() > 10) out[10] = ' ';
  return out;
}

struct Found {
  std::string text{};  // of the line
  FileVersion version{};
  LineOrigin origin{};
  bool seen_before = false;            // by any checkpoint
  std::optional<LineAuthor> author{};  // of a turn
  std::optional<store::SessionRecord> session{};
};

JsonText json_of(const Asked& asked, const Found& found) {
  std::string out;
  JsonWriter writer(out);
  writer.text("file", model::escaped_path(asked.file));
  writer.number("line", static_cast<std::int64_t>(asked.line));
  writer.text("text", valid_utf8(found.text));
  writer.text("origin", name_of(found.version.by, found.seen_before));
  writer.truth("certain", found.origin.lost == 0);
  writer.text_if("since", found.version.since);
  writer.text_if("seen", found.seen_before ? found.version.seen.time : "");
  if (found.session) {
    writer.text("session", to_string(found.session->header.session));
    writer.text("key", found.session->key);
  }
  if (found.author) {
    writer.text("prompt", to_string(found.author->prompt.id));
    writer.text("prompt_text", valid_utf8(model::preview(found.author->prompt, 200)));
    if (found.author->entry) writer.text("entry", to_string(found.author->entry->id));
    writer.text_if("call", valid_utf8(found.author->call));
    writer.text_if("model", found.author->model);
  }
  writer.end();
  return out;
}

void print_author(const Found& found) {
  const LineAuthor& author = *found.author;
  print_line("written " + minute_of(found.version.seen.time) + " UTC in " + found.session->key +
             (author.model.empty() ? "" : " by " + author.model));
  print_line("  " + to_string(author.prompt.id) + "  " + model::preview(author.prompt, 70));
  if (author.entry)
    print_line("  " + to_string(author.entry->id) + "  " +
               std::string(split(author.call, '\n').front()));
  if (found.origin.lost > 0)
    print_line("or by what changed the file right before: " +
               counted(found.origin.lost, "earlier state is", "earlier states are") +
               " not kept any more");
}

void print_found(const Found& found) {
  using By = FileVersion::By;
  const FileVersion& version = found.version;
  if (!found.seen_before) return print_line("no checkpoint of any session has seen this file");
  if (found.author) return print_author(found);
  switch (version.by) {
    case By::first:
      return print_line("older than any checkpoint: it was there when the file was first seen, " +
                        minute_of(version.seen.time) + " UTC");
    case By::restore:
      return print_line("put back " + minute_of(version.seen.time) +
                        " UTC from a time no checkpoint has seen");
    case By::turn:
    case By::outside: break;
  }
  const std::string until =
      version.seen.time.empty() ? "" : " and " + minute_of(version.seen.time) + " UTC";
  print_line("changed by hand, or by another program, " +
             std::string(until.empty() ? "since " : "between ") + minute_of(version.since) +
             (until.empty() ? " UTC, when it was last seen" : until));
}

}  // namespace

int blame_line(const app::Invocation& invocation) {
  const Asked asked = asked_about(invocation);
  store::SessionStore store = app::open_store(invocation);
  catalog::Catalog catalog;
  const config::Config config = app::load_config(invocation, "", catalog);
  const fs::path file(asked.file);
  checkpoints::WorkspaceFiles folder(
      store, app::contents_of(invocation, store), file.parent_path().string(),
      app::own_places(invocation),
      config.sandbox ? *config.sandbox : tools::sandbox::best_sandbox());
  const FileHistory history(folder, file.filename().string());
  for (const std::string& trouble : history.troubles()) tell_user(trouble);
  const std::string now = history.text(history.versions().back()).value_or("");
  const auto lines = split(
      now.ends_with('\n') ? std::string_view(now).substr(0, now.size() - 1) : std::string_view(now),
      '\n');
  if (now.empty() || asked.line > lines.size())
    throw Error(asked.file + " has " + counted(now.empty() ? 0 : lines.size(), "line"),
                ExitStatus::usage);
  Found found{.text = std::string(lines[asked.line - 1])};
  found.origin = checkpoints::origin_of_line(
      history.versions(), asked.line,
      [&](const FileVersion& version) { return history.text(version); });
  found.version = history.versions()[found.origin.version];
  found.seen_before = !history.versions().front().seen.time.empty();
  if (found.version.by == FileVersion::By::turn) {
    found.session = value_or_throw(store.open(found.version.seen.session));
    found.author =
        value_or_throw(checkpoints::author_of(store, found.version, asked.file, found.text));
    const auto& redacted = found.session->state.redacted;
    found.author->prompt = model::masked(found.author->prompt, redacted);
    if (found.author->entry && redacted.contains(found.author->entry->id))
      found.author->call = "(redacted)";
  }
  print_answer(invocation, invocation.has("--json") ? json_of(asked, found) : JsonText{},
               found.text);
  if (!invocation.has("--json")) print_found(found);
  return found.author ? 0 : static_cast<int>(ExitStatus::turn);
}

}  // namespace skein::verbs
