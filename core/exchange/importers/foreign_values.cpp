#include "core/exchange/importers/foreign_values.h"

#include <algorithm>
#include <cmath>

#include "core/text/base.h"
#include "core/text/base64.h"
#include "core/text/image_type.h"
#include "core/text/text.h"

namespace skein::exchange::importers {

std::string transcript_time_of_ms(std::int64_t ms_since_epoch) {
  constexpr std::int64_t end_of_year_9999 = 253'402'300'799'999;
  if (ms_since_epoch <= 0 || ms_since_epoch > end_of_year_9999) return {};
  return utc_from_ms(ms_since_epoch);
}

std::string transcript_time(std::string_view iso) {
  const auto ms = ms_from_utc(iso);
  return ms ? transcript_time_of_ms(*ms) : std::string();
}

std::int64_t token_count(const Json& object, std::string_view key) {
  constexpr std::int64_t most = 1'000'000'000'000;
  const Json& member = at(object, key);
  if (member.is_number_float()) {
    const double number = member.get<double>();
    return std::isfinite(number) && number > 0 && number < static_cast<double>(most)
               ? static_cast<std::int64_t>(number)
               : 0;
  }
  return std::clamp<std::int64_t>(int_at(object, key), 0, most);
}

JsonText input_of_call(const Json& input) {
  if (input.is_object()) return dump(input);
  if (input.is_null()) return "{}";
  return dump(Json{{"_raw", input.is_string() ? input.get<std::string>() : dump(input)}});
}

std::optional<model::Image> kept_image(std::string_view base64, std::string_view mime_type,
                                       Receiver& receiver) {
  const std::optional<std::string> bytes = from_base64(base64);
  if (!bytes || bytes->empty()) {
    receiver.lose("images that cannot be read");
    return std::nullopt;
  }
  std::string blob = receiver.keep(*bytes);
  if (blob.empty()) return std::nullopt;
  const std::string_view seen = image_type(*bytes);
  return model::Image{.mime_type = std::string(seen.empty() ? mime_type : seen),
                      .blob = std::move(blob)};
}

std::optional<model::Image> kept_data_url(std::string_view url, Receiver& receiver) {
  constexpr std::string_view scheme = "data:", encoding = ";base64,";
  const std::size_t at = url.find(encoding);
  if (!url.starts_with(scheme) || at == std::string_view::npos) {
    receiver.lose("images that cannot be read");
    return std::nullopt;
  }
  return kept_image(url.substr(at + encoding.size()), url.substr(scheme.size(), at - scheme.size()),
                    receiver);
}

std::string ran_command(std::string_view command, std::string_view output,
                        std::optional<std::int64_t> exit_status) {
  const std::string fence = fenced(output);
  return "I ran `" + std::string(command) + "`" +
         (exit_status ? ", exit status " + std::to_string(*exit_status) : ", and stopped it") +
         ":\n\n" + fence.substr(0, fence.size() - 1);
}

bool is_plain_name(std::string_view name) {
  constexpr std::size_t longest = 255;
  return !name.empty() && name.size() <= longest && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

}  // namespace skein::exchange::importers
