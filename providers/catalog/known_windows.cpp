#include "providers/catalog/known_windows.h"

#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/log.h"

namespace skein::catalog {

namespace {

constexpr std::int64_t holds_ms = 24 * 60 * 60 * 1000;
constexpr std::size_t most_bytes = 1 << 20;
constexpr double most_per_guess = 1000;

Json all_in(const std::string& file) {
  const std::optional<Json> json = parse_json(read_small_file(file, most_bytes));
  return json && json->is_object() ? *json : Json::object();
}

bool holds(const Json& row, std::int64_t now) {
  const std::int64_t at = int_at(row, "at");
  return row.is_object() && int_at(row, "window") > 0 && at <= now && now - at < holds_ms;
}

}  // namespace

std::optional<KnownWindow> KnownWindows::find(const std::string& model, std::int64_t now) const {
  if (file_.empty()) return std::nullopt;
  const Json all = all_in(file_);
  const Json& row = at(all, model);
  if (!holds(row, now)) return std::nullopt;
  KnownWindow out{.tokens = int_at(row, "window")};
  if (const Json& per_guess = at(row, "tokensPerGuess"); per_guess.is_number())
    if (const auto value = per_guess.get<double>(); value > 0 && value < most_per_guess)
      out.tokens_per_guess = value;
  return out;
}

void KnownWindows::keep(const std::string& model, const KnownWindow& window,
                        std::int64_t now) const {
  if (file_.empty()) return;
  Json all = all_in(file_);
  for (auto row = all.begin(); row != all.end();)
    row = holds(*row, now) ? std::next(row) : all.erase(row);
  all[model] = {
      {"window", window.tokens}, {"tokensPerGuess", window.tokens_per_guess}, {"at", now}};
  if (!replace_small_file(file_, dump(all) + "\n")) log_warning("window not kept", {});
}

}  // namespace skein::catalog
