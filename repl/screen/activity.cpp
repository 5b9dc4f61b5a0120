#include "repl/screen/activity.h"

#include <algorithm>

namespace skein::screen {

namespace {

constexpr std::size_t most_detail = 400;
constexpr std::size_t bytes_a_token = 4;  // an estimate until the provider reports tokens

// The last line that is not blank.
std::string_view last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  return text.substr(text.find_last_of("\r\n") + 1);
}

}  // namespace

void Activity::begin(std::int64_t now) {
  if (!start_) start_ = now;
}

void Activity::end() { *this = {}; }

void Activity::hear_delta(const model::Delta& delta) {
  if (const auto* text = std::get_if<model::delta::TextPiece>(&delta)) {
    what_ = "writing";
    bytes_ += text->text.size();
  } else if (const auto* thinking = std::get_if<model::delta::ThinkingPiece>(&delta)) {
    what_ = "thinking";
    bytes_ += thinking->text.size();
  } else if (const auto* call = std::get_if<model::delta::ToolStart>(&delta)) {
    what_ = "preparing " + call->name;
  } else if (const auto* input = std::get_if<model::delta::ToolInput>(&delta)) {
    bytes_ += input->json_piece.size();
  } else if (const auto* usage = std::get_if<model::delta::UsageUpdate>(&delta)) {
    tokens_ = usage->output.value_or(tokens_);
  }
}

void Activity::hear(const model::Event& event, std::int64_t now) {
  begin(now);
  if (const auto* streaming = std::get_if<model::Streaming>(&event)) {
    retry_at_.reset();
    hear_delta(streaming->delta);
  } else if (const auto* started = std::get_if<model::ToolStarted>(&event)) {
    what_ = started->title;
    detail_.clear();
    tool_start_ = now;
  } else if (const auto* output = std::get_if<model::ToolOutput>(&event)) {
    if (const std::string_view line = last_line(output->text); !line.empty())
      detail_ = utf8_prefix(line, most_detail);
  } else if (std::holds_alternative<model::ToolEnded>(event)) {
    detail_.clear();
    tool_start_.reset();
  } else if (const auto* retrying = std::get_if<model::Retrying>(&event)) {
    what_ = retrying->reason;
    retry_at_ = now + retrying->wait.count();
  }
}

void Activity::hear(model::Role role, std::int64_t now) {
  if (role == model::Role::user) start_ = now;
  what_ = "waiting for the model";
  bytes_ = 0;
  tokens_ = 0;
}

Status Activity::at(std::int64_t now) const {
  Status status{.activity = what_.empty() ? "working" : what_, .detail = detail_};
  // A running tool has its own clock; the turn's duration is shown at its end.
  status.elapsed_ms = now - (tool_start_ ? *tool_start_ : start_.value_or(now));
  status.estimated = tokens_ == 0;
  status.tokens = tokens_ > 0 ? tokens_ : static_cast<std::int64_t>(bytes_ / bytes_a_token);
  if (retry_at_) {
    const std::int64_t left = std::max<std::int64_t>(0, *retry_at_ - now);
    // The number first: the reason may be too long for the line.
    status.activity =
        "trying again in " + std::to_string((left + 999) / 1000) + " s: " + status.activity;
  }
  return status;
}

}  // namespace skein::screen
