#include "core/exchange/importers/message_array.h"

#include <algorithm>
#include <optional>

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/legacy/blocks.h"

namespace skein::exchange::importers {

namespace {

const Json& list_in(const Json& json, const ArrayDialect& dialect) {
  if (json.is_array()) return json;
  for (const char* name : dialect.lists)
    if (const Json& list = at(json, name); list.is_array()) return list;
  return at(json, "");
}

// Who has a role speaks the dialect: another provider's messages differ only here and there.
template <class Messages>
bool speaks(const Messages& messages, const ArrayDialect& dialect) {
  bool any = false;
  for (const Json& each : messages) {
    const bool ours = dialect.is_message(each);
    if (!each.is_object() || (!ours && each.contains("role"))) return false;
    any = any || ours;
  }
  return any;
}

bool is_conversation(const Json& json, const ArrayDialect& dialect) {
  const Json& list = list_in(json, dialect);
  return list.is_array() && speaks(list, dialect);
}

// Reads conversations out of a file, and numbers them.
class ArrayReader {
 public:
  ArrayReader(const SourceFile& file, Receiver& receiver, const ArrayDialect& dialect)
      : file_(file), receiver_(receiver), dialect_(dialect) {}

  void conversation(const Json& json) {
    const Json none;
    const Json& facts = json.is_object() ? json : none;
    const Json& list = list_in(json, dialect_);
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
        .created_at = legacy::time_of(
            legacy::first_of(facts, {"created_at", "createdAt", "created", "timestamp"}))};
    // A name of its own is better than a place.
    for (const char* name : {"session_id", "sessionId", "conversation_id"})
      if (std::string id = string_at(facts, name); !id.empty()) session.id = std::move(id);
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
  each_record(file, options, receiver, [&](const Json& record, std::string_view) {
    if (dialect.is_message(record)) {
      if (!writer) {
        if (!reader.begin(none, record)) return false;
        writer.emplace(receiver, dialect.reader(none, receiver));
      }
      writer->write(record);
    } else if (!writer && is_conversation(record, dialect)) {
      reader.conversation(record);
    } else {
      receiver.lose("lines that are no messages");
    }
    return true;
  });
  if (writer) receiver.end(writer->leaf());
}

// Worth being read whole, which is not quick.
bool may_hold(const SourceFile& file) {
  const std::string head = file.head();
  const std::size_t begin = head.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  return begin != std::string::npos && (head[begin] == '[' || head[begin] == '{') &&
         head.find("\"role\"") != std::string::npos;
}

}  // namespace

bool holds_array(const SourceFile& file, const ArrayDialect& dialect) {
  if (!may_hold(file)) return false;
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
    chain_.append({.id = "instructions-" + short_hash({text}),
                   .content = ForeignContext{"instructions", text}});
}

void ArrayWriter::write(const Json& message) {
  ArrayMessage read = read_(message);
  const JsonText text = dump(message);
  const std::string hash = short_hash({text}, 16);
  for (std::size_t i = 0; i < read.said.size(); ++i)
    std::visit(
        [&](auto& said) {
          chain_.append({.id = i == 0 ? hash : hash + "/" + std::to_string(i),
                         .time = legacy::time_of(
                             legacy::first_of(message, {"timestamp", "ts", "created_at"})),
                         .content = std::move(said),
                         .raw = i == 0 && read.unplaced ? text : JsonText{}});
        },
        read.said[i]);
}

}  // namespace skein::exchange::importers
