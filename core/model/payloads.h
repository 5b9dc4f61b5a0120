// Every payload skein writes besides messages, as values, with one way to write and one to read
// them. core/store/FORMAT.md describes the same on paper.
#pragma once

#include "core/model/entry.h"
#include "core/text/base.h"

namespace skein::model {

enum class FileKind { file, link };

// What a restore makes of a file.
struct Becomes {
  std::uint32_t mode = 0;
  std::optional<std::string> hash{};  // none: it is removed
  FileKind kind = FileKind::file;
  bool operator==(const Becomes&) const = default;
};

// One file of the workspace as a checkpoint has it, and how lists of them are written down.
struct KeptFile {
  std::string path{};      // below the workspace, the bytes as they are
  std::uint32_t mode = 0;  // permission bits
  // The blob that holds what was in it, or where the link leads. Empty: it was there, but its
  // contents were not kept. None: there was no such file.
  std::optional<std::string> hash{};
  std::uint64_t size = 0;
  FileKind kind = FileKind::file;
  bool committed = false;       // `hash` is empty, and the contents are those in the commit
  std::int64_t changed_ns = 0;  // of contents that were not kept: when they changed; 0: not known
  std::optional<Becomes> becomes{};  // a restore follows

  bool exists() const { return hash.has_value(); }
  bool contents_kept() const { return hash && !hash->empty(); }
  bool operator==(const KeptFile&) const = default;
};

// [[path, mode, hash | null, size, {…}?], …], as FORMAT.md says
JsonText files_json(std::span<const KeptFile> files);
// nullopt: it is no such list. Rows that are none are left out.
std::optional<std::vector<KeptFile>> files_from_json(std::string_view json);

// A name may hold any bytes, JSON cannot: what is no UTF-8, and every backslash, becomes \xNN.
std::string escaped_path(std::string_view path);
std::string unescaped_path(std::string_view text);

namespace payload {

struct Head {  // moves the head to an earlier entry
  Id entry{};
};
struct Title {
  std::string text{};
};
struct Key {
  std::string key{};
};
struct Label {
  Id entry{};
  std::string text{};  // empty: removes the label
};
struct Snapshot {
  std::string name{};
  std::optional<Id> entry{};  // none: removes the snapshot
};
// The session goes to the trash when it was not used for so long.
struct Ttl {
  std::string age{};  // "30d"; empty: the usual time holds
};
struct Pin {  // never archived or thrown away unasked
  bool pinned = true;
};
// What of an answer had come when it was written down, since the batch before; only until the
// message itself is there, which will have the id `message`.
struct MessageDeltaBatch {
  Id message{};
  std::string provider{}, model{};
  struct Piece {
    bool thinking = false;
    std::string text{};
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> pieces{};
};
struct Permissions {  // replaces all rules of the session
  std::vector<std::string> rules{};
};
// A provider refused the thinking of this entry or of one before it on its path: from now on those
// go back without thinking and signatures.
struct ThinkingOffBefore {
  Id entry{};
};
struct ModelChange {
  // For the rest of a turn, because the chosen model could not answer.
  static constexpr std::string_view fallback = "fallback";
  std::string provider{}, model{};
  std::string reason{};  // empty: the user's choice
};
struct ThinkingLevelChange {
  std::string level{};
};
struct SystemPromptOverride {
  std::string text{};  // empty: back to the usual one
};
struct Redaction {
  Id target{};
  std::string reason{};
};
// How requests begin from here on. It is written down once and sent in these very bytes, since some
// services bind what a model thought to everything before it; a second one is a recorded step.
struct RuntimeInit {
  std::string system{};
  std::vector<std::string> tools{};              // their names
  std::optional<std::vector<ToolSpec>> specs{};  // none: written before requests kept to it
  std::string hash{};                            // of system and specs, see hash_of()
  std::string provider{};                        // for which it was rendered
  bool overridden = false;                       // the system prompt is the session's own
  std::map<std::string, std::string> said{};     // what it tells by name, as hashes
  // Which servers brought tools along: by name, their version and a hash of their list.
  std::map<std::string, std::string> servers{};
  std::vector<Id> masked{};  // redacted entries it takes into account
  // What is sent instead of the results that the user dropped, by the id of their entry.
  std::map<std::string, std::string> dropped{};
};
std::string hash_of(const RuntimeInit& init);
// The session was brought in from another program.
struct Import {
  std::string from{};          // the name of its format: "claude-code"
  std::string session{};       // its id there
  std::string file{};          // where it was read
  std::string at{};            // when it was first brought in
  std::optional<Id> parent{};  // our session of the one it was spawned by or forked from
  bool spawned = false;        // by a tool call there: a sub-agent
};
// What the model was shown there although the user did not type it. Never sent again.
struct ImportContext {
  std::string label{}, text{};
};
struct BranchSummary {
  Id source_session{}, source_entry{};
  std::string summary{};
};
struct CompactionSummary {
  std::string summary{};  // empty: a cut; what came before is left out without one
  std::optional<Id> first_kept{};
  std::int64_t tokens_before = 0;
  double tokens_per_guess = 0;  // 0: not known
  std::vector<std::string> files_read{}, files_changed{};
  std::string last_prompt{};
  std::int64_t result_bytes = 0;  // kept of each long result before it; 0: all
  // Who wrote it, if a model did.
  std::string provider{}, model{};
  std::optional<Usage> usage{};
};
// What the files of a workspace were like at one moment, as far as they were looked at.
struct Checkpoint {
  static constexpr std::string_view before = "before", after = "after";
  static constexpr std::string_view by_git = "git", by_walk = "walk", by_tools = "tools";
  std::optional<Id> prompt{};  // whose turn it belongs to; none: a restore's, or a snapshot's
  std::string phase{};         // before something changed, or after
  std::string root{};          // the workspace
  // git: every file that git does not ignore is listed, or as it is in the commit `git`. walk:
  // every file that is not ignored is listed. tools: nothing is said of files that are not listed.
  std::string coverage{};
  std::string git{};  // empty: no commit
  // git: the permission bits of files in the commit that are not listed. None: not known.
  struct Modes {
    std::uint32_t file = 0, program = 0;
    std::uint32_t of(bool runs) const { return runs ? program : file; }
    bool operator==(const Modes&) const = default;
  };
  std::optional<Modes> modes{};
  std::vector<KeptFile> files{};
  std::string list{};         // the blob that holds `files`, if they are too many for an entry
  std::int64_t left_out = 0;  // files whose contents were not kept

  bool is_whole() const { return coverage == by_git || coverage == by_walk; }
};
// Files were put back as they were at another time, or the conversation was.
struct Restore {
  Id to{};                     // the entry before or at which that was
  std::optional<Id> before{};  // the checkpoint of what was replaced; none: no file was
  std::optional<Id> head{};    // where the conversation was; none: it was left there
  bool redo = false;           // it takes an earlier one back
  std::int64_t changed = 0, kept = 0, failed = 0;
};
// A program of the user's that was run at an event and decided, changed or failed something.
struct HookRun {
  std::string event{}, command{};
  std::string source{};  // the file it is written in
  std::string exit{};    // "0", "signal 9", "timed out"
  std::int64_t ms = 0;
  std::string decision{}, reason{};  // allow, ask, deny; empty: none
  std::string call{};                // the id of the call it was about
  std::string input{};               // that it put in the place of the call's own, as JSON
  std::string original{};            // what the call printed, if the model was given something else
  std::string blob{};                // that holds `original`, if it is too long for an entry
};
// The session is a sub-agent's: the header says for which session it works.
struct SubAgent {
  std::string name{};  // of its definition
  std::string call{};  // the id of the call there that started it
};

}  // namespace payload

using Payload =
    std::variant<payload::Head, payload::Title, payload::Key, payload::Label, payload::Snapshot,
                 payload::Permissions, payload::ThinkingOffBefore, payload::Import,
                 payload::ImportContext, payload::ModelChange, payload::ThinkingLevelChange,
                 payload::SystemPromptOverride, payload::Redaction, payload::RuntimeInit,
                 payload::BranchSummary, payload::CompactionSummary, payload::Ttl, payload::Pin,
                 payload::MessageDeltaBatch, payload::Checkpoint, payload::Restore,
                 payload::HookRun, payload::SubAgent>;

// A new entry, as the other make_entry() gives it.
Entry make_entry(Payload payload);

// none: of no type or kind listed here, or without the id it is about. Missing members are empty.
std::optional<Payload> read_payload(std::string_view type, std::string_view json);

template <class Kind>
std::optional<Kind> read_as(const Entry& entry) {
  std::optional<Payload> payload = read_payload(entry.type, entry.payload);
  auto* const kind = payload ? std::get_if<Kind>(&*payload) : nullptr;
  return kind != nullptr ? std::optional<Kind>(std::move(*kind)) : std::nullopt;
}

}  // namespace skein::model
