// The JSON in other programs' files, whatever happened to it: lines that are cut, glued together or
// damaged, or one value over the whole file; and the values in it as ours. For .cpp files only.
#pragma once

#include "core/import/source/format.h"
#include "core/import/source/source_file.h"
#include "core/legacy/session.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::importers {

// 1 to 128 printable ASCII characters that need no escape.
bool is_id(std::string_view text);
// The same without the characters by which we make further ids of one.
bool is_entry_id(std::string_view text);
// The member if it is a string and an id; else empty.
std::string id_at(const Json& object, std::string_view key);
// As parse_json; what only fails for lone surrogates or bytes that are not UTF-8 is mended first.
std::optional<Json> read_json(std::string_view text);

// An object in a file of lines; valid until the next.
struct ForeignRecord {
  Json& json;                  // may be moved from
  std::string_view text{};     // mended where it had to be
  std::string_view written{};  // as it is in the file
  std::uint64_t offset = 0;    // of `written`
};
using EachRecord = std::function<void(const ForeignRecord& record)>;

// The objects in a line: one, or several that were glued together. `begin`: where the line is.
// False: its end, or all of it, cannot be read.
bool each_object(std::string_view line, const EachRecord& each, std::uint64_t begin = 0);

// Every object of a file of lines that end before `end`. What is none is lost, except for a last
// line that may still be under way.
void each_record(const SourceFile& file, const ReadOptions& options, Receiver& receiver,
                 const EachRecord& each, std::uint64_t end = UINT64_MAX);

// The first objects of a file of lines, as far as they lie in its head; for telling whose it is.
std::vector<Json> first_records(const SourceFile& file, std::size_t most);

// The file's first bytes, from the brace or bracket it begins with; empty: it begins with neither.
std::string json_head(const SourceFile& file);

// Whether it begins with an object in whose beginning all of these names are.
bool begins_with_object_of(const SourceFile& file, std::initializer_list<std::string_view> names);

// The first object of the file; null: it does not begin with one.
Json first_record(const SourceFile& file);

// The file as one value; null if it is none, or too large to be held in memory.
Json whole_json(const SourceFile& file, std::uint64_t most = std::uint64_t{256} << 20);

// The same of a file that read_plain_file() gives.
Json plain_json(const std::string& folder, const std::string& name);

// Another file, of at most 64 MiB, as one value; null if it cannot be read.
Json json_beside(const std::string& path);

using legacy::first_of;
// The first of these members that is a string and not empty; empty: none is.
std::string first_string(const Json& object, std::initializer_list<const char*> keys);

// An ISO time, or seconds or milliseconds since 1970, as transcripts write times; empty: neither.
inline std::string time_from(const Json& value) { return legacy::time_of(value); }
// What an entry keeps of the line it came from.
inline JsonText raw_if(bool kept, std::string_view line) { return JsonText(kept ? line : ""); }
// The line a record came from, put behind those that are in `raw` already.
void add_raw(JsonText& raw, std::string_view record);

// The id of a line without one, made of what is written on it.
std::string line_id(std::string_view written);
// Whether another line may be joined to those of an entry: it must fit into memory.
inline bool has_room(std::size_t lines, std::uint64_t bytes) {
  return lines < 4096 && bytes < (std::uint64_t{64} << 20);
}

// A number of tokens or the like: never negative, whole even where it was written with a point, and
// small enough to be added to others.
std::int64_t count_at(const Json& object, std::string_view key);
// The counts under these names: input, output, read from a cache, written to one.
model::Usage usage_named(const Json& counts, const std::array<const char*, 4>& names);
// The stop that a program calls so; `otherwise` if it is none of these.
using NamedStop = std::pair<std::string_view, model::Stop>;
model::Stop stop_named(std::string_view name, std::initializer_list<NamedStop> stops,
                       model::Stop otherwise);
// Of a text that a program put between the user's: its label, by how it begins; empty: the user
// typed it.
struct ContextBeginning {
  std::string_view text, label;
};
std::string_view context_label(std::string_view text, std::span<const ContextBeginning> beginnings);

// A call's arguments: an object, the text of one, or something else as the member `_raw`.
JsonText call_input(const Json& value);

// An image as a blob; none if `base64` is no image, or cannot be kept.
std::optional<model::Image> kept_image(Receiver& receiver, std::string_view mime_type,
                                       std::string_view base64);
// The same from data:image/png;base64,…
std::optional<model::Image> kept_image_at(Receiver& receiver, std::string_view url);

// The text of a string, or of parts that are strings or have a `text`.
std::string joined_texts(const Json& content, std::string_view between);

// At the end, unless there is nothing to add.
template <class Blocks>
void add_text(Blocks& blocks, std::string text) {
  if (!text.empty()) blocks.emplace_back(model::Text{std::move(text)});
}
void add_thinking(std::vector<model::Block>& blocks, std::string text);
template <class Blocks>
bool add_image(Blocks& blocks, std::optional<model::Image> image) {  // false: there is none
  if (image) blocks.emplace_back(*std::move(image));
  return image.has_value();
}

template <class... Kinds>
void erase_blocks(std::vector<model::Block>& blocks) {
  std::erase_if(blocks, [](const model::Block& block) {
    return (std::holds_alternative<Kinds>(block) || ...);
  });
}

// The texts, images and unknown blocks among these, which are all that a result may have.
std::vector<model::ResultBlock> as_result(std::vector<model::Block> blocks);
// Texts as they are, images by the names of their blobs.
std::string as_text(const std::vector<model::Block>& blocks);
model::Message result_message(model::ToolResult result);
// Why an answer ended that does not say so itself.
model::Stop stop_by_calls(const std::vector<model::Block>& blocks);
// The same where only whole blocks are written: what has words has them all.
model::Stop end_of(const std::vector<model::Block>& blocks);

// The message for the model about a command that the user ran, as skein itself records it. Without
// a whole number as its exit status it was stopped.
std::string ran_command(std::string_view command, std::string_view output, const Json& exit_status);

// Whether a number other than 0 follows the first of these words that has a number behind it.
bool says_failed(std::string_view text, std::initializer_list<std::string_view> words);

// Whether one file name, from a file that may be hostile, stays in the folder it is put behind.
bool is_plain_name(std::string_view name);
// Text of another program as the name of a folder: a whole path without control characters, or
// nothing.
std::string folder_named(std::string_view text);
// The path from the root, independent of the current folder.
std::string absolute_path(const SourceFile& file);
// Its name without what tells the kind of file; that of its folder. Never empty.
std::string name_without_ending(const SourceFile& file);
std::string folder_name_of(const SourceFile& file);

// `id` if it may be one, else an id made of what the message says and its place.
std::string id_or_hash(const Json& message, std::size_t place);

}  // namespace skein::importers
