// Values as several programs write them, as ours. For .cpp files only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/exchange/importers/receiver.h"
#include "core/model/message.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// A time as transcripts write it; empty: it is none.
std::string transcript_time(std::string_view iso);
std::string transcript_time_of_ms(std::int64_t ms_since_epoch);

// A number of tokens: never negative, whole even where it was written with a point.
std::int64_t token_count(const Json& object, std::string_view key);

// The input of a call, which is a JSON object; what is none becomes its member `_raw`.
JsonText input_of_call(const Json& input);

// An image that came as base64, its bytes kept. nullopt: it cannot be, which was reported.
std::optional<model::Image> kept_image(std::string_view base64, std::string_view mime_type,
                                       Receiver& receiver);
// As `data:image/png;base64,…`.
std::optional<model::Image> kept_data_url(std::string_view url, Receiver& receiver);

// What the model is told of a command that the user ran, as skein itself records it.
std::string ran_command(std::string_view command, std::string_view output,
                        std::optional<std::int64_t> exit_status);

// Whether one file name, from a file that may be hostile, stays in the folder it is put behind.
bool is_plain_name(std::string_view name);

}  // namespace skein::exchange::importers
