#include "core/exchange/importers/pi.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/importers/pi_lines.h"
#include "core/exchange/importers/pi_message.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

namespace {

constexpr std::string_view pi_name = "pi";

// For a file whose first line is damaged.
bool is_pi_entry(const Json& json) {
  return has_word(
             "message model_change thinking_level_change usage compaction context_edit "
             "branch_summary custom custom_message label session_info",
             string_at(json, "type")) &&
         json.contains("parentId") && at(json, "id").is_string() &&
         at(json, "timestamp").is_string();
}

void read_pi(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  read_pi_lines(file, options, pi_name, pi_session_in(file), receiver);
}

std::vector<std::string> pi_places(const Environment& environment) {
  const std::string own = environment("PI_CODING_AGENT_DIR");
  return {(own.empty() ? environment("HOME") + "/.pi/agent" : own) + "/sessions"};
}

}  // namespace

Format pi() {
  return {.name = pi_name,
          .agent = "pi",
          .channel = "pi",
          .recognizes = has_pi_lines,
          .read = read_pi,
          .places = pi_places};
}

bool has_pi_lines(const SourceFile& file) {
  // What OpenClaw has put aside, or keeps to go back to, was a session once.
  for (const char* aside : {".jsonl.reset.", ".jsonl.deleted.", ".checkpoint."})
    if (file.name().find(aside) != std::string::npos) return false;
  const std::string head = file.head();
  std::string_view rest = head;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  if (!rest.starts_with('{')) return false;
  constexpr int most_lines = 8;  // that may be damaged
  for (int i = 0; i < most_lines && !rest.empty(); ++i) {
    const std::size_t end = rest.find('\n');
    std::string_view line = trimmed(rest.substr(0, end), "\r");
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (pi_header(line)) return true;
    std::optional<bool> entry;
    each_pi_record(line, [&](const Json& json, std::string_view) {
      entry = entry.value_or(false) || is_pi_entry(json);
    });
    if (entry) return *entry;
  }
  return false;
}

ForeignSession pi_session_in(const SourceFile& file) {
  std::optional<PiHeader> header;
  ForeignSession session;
  std::size_t lines = 0;
  file.lines([&](const SourceFile::Line& line) {
    if (++lines == 1) header = pi_header(line.text);
    if (line.text.find("\"session_info\"") == std::string_view::npos) return true;
    each_pi_record(line.text, [&](const Json& json, std::string_view) {
      if (string_at(json, "type") == "session_info") session.title = string_at(json, "name");
    });
    return true;
  });
  session.id = header ? header->id : pi_id_in_name(file.name());
  if (!header) return session;
  session.cwd = header->cwd;
  session.created_at = header->time;
  session.parent = header->parent;
  return session;
}

void read_pi_lines(const SourceFile& file, const ReadOptions& options, std::string_view format,
                   const ForeignSession& session, Receiver& receiver) {
  if (!receiver.begin(session)) return;
  PiLines lines(format, session.id, receiver);
  bool first = true;
  const std::size_t too_long = file.lines([&](const SourceFile::Line& line) {
    if (std::exchange(first, false))
      if (const auto header = pi_header(line.text)) lines.begin(*header);
    const bool unfinished = options.growing && !line.ended;
    if (!lines.add(line.text) && !unfinished) receiver.lose("damaged lines");
    return true;
  });
  for (std::size_t i = 0; i < too_long; ++i) receiver.lose("lines that are too long");
  receiver.end(lines.leaf());
}

}  // namespace skein::exchange::importers
