// The rows above the prompt while it waits: facts about the session, or what a command prints.
#pragma once

#include "core/model/message.h"
#include "core/model/provider.h"
#include "core/permission/policy.h"
#include "core/text/base.h"
#include "core/text/io.h"
#include "repl/layout/style.h"
#include "repl/prompt/line_editor.h"
#include "repl/session/session.h"

namespace skein::status {

// Found in memory and in git's own files: nothing here takes longer than a key takes to be drawn.
struct StatusFacts {
  std::string session{}, key{}, title{};
  std::string transcript{};  // its file; empty: there is none
  std::string folder{};      // the workspace
  std::string git{};         // the branch that is checked out there; empty: none
  model::ModelRef model{};
  permission::Mode mode = permission::Mode::normal;
  std::int64_t window = 0;                         // tokens; 0: not known
  std::optional<model::Usage> last{};              // of the last answer on this branch
  std::optional<insights::CacheUse> cache_miss{};  // the last one since the session was opened
  bool cache_warm = false;                         // the last request was a short time ago
  model::Usage all{};                              // of the whole session
  std::optional<session::Cost> cost{};             // in dollars, with its sub-agents
  std::int64_t worked_ms = 0;                      // models and tools together
  std::string head{};
  std::size_t branches = 0, branch = 0;  // how many there are, and which is ours; 0: not known
  bool operator==(const StatusFacts&) const = default;
};

struct FactParts {
  session::Session& session;
  bool with_cost = false;  // it is shown; that of sub-agents takes long to find
  std::function<std::int64_t(const model::ModelRef&)> window;
  std::function<std::string(Id session)> transcript;
};
std::function<StatusFacts()> fact_finder(FactParts parts);

// The input of a status command: the facts under the names that Claude Code gives them, for scripts
// written for it, and skein's own. Pure. `open_ms`: for how long this program has run.
JsonText facts_json(const StatusFacts& facts, std::int64_t open_ms);

// The line above the prompt if there is no status command: facts, the most important first. Pure.
std::vector<std::string_view> item_names();
std::vector<std::string> usual_items();

// At most `columns` wide: what does not fit is left out, the last first, and so is what is not
// known. Safe for a terminal; empty: there is nothing to say.
std::string items_text(std::span<const std::string> items, const StatusFacts& facts,
                       std::size_t columns);

// What a status command printed, as rows that cannot harm the terminal: colours and other
// attributes stay, every other sequence goes, and all else is sanitized. Pure.
using prompt::RowsAbove;

// The first three rows, each cut to `columns`. `colour`: whether attributes stay, which end with
// the row.
std::vector<RowsAbove::Row> safe_rows(std::string_view printed, std::size_t columns, bool colour);

class StatusLine : public RowsAbove {
 public:
  using Clock = std::chrono::steady_clock;
  // How the command ended.
  struct End {
    std::string output{};
    std::string trouble{};  // why the output does not count; empty: it does
  };
  // Runs the command, in a thread. Ends soon after `stop` is set, which a byte in `wake` tells.
  using Run = std::function<End(const std::string& input, const std::atomic<bool>& stop, int wake)>;
  struct Parts {
    std::function<StatusFacts()> facts;
    std::vector<std::string> items{};  // see item_names(); none: no line
    layout::TerminalStyle look{};
    Run run{};                             // left out: the items are shown
    std::chrono::milliseconds refresh{0};  // run it so often; 0: when the facts have changed
    std::function<void(const std::string&)> tell{};  // what went wrong, once
    std::function<Clock::time_point()> now = [] { return Clock::now(); };
  };
  explicit StatusLine(Parts parts) : parts_(std::move(parts)), opened_(parts_.now()) {}
  ~StatusLine() override;

  // Waits for nothing.
  std::vector<Row> rows(std::size_t columns) override;
  // Starts the command if it is due.
  std::optional<std::chrono::milliseconds> look_again() override;
  bool changed() override;
  void tell() override;

 private:
  bool is_due() const;
  void start();

  Parts parts_;
  Clock::time_point opened_, started_{};
  StatusFacts facts_{};
  std::optional<StatusFacts> told_{};  // what the command was last started with
  std::string printed_{};              // by it, when it last did well
  std::string trouble_{};              // to be shown
  bool complained_ = false;

  // The command, while it runs.
  Pipe wake_{};
  std::atomic<bool> stop_{false}, ended_{false};
  End end_{};
  std::thread thread_{};
};

}  // namespace skein::status
