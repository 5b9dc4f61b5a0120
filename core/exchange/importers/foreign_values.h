// Values as many programs write them, as ours. For .cpp files only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/exchange/importers/receiver.h"
#include "core/exchange/importers/source_file.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// An ISO time, or seconds or milliseconds since 1970, as transcripts write times; empty: neither.
std::string time_from(const Json& value);
std::string time_from(std::string_view iso);

// A number of tokens or the like: never negative, whole even where it was written with a point, and
// small enough to be added to others.
std::int64_t count_at(const Json& object, std::string_view key);

// A call's arguments: an object, the text of one, or something else as the member `_raw`.
JsonText call_input(const Json& value);

// An image as a blob; none if `base64` is no image, or cannot be kept.
std::optional<model::Image> kept_image(Receiver& receiver, std::string_view mime_type,
                                       std::string_view base64);
// The same from data:image/png;base64,…
std::optional<model::Image> kept_image_at(Receiver& receiver, std::string_view url);

// What the model is told of a command that the user ran, as skein itself records it.
std::string ran_command(std::string_view command, std::string_view output,
                        std::optional<std::int64_t> exit_status);

// Whether one file name, from a file that may be hostile, stays in the folder it is put behind.
bool is_plain_name(std::string_view name);
// Text of another program as the name of a folder: a whole path without control characters, or
// nothing.
std::string folder_named(std::string_view text);
// Where the file lies, from the root: the same whatever folder one is in.
std::string absolute_path(const SourceFile& file);
// Its name without what tells the kind of file; that of its folder. Never empty.
std::string name_without_ending(const SourceFile& file);
std::string folder_name_of(const SourceFile& file);

// The first `digits` hex digits of the hash of these.
std::string short_hash(std::initializer_list<std::string_view> parts, std::size_t digits = 12);
// `id` if it may be one, else an id made of what the message says and its place.
std::string id_or_hash(const Json& message, std::size_t place);

}  // namespace skein::exchange::importers
