// What was counted over many sessions: prompts, answers, tokens, what they cost, how fast they
// came, and which tools were used; in all, and by day, week, model and project.
#pragma once

#include "core/model/message.h"

namespace skein::insights {

using model::Cost;
// What a call of provider/model cost; nullopt: its price is not known. Asked once for each answer.
using Prices =
    std::function<std::optional<Cost>(const std::string& model, const model::Usage& usage)>;

struct CostSum {
  double dollars = 0;         // of what has a known price
  bool at_least = false;      // some of that may have been charged higher
  std::int64_t priced = 0;    // answers and summaries with a known price
  std::int64_t unpriced = 0;  // those without
  void add(const std::optional<Cost>& cost);
};
// "$1.20", "at least $1.20", "unknown", "-" if there was nothing to pay.
std::string cost_text(const CostSum& sum);

// Why a part of a request was not read from the service's cache; see cache_report.h. The first that
// holds is the cause.
enum class MissCause {
  model_change,
  compaction_summary,
  redaction,
  drop,
  runtime_init,
  thinking_level_change,
  expired,
  service,
};
std::string_view name(MissCause cause);       // for scripts: "model_change"
std::string_view words_for(MissCause cause);  // "the model was changed"
struct MissTally : CostSum {
  std::int64_t answers = 0;
  std::int64_t tokens = 0;
};

using Misses = std::map<MissCause, MissTally>;

struct Tally : CostSum {
  std::int64_t sessions = 0;
  std::int64_t prompts = 0;
  std::int64_t calls = 0;      // answers of models, whole or cut short
  std::int64_t summaries = 0;  // that models wrote of older messages; their tokens count as well
  model::Usage usage{};
  std::int64_t duration_ms = 0;

  // Of the answers that tell how long they took and how many tokens they have. The speed is that
  // of the stream where it is known when that began, else of the whole call.
  std::int64_t timed_tokens = 0, timed_ms = 0;
  std::vector<std::int32_t> first_token_ms{};  // of those that tell

  std::size_t last_session = 0;  // that was counted here, by number
};

std::int64_t tokens_of(const Tally& tally);  // in and out

struct ToolTally {
  std::int64_t calls = 0;
  std::int64_t failures = 0;  // refusals left out
  std::int64_t refusals = 0;  // by the user
};

struct Insights {
  std::string since{};  // a timestamp; empty: all time
  Tally all{};
  std::map<std::string, Tally> days{};   // "2026-11-16", in UTC, as all times in a transcript
  std::map<std::string, Tally> weeks{};  // by their Mondays
  std::map<std::string, Tally> models{}, projects{};
  std::map<std::string, ToolTally> tools{};
  Misses misses{};
  std::vector<std::string> unread{};  // sessions that could not be read, and why
};

enum class By { overview, day, week, model, project, tool };
std::optional<By> parse_by(std::string_view name);
std::string_view name(By by);

// The groups of that kind, which has groups: those by time in their order, others with the most
// tokens first.
struct Group {
  std::string_view name;
  const Tally* tally;
};
std::vector<Group> groups_of(const Insights& insights, By by);
struct ToolGroup {
  std::string_view name;
  const ToolTally* tally;
};
std::vector<ToolGroup> tools_of(const Insights& insights);  // the one used most first
ToolTally all_tools(const Insights& insights);

// nullopt: nothing that tells.
std::optional<std::int64_t> median_first_token_ms(const Tally& tally);
std::optional<double> tokens_per_second(const Tally& tally);
// What part of what was sent came from a cache; nullopt: nothing was sent.
std::optional<double> cache_share(const Tally& tally);

// Days in a row on which something was asked: the longest such time, and the one that continues
// today (or ended yesterday: today is not over).
struct Streaks {
  std::int64_t longest = 0, current = 0;
};
Streaks streaks_of(const Insights& insights, std::int64_t now_ms);

// Every day from the first one counted to the last, at most `most` of the latest, with what was
// counted of it; days without anything are there too.
struct Day {
  std::string name;
  const Tally* tally;  // null: nothing
};
std::vector<Day> calendar_of(const Insights& insights, std::size_t most);

}  // namespace skein::insights
