#include "core/import/arrays/message_array.h"

namespace skein::importers {

namespace {

const std::vector<Json>& list_in(const Json& json, const ArrayDialect& dialect) {
  for (const char* name : dialect.lists)
    if (const Json& list = at(json, name); list.is_array()) return elements(list);
  return elements(json);
}

// Who has a role speaks the dialect: another provider's messages differ only here and there.
bool speaks(const std::vector<Json>& messages, const ArrayDialect& dialect) {
  bool any = false;
  for (const Json& each : messages) {
    const bool ours = dialect.is_message(each);
    if (!each.is_object() || (!ours && each.contains("role"))) return false;
    any = any || ours;
  }
  return any;
}

bool is_conversation(const Json& json, const ArrayDialect& dialect) {
  return speaks(list_in(json, dialect), dialect);
}

// Reads conversations out of a file, and numbers them.
class ArrayReader {
 public:
  ArrayReader(const SourceFile& file, Receiver& receiver, const ArrayDialect& dialect)
      : file_(file), receiver_(receiver), dialect_(dialect) {}

  void conversation(const Json& json) {
    const Json none;
    const Json& facts = json.is_object() ? json : none;
    const std::vector<Json>& list = list_in(json, dialect_);
    if (list.empty() || !begin(facts, list.front())) return;
    ArrayWriter writer(receiver_, dialect_.reader(facts, receiver_));
    writer.instructions(dialect_.instructions(facts));
    for (const Json& message : list) writer.write(message);
    receiver_.end(writer.leaf());
  }

  bool begin(const Json& facts, const Json& first) {
    ForeignSession session{
        .id = short_hash({absolute_path(file_), std::to_string(number_++), dump(first)}, 24),
        .cwd = folder_named(string_at(facts, "cwd")),
        .title = string_at(facts, "title"),
        .created_at =
            time_from(first_of(facts, {"created_at", "createdAt", "created", "timestamp"}))};
    // An id in the file is better than the path.
    if (std::string id = first_string(facts, {"conversation_id", "sessionId", "session_id"});
        !id.empty())
      session.id = std::move(id);
    return receiver_.begin(session);
  }

 private:
  const SourceFile& file_;
  Receiver& receiver_;
  const ArrayDialect& dialect_;
  std::size_t number_ = 0;
};

// One message a line, or one conversation a line.
void read_lines(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                const ArrayDialect& dialect) {
  ArrayReader reader(file, receiver, dialect);
  const Json none;
  std::optional<ArrayWriter> writer;
  bool wanted = true;
  each_record(file, options, receiver, [&](const ForeignRecord& line) {
    const Json& record = line.json;
    if (!wanted) return;
    if (dialect.is_message(record)) {
      if (!writer && (wanted = reader.begin(none, record)))
        writer.emplace(receiver, dialect.reader(none, receiver));
      if (wanted) writer->write(record);
    } else if (!writer && is_conversation(record, dialect)) {
      reader.conversation(record);
    } else {
      receiver.lose("lines that are not messages");
    }
  });
  if (writer) receiver.end(writer->leaf());
}

}  // namespace

bool holds_array(const SourceFile& file, const ArrayDialect& dialect) {
  // What names no role is not worth being read whole, which is not quick.
  if (json_head(file).find("\"role\"") == std::string::npos) return false;
  const std::vector<Json> first = first_records(file, 4);
  if (!first.empty()) return is_conversation(first.front(), dialect) || speaks(first, dialect);
  return is_conversation(whole_json(file), dialect);
}

void read_array(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                const ArrayDialect& dialect) {
  if (const Json whole = whole_json(file); is_conversation(whole, dialect))
    return ArrayReader(file, receiver, dialect).conversation(whole);
  read_lines(file, options, receiver, dialect);
}

void ArrayWriter::instructions(const std::string& text) {
  if (!text.empty())
    chain_.append("instructions-" + short_hash({text}), {}, ForeignContext{"instructions", text});
}

void ArrayWriter::write(const Json& message) {
  ArrayMessage read = read_(message);
  const JsonText text = dump(message);
  const std::string hash = short_hash({text}, 16);
  const std::string time = time_from(first_of(message, {"timestamp", "ts", "created_at"}));
  for (std::size_t i = 0; i < read.said.size(); ++i)
    chain_.append(i == 0 ? hash : hash + "/" + std::to_string(i), time, std::move(read.said[i]),
                  i == 0 && read.unplaced ? text : JsonText{});
}

}  // namespace skein::importers
