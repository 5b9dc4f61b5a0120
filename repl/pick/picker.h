// Choosing from a list by typing a few letters (sessions, earlier lines, completions), and with the
// arrow keys from the tree of a session or from what a search found.
#pragma once

#include "core/model/event.h"
#include "core/model/tree.h"
#include "core/search/search.h"
#include "repl/layout/style.h"
#include "repl/terminal/keyboard.h"

namespace skein::pick {

struct PickList {
  std::string title{};
  std::vector<std::string> lines{};       // as shown, best first
  std::vector<std::string> texts{};       // the texts to search; none: the lines themselves
  std::string query{};                    // at first
  std::string keys{};                     // help on the further keys
  std::vector<terminal::Key> further{};   // keys that leave the list and are returned
  std::vector<terminal::Key> switches{};  // the same, also if nothing fits
  std::size_t chosen = 0;                 // among the matches, at first
  std::function<std::vector<std::string>(std::size_t)> preview{};  // a few lines about one
  // Work that runs while the list is open, for example asking for more lines. It watches the
  // keyboard through the ports and must end soon once they are stopped. True: it has changed lines
  // and texts of the list it was given.
  std::function<bool(PickList&, const model::Ports&)> refresh{};
};

struct Picked {
  std::optional<std::size_t> index{};  // of PickList::lines; none: nothing was chosen
  terminal::Key key{};                 // Enter, or one of the further keys
  std::string query{};                 // what had been typed
  std::size_t chosen = 0;
};

// Draws below what is on the screen and erases itself.
Picked pick(terminal::Keyboard& keyboard, const PickList& list);

// The branches of a session: the user chooses an entry and what to do from there.
struct TreeChoice {
  enum class What { nothing, go_on, branch, snapshot } what = What::nothing;
  Id entry{};
};

// `label` is called only for entries on the screen.
TreeChoice walk_tree_view(terminal::Keyboard& keyboard, const model::Tree& tree,
                          std::optional<Id> head,
                          const std::function<std::string(const model::Tree::Node&)>& label);

// "fix the lexer · 030405.678-1f2e · 3 days ago · anthropic/…", with the key to name it. Safe.
std::string hit_heading(const store::SessionRecord& record, std::string_view key,
                        const layout::TerminalStyle& look);
// "  1f2e3d4c user       …what fits…  (branch 2 of 3)". Safe.
std::string hit_line(const search::Hit& hit, const layout::TerminalStyle& look);
std::string age(std::string_view timestamp);  // "now", "3 min", "2 days"
// The first words of it that were found, without the marks of a cut; all of it if none are marked.
std::string_view found_in(const search::Snippet& snippet);
// "12 more in this session"; empty if all are shown.
std::string more_hits(const search::SessionHits& session);

struct HitRow {
  std::string heading{};  // of its session, before the first of it; else empty
  search::Hit hit{};
};

struct HitChoice {
  enum class What { nothing, open, branch } what = What::nothing;
  search::Hit hit{};
};

// Takes the rows of a search as they are found, and says now and then whether to continue.
class HitSink {
 public:
  virtual ~HitSink() = default;
  virtual void add(HitRow row) = 0;
  virtual bool go_on(std::size_t looked_through, std::size_t sessions) = 0;
};
using HitSearch = std::function<bool(HitSink& sink)>;  // whether all was looked through

// The list appears at once and grows while `search` runs; Esc or Ctrl+C stops that and keeps what
// is there. `preview` gives the lines of a hit, and is called only when they are asked for.
// `nothing`: none was chosen, or none was found.
HitChoice pick_hit(terminal::Keyboard& keyboard, const HitSearch& search,
                   const std::function<std::vector<std::string>(const search::Hit&)>& preview);

}  // namespace skein::pick
