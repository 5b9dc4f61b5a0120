#include "repl/terminal/notifier.h"

#include <algorithm>
#include <utility>

#include "core/text/amounts.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/width.h"

namespace skein::terminal {

namespace {

constexpr std::int64_t long_turn_ms = 10'000;  // by then the user is looking elsewhere
constexpr std::size_t widest_notice = 80, widest_name = 40;

using Way = Notifier::Way;
constexpr std::pair<std::string_view, Way> way_names[] = {
    {"auto", Way::automatic}, {"bell", Way::bell},   {"osc9", Way::osc9},
    {"osc777", Way::osc777},  {"osc99", Way::osc99}, {"command", Way::command},
    {"off", Way::off}};

NoticeForm form_of(Way way, const Abilities& abilities) {
  switch (way) {
    case Way::osc9: return NoticeForm::osc9;
    case Way::osc777: return NoticeForm::osc777;
    case Way::osc99: return NoticeForm::osc99;
    case Way::automatic: return abilities.notice;
    default: return NoticeForm::bell;
  }
}

// Some terminals take apart at a semicolon what is one text to us.
std::string without_semicolons(std::string text) {
  std::ranges::replace(text, ';', ',');
  return text;
}

std::string bytes_of(NoticeForm form, const Notice& notice) {
  const std::string all = notice.title + ": " + notice.text;
  switch (form) {
    // "skein" in front: a text that begins with a number would be another request.
    case NoticeForm::osc9: return "\x1b]9;skein: " + all + "\a";
    case NoticeForm::osc777:
      return "\x1b]777;notify;" + without_semicolons(notice.title) + ";" +
             without_semicolons(notice.text) + "\a";
    case NoticeForm::osc99:
      return "\x1b]99;i=skein:d=0;" + notice.title + "\x1b\\\x1b]99;i=skein:p=body;" + notice.text +
             "\x1b\\";
    case NoticeForm::bell: break;
  }
  return "\a";
}

}  // namespace

std::optional<Way> parse_way(std::string_view name) {
  const auto* found = std::ranges::find(way_names, name, &std::pair<std::string_view, Way>::first);
  return found != std::end(way_names) ? std::optional(found->second) : std::nullopt;
}

// tmux makes an alert of its own of a bell, and passes the rest on only if it is allowed to.
std::string notice_request(NoticeForm form, const Notice& notice, bool in_tmux) {
  const std::string bytes = bytes_of(form, notice);
  return in_tmux && form != NoticeForm::bell ? through_tmux(bytes) + "\a" : bytes;
}

bool Notifier::is_long() const { return parts_.clock() - began_ >= long_turn_ms; }

void Notifier::turn_ends(std::string_view title, bool well) {
  if (!is_long()) return;
  call(well ? "done" : "failed", title,
       (well ? "done in " : "failed after ") + short_duration(parts_.clock() - began_));
}

void Notifier::question_waits(std::string_view title, std::string_view about, Question kind) {
  if (parts_.way == Way::off) return;
  if (kind == Question::common && !parts_.in_front() && !is_long()) return;
  call("question", title, "asks: " + std::string(about));
}

void Notifier::call(std::string_view event, std::string_view title, const std::string& text) const {
  if (parts_.way == Way::off || parts_.in_front() == true) return;
  Notice notice{event, layout::fit(layout::sanitized_row(title), widest_name), {}};
  const std::size_t used = layout::display_width(notice.title) + 2;
  notice.text = layout::fit(layout::sanitized_row(text), widest_notice - used);
  if (parts_.way == Way::command) {
    if (parts_.run) parts_.run(notice);
  } else if (parts_.write) {
    parts_.write(
        notice_request(form_of(parts_.way, parts_.abilities), notice, parts_.abilities.in_tmux));
  }
}

}  // namespace skein::terminal
