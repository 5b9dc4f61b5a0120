#include "core/exchange/importers/claude_tree.h"

#include <algorithm>
#include <utility>

namespace skein::exchange::importers {

namespace {

// Whether another line may be joined to it: an entry must fit into memory.
bool has_room(const ClaudeUnit& unit) {
  return unit.size < 4096 && unit.bytes < (std::uint64_t{64} << 20);
}

}  // namespace

ClaudeTree::ClaudeTree(const ClaudeIndex& index)
    : index_(index), next_(index.lines.size(), no_line), unit_of_(index.lines.size(), no_unit) {
  for (std::uint32_t line = 0; line < index_.lines.size(); ++line) {
    const std::uint32_t place = unit_for(line);
    ClaudeUnit& unit = units[place];
    unit_of_[line] = place;
    if (unit.kind != ClaudeKind::link && unit.kind != ClaudeKind::context) latest_ = place;
    if (unit.first == no_line)
      unit.first = line;
    else
      next_[unit.last] = line;
    unit.last = line;
    ++unit.size;
    unit.bytes += index_.lines[line].size;
    unit.calls += index_.lines[line].calls;
  }
  link_units();
  divide();
  for (const auto& session : sessions) find_unfinished(session);
}

std::uint32_t ClaudeTree::parent_line(const ClaudeLine& line) const {
  return index_.line(line.parent);
}

// The unit the line belongs to, which may be a new one.
std::uint32_t ClaudeTree::unit_for(std::uint32_t place) {
  const ClaudeLine& line = index_.lines[place];
  const auto fresh = static_cast<std::uint32_t>(units.size());
  std::uint32_t unit = fresh, answer = no_unit;
  if (line.kind == ClaudeKind::answer && line.message != 0) {
    std::uint32_t& known = unit_of_message_.emplace(line.message, fresh).first->second;
    if (known != fresh && !has_room(units[known])) known = fresh;
    unit = known;
  }
  if (line.kind == ClaudeKind::result) {
    answer = answer_of(place);
    if (answer != no_unit && units[answer].partner != no_unit &&
        has_room(units[units[answer].partner]))
      unit = units[answer].partner;
  }
  // Of the boundary it follows, or that stands right before it.
  const std::uint32_t before = parent_line(line);
  if (line.kind == ClaudeKind::summary && open_boundary_ != no_unit &&
      (latest_ == open_boundary_ || (before < place && unit_of_[before] == open_boundary_)))
    unit = std::exchange(open_boundary_, no_unit);
  if (unit != fresh) return unit;
  if (line.kind == ClaudeKind::boundary) open_boundary_ = fresh;
  if (answer != no_unit) units[answer].partner = fresh;
  // What was compacted came before.
  const bool root = line.root && line.parent == 0 && line.kind != ClaudeKind::boundary;
  units.push_back({.kind = line.kind, .root = root, .partner = answer});
  return fresh;
}

// The one whose calls are answered there: all results of an answer are one entry.
std::uint32_t ClaudeTree::answer_of(std::uint32_t place) const {
  const ClaudeLine& line = index_.lines[place];
  for (const std::uint32_t made :
       {index_.call(line.answers), index_.line(line.answered), parent_line(line)})
    if (made < place && units[unit_of_[made]].kind == ClaudeKind::answer) return unit_of_[made];
  return no_unit;
}

void ClaudeTree::link_units() {
  bool begun = false;
  for (ClaudeUnit& unit : units) {
    const ClaudeLine& line = index_.lines[unit.first];
    const std::uint32_t before = parent_line(line);
    if (before != no_line && unit_of_[before] != unit_of_[unit.first])
      unit.parent = unit_of_[before];
    // A result without a parent follows the call.
    if (unit.kind == ClaudeKind::result && unit.parent == no_unit) unit.parent = unit.partner;
    // An answer always follows something, so this file has no links at all.
    unlinked = unlinked || (unit.kind == ClaudeKind::answer && unit.root && begun && !line.side);
    begun = begun || unit.kind != ClaudeKind::link;
  }
}

// The root of each unit's tree.
std::vector<std::uint32_t> ClaudeTree::tops() const {
  constexpr std::uint32_t busy = no_unit - 1;
  std::vector<std::uint32_t> top(units.size(), no_unit);
  std::vector<std::uint32_t> path;
  std::uint32_t side_before = no_unit;  // the tree of the last line of a sub-agent
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    std::uint32_t at = unit;
    path.clear();
    while (at != no_unit && top[at] == no_unit) {
      path.push_back(at);
      top[at] = busy;
      at = units[at].parent;
    }
    // Where a circle was closed, or at the root.
    std::uint32_t found = at == no_unit || top[at] == busy ? path.back() : top[at];
    // What lost its parent belongs to what was before it.
    if (at == no_unit && !units[found].root && index_.lines[units[found].first].side &&
        side_before != no_unit)
      found = side_before;
    for (const std::uint32_t each : path) top[each] = found;
    if (index_.lines[units[unit].first].side) side_before = top[unit];
  }
  return top;
}

// A tree that a sub-agent's line begins, after the conversation itself has begun, is a session of
// its own. What comes later in the file never changes that, so that ids stay what they were.
void ClaudeTree::divide() {
  const std::vector<std::uint32_t> top = tops();
  std::unordered_map<std::uint32_t, std::size_t> session_of;  // by the tree
  bool begun = false;
  sessions.emplace_back();
  for (std::uint32_t unit = 0; unit < units.size(); ++unit) {
    const bool side = index_.lines[units[unit].first].side;
    const auto [place, added] = session_of.emplace(top[unit], 0);
    if (added && side && begun) {
      place->second = sessions.size();
      sessions.emplace_back();
    }
    begun = begun || (!side && units[unit].kind != ClaudeKind::link);
    sessions[place->second].push_back(unit);
  }
}

// Only what stands at the end may be unfinished.
void ClaudeTree::find_unfinished(const std::vector<std::uint32_t>& session) {
  std::uint32_t last_line = no_line, last_said = no_line;
  for (const std::uint32_t place : session) {
    const ClaudeUnit& unit = units[place];
    if (unit.kind == ClaudeKind::link) continue;
    if (last_line == no_line || unit.last > last_line) last_line = unit.last;
    const bool says = unit.kind != ClaudeKind::result && unit.kind != ClaudeKind::context;
    if (says && (last_said == no_line || unit.last > last_said)) last_said = unit.last;
  }
  std::uint32_t command = no_unit;  // what comes next tells whose it was
  for (const std::uint32_t place : session) {
    ClaudeUnit& unit = units[place];
    if (unit.kind == ClaudeKind::link || unit.kind == ClaudeKind::context) continue;
    if (command != no_unit) {
      units[command].local = unit.kind == ClaudeKind::output || unit.kind == ClaudeKind::command;
      units[command].unfinished = false;
    }
    command = unit.kind == ClaudeKind::command ? place : no_unit;
    if (command != no_unit) unit.local = unit.unfinished = true;
  }
  if (last_said == no_line) return;
  ClaudeUnit& said = units[unit_of_[last_said]];
  if (said.kind == ClaudeKind::boundary && said.size == 1 && last_line == said.last)
    said.unfinished = true;
  if (said.kind != ClaudeKind::answer) return;
  bool stopped = false;
  for (std::uint32_t line = said.first; line != no_line; line = next_[line])
    stopped = stopped || index_.lines[line].stopped || index_.lines[line].failed ||
              index_.lines[line].aborted;
  said.unfinished = !stopped;
  if (said.partner == no_unit) return;
  ClaudeUnit& results = units[said.partner];
  results.unfinished = !stopped || results.calls < said.calls;
}

}  // namespace skein::exchange::importers
