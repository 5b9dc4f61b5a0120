#include "repl/status/items.h"

#include <algorithm>
#include <iterator>

#include "core/text/amounts.h"
#include "core/text/text.h"
#include "repl/layout/sanitize.h"
#include "repl/layout/short_folder.h"
#include "repl/layout/width.h"
#include "repl/screen/turn_summary.h"

namespace skein::status {

namespace {

constexpr std::size_t widest_name = 40;  // of a folder, a branch or a title

struct StatusItem {
  std::string_view name;
  std::string (*text)(const Facts&);  // empty: not known
};

std::string context_item(const Facts& facts) {
  if (!facts.last || facts.window <= 0) return {};
  const std::int64_t held = model::whole_input(*facts.last) + facts.last->output;
  const std::int64_t full = screen::percent_full(held, facts.window);
  return held > 0 ? "context " + std::to_string(full) + " %" : "";
}

std::string cost_item(const Facts& facts) {
  if (!facts.cost || facts.cost->dollars <= 0) return {};
  return (facts.cost->at_least ? "at least " : "") + dollars(facts.cost->dollars);
}

// One branch is no news.
std::string branch_item(const Facts& facts) {
  if (facts.branches < 2) return {};
  return facts.branch == 0
             ? counted(facts.branches, "branch", "branches")
             : "branch " + std::to_string(facts.branch) + " of " + std::to_string(facts.branches);
}

std::string tokens_item(const Facts& facts) {
  const std::int64_t input = model::whole_input(facts.all);
  if (input + facts.all.output == 0) return {};
  return short_count(input) + " in " + short_count(facts.all.output) + " out";
}

constexpr StatusItem all_items[] = {
    {"model",
     [](const Facts& facts) {
       return facts.model.model.empty() ? facts.model.provider : facts.model.model;
     }},
    {"context", context_item},
    {"cost", cost_item},
    {"branch", branch_item},
    {"git", [](const Facts& facts) { return facts.git.empty() ? "" : "git " + facts.git; }},
    {"cwd", [](const Facts& facts) { return layout::short_folder(facts.folder); }},
    {"mode", [](const Facts& facts) { return std::string(permission::name(facts.mode)); }},
    {"thinking",
     [](const Facts& facts) { return "thinking " + std::string(name(facts.model.thinking)); }},
    {"title", [](const Facts& facts) { return facts.title; }},
    {"session", [](const Facts& facts) { return facts.key; }},
    {"tokens", tokens_item},
};

}  // namespace

std::vector<std::string_view> item_names() {
  std::vector<std::string_view> out;
  std::ranges::transform(all_items, std::back_inserter(out), &StatusItem::name);
  return out;
}

std::vector<std::string> usual_items() {
  return {"model", "context", "cost", "branch", "git", "cwd"};
}

std::string items_text(std::span<const std::string> items, const Facts& facts,
                       std::size_t columns) {
  std::string out;
  for (const std::string& name : items) {
    const auto item = std::ranges::find(all_items, name, &StatusItem::name);
    if (item == std::end(all_items)) continue;  // the configuration says so
    const std::string text = layout::fit_end(layout::sanitized_row(item->text(facts)), widest_name);
    if (text.empty()) continue;
    const std::string longer = out.empty() ? text : out + " · " + text;
    if (layout::display_width(longer) > columns) break;
    out = longer;
  }
  return out;
}

}  // namespace skein::status
