// One session of another program on its way into the store: ids become ours, parents are found
// past marginal entries, what is there already is passed over, and the rest is
// appended in batches, so that a process that is killed leaves whole batches and the next import
// continues behind them.
#pragma once

#include "core/export/secrets.h"
#include "core/import/formats.h"
#include "core/store/session_store.h"

namespace skein::importers {

struct ImportOptions {
  std::string key{};     // of the session; empty: <agent>:<channel>:<its id there>
  bool dry_run = false;  // nothing is written
  // The program may still be at work: what is new is taken up to the last answer without calls, and
  // the rest is left for the next time.
  bool at_work = false;
  exporters::SecretMask* mask =
      nullptr;  // takes secrets out of all that is kept; none: nothing is taken out
  std::function<bool(const ForeignSession&)> wanted{};  // empty: all are
};

// What came of one session.
struct ImportedSession {
  std::string key{};
  Id session{};
  std::string title{};
  std::string cwd{};
  std::size_t entries = 0;                      // of the source
  std::size_t added = 0;                        // that were not here yet
  std::size_t left = 0;                         // for the next time; see at_work
  std::map<std::string, std::size_t> losses{};  // what is not taken over, and how often
  std::string trouble{};                        // why it could not be written; empty: it was
};

class SessionImport : public Receiver {
 public:
  // All must outlive this. `written_ms`: when the file was last written, for entries of programs
  // that keep no times.
  SessionImport(store::SessionStore& store, const ImportFormat& format, std::string file,
                std::int64_t written_ms, const ImportOptions& options)
      : store_(store),
        format_(format),
        file_(std::move(file)),
        written_(utc_from_ms(written_ms)),
        options_(options) {}

  bool begin(const ForeignSession& session) override;
  void add(ForeignEntry entry) override;
  std::string keep(std::string_view bytes) override;
  void lose(std::string_view what) override;
  void end(std::string_view leaf) override;

  const std::vector<ImportedSession>& sessions() const { return done_; }

 private:
  // What the store has of the session.
  struct Known {
    bool there = false;
    std::unordered_set<Id> ids{};
    std::optional<Id> head{};
    bool head_is_ours = false;    // something was said behind what was imported
    bool head_was_moved = false;  // it is not where the last entry put it
    bool title_is_ours = false;   // the user renamed it
    store::SessionLease lease{};
  };

  Id id_of(std::string_view entry) const;
  void claim_key();
  void look_up();
  bool may_write();
  void add_facts();  // where the session is from, and its title
  void add_fact(const std::string& id, model::Payload fact);
  void take(ForeignEntry entry);
  bool push(model::Entry entry);  // true: it was not here yet
  std::optional<Id> parent_of(const ForeignEntry& entry) const;
  void spill(model::Message& message);
  void flush();
  void create(const std::vector<store::NewEntry>& batch);
  void set_head(std::string_view leaf);

  store::SessionStore& store_;
  const ImportFormat& format_;
  const std::string file_, written_;
  const ImportOptions& options_;

  bool begun_ = false;  // something of the session was added
  bool open_ = false;   // between begin() and end() of a session that is wanted
  ForeignSession session_{};
  ImportedSession report_{};
  Known known_{};
  // Which entry children of a foreign one follow: itself, or the nearest that is not marginal.
  std::unordered_map<Id, std::optional<Id>> stands_for_{};
  std::optional<Id> last_{};  // that is not marginal
  std::string last_time_{};
  std::vector<ForeignEntry> held_{};  // until an answer without calls comes
  std::vector<store::NewEntry> batch_{};
  std::size_t batch_bytes_ = 0;
  std::vector<ImportedSession> done_{};
};

// The session's key unless one is given: main:claude:<id>, made of what a key may have.
std::string import_key(const ImportFormat& format, const std::string& session);

}  // namespace skein::importers
