// Sessions of the claw0 tutorial and of its forerunner mini-claw: flat lines in which a turn's
// results may come before its prompt, and calls may stand twice.

#include "core/import/source/foreign_json.h"
#include "core/text/checksum.h"

namespace skein::importers {

namespace {

bool is_header(const Json& line) {
  return string_at(line, "type") == "session" && at(line, "key").is_string() &&
         !at(line, "created").is_null();
}

bool is_line(const Json& line) {
  const std::string type = string_at(line, "type");
  if (at(line, "ts").is_null() || line.contains("uuid") || line.contains("role")) return false;
  if (type == "tool_use" || type == "tool_result") return at(line, "tool_use_id").is_string();
  return (type == "user" || type == "assistant") && !at(line, "content").is_null();
}

// agents/<agent>/sessions/<id>.jsonl, or transcripts/<key>_<id>.jsonl: the id is the same whether
// the header could be read or not.
std::string id_in_name(const SourceFile& file) {
  const std::string name = name_without_ending(file);
  const std::string tail = name.substr(name.rfind('_') + 1);
  const bool hex =
      tail.size() == 12 && tail.find_first_not_of("0123456789abcdef") == std::string::npos;
  return hex ? tail : name;
}

ForeignSession claw0_session(const SourceFile& file, const legacy::Lines& lines) {
  ForeignSession out{.id = id_in_name(file)};
  if (!lines.objects.empty() && is_header(lines.objects.front())) {
    out.id = string_at(lines.objects.front(), "id", out.id);
    out.created_at = time_from(at(lines.objects.front(), "created"));
  }
  // The index is one folder up. Its keys are ids, or name the session's key.
  const Json index = json_beside(file.folder() + "/../sessions.json");
  if (index.is_object())
    for (const auto& [key, facts] : index.items()) {
      if (key != out.id && string_at(facts, "session_id") != out.id) continue;
      out.title = string_at(facts, "label");
      if (out.created_at.empty()) out.created_at = time_from(at(facts, "created_at"));
    }
  return out;
}

// Images were kept under the name of their hash; here they have the name the receiver gives them.
void keep_images(model::Message& message, const std::map<std::string, std::string>& names) {
  const auto rename = [&](auto& blocks) {
    for (auto& block : blocks)
      if (auto* image = std::get_if<model::Image>(&block))
        if (const auto name = names.find(image->blob); name != names.end())
          image->blob = name->second;
  };
  rename(message.content);
  for (model::Block& block : message.content)
    if (auto* result = std::get_if<model::ToolResult>(&block)) rename(result->content);
}

std::string give(legacy::Session read, const ReadOptions& options, Receiver& receiver) {
  std::map<std::string, std::string> names;
  for (const std::string& bytes : read.blobs) names[sha256_hex(bytes)] = receiver.keep(bytes);
  EntryChain chain(receiver);
  const std::string no_time = utc_from_ms(0);
  for (const model::Entry& entry : read.entries) {
    ForeignContent out;
    if (auto message = model::message_of(entry)) {
      keep_images(*message, names);
      out = *std::move(message);
    } else if (options.growing) {
      continue;  // its call may still be written
    } else {
      const auto orphan = parse_json(entry.payload);
      out = ForeignContext{"result", orphan ? string_at(*orphan, "text") : std::string{}};
    }
    chain.append(short_hash({entry.payload}, 16),
                 entry.timestamp == no_time ? std::string{} : entry.timestamp, std::move(out));
  }
  // A result without its call is imported as a context, so nothing is lost.
  for (const std::string& loss : read.losses)
    if (!loss.starts_with("a result of")) receiver.lose("lines and blocks of other kinds");
  return chain.last();
}

}  // namespace

bool is_claw0(const SourceFile& file) {
  return std::ranges::any_of(first_records(file, 3),
                             [](const Json& line) { return is_header(line) || is_line(line); });
}

void read_claw0(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  legacy::Lines lines;
  each_record(file, options, receiver, [&](const ForeignRecord& record) {
    lines.objects.push_back(std::move(record.json));
  });
  if (!receiver.begin(claw0_session(file, lines))) return;
  receiver.end(give(legacy::read_flat_lines(Id{}, lines), options, receiver));
}

}  // namespace skein::importers
