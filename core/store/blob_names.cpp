#include "core/store/blob_names.h"

#include "core/text/std.h"

namespace skein::store {

namespace {

constexpr std::size_t name_length = 64;
constexpr std::size_t head_bytes = 512;  // within which a line says what it is
constexpr std::string_view checkpoint_mark = "\"payload\":{\"kind\":\"checkpoint\"";
constexpr std::string_view time_member = "\"timestamp\":\"";
constexpr std::string_view list_member = "\"list\":\"";  // holds no hex digit

bool is_name_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

bool is_blob_name(std::string_view name) {
  return name.size() == name_length && std::ranges::all_of(name, is_name_digit);
}

std::set<std::string> blob_names_in(std::string_view lines) {
  BlobNameFinder finder;
  finder.take(lines);
  return finder.finish(std::nullopt);
}

void BlobNameFinder::take(std::string_view piece) {
  for (const char c : piece) {
    if (head_.size() < head_bytes) head_ += c;
    if (is_name_digit(c)) {
      if (run_.empty()) listed_ = before_ == list_member;
      if (run_.size() <= name_length) run_ += c;
      continue;
    }
    end_run();
    before_ += c;
    if (before_.size() > list_member.size()) before_.erase(0, 1);
    if (c == '\n') end_line();
  }
}

std::set<std::string> BlobNameFinder::finish(std::optional<std::size_t> newest) {
  end_run();
  end_line();
  std::set<std::string> days;
  for (std::size_t i = 0; newest && i < checkpoints_.size(); ++i)
    if (days.insert(checkpoints_[i].day).second || i + *newest >= checkpoints_.size()) {
      found_.merge(checkpoints_[i].names);
      lists_.merge(checkpoints_[i].lists);
    }
  return std::move(found_);
}

void BlobNameFinder::end_run() {
  if (run_.size() == name_length) {
    if (listed_) line_.lists.insert(run_);
    line_.names.insert(run_);
  }
  if (!run_.empty()) before_.clear();
  run_.clear();
}

void BlobNameFinder::end_line() {
  if (const std::size_t at = head_.find(time_member); at != std::string::npos)
    line_.day = head_.substr(at + time_member.size(), 10);
  if (head_.find(checkpoint_mark) != std::string::npos) {
    checkpoints_.push_back(std::move(line_));
  } else {
    found_.merge(line_.names);
    lists_.merge(line_.lists);
  }
  line_ = {};
  head_.clear();
}

}  // namespace skein::store
