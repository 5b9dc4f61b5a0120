// What readers of other programs' sessions find, in no program's dialect, and where they put it.
// Ids are the other program's own: with the session's they make ours, so that reading a file again,
// grown or rewritten, gives the same entries the same ids.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/model/message.h"
#include "core/model/payloads.h"

namespace skein::exchange::importers {

struct ForeignSession {
  std::string id{};          // must not change as the file grows
  std::string cwd{};         // the folder it was about
  std::string title{};       // one that was given or made there; else the first prompt is it
  std::string created_at{};  // as transcripts write times; empty: that of its first entry
  std::string updated_at{};  // when something was last said, if that is known without reading it
  std::string parent{};      // id of the session it was spawned by or forked from; empty: none
  bool spawned = false;      // by a tool call of `parent`: a sub-agent
};

// What the model was shown although nobody typed it: environment, instructions, reminders,
// attachments. It is kept, and never sent again.
struct ForeignContext {
  std::string label{};  // what it is: "environment", "instructions", "reminder"
  std::string text{};
};

struct ForeignEntry {
  std::string id{};      // unique in its session; several made of one line: "<id>/results"
  std::string parent{};  // an entry that came before; empty: a root; unknown: the one before it
  std::string time{};    // as transcripts write it; empty: that of the entry before
  // Of a Payload the ids are those of entry_id().
  std::variant<model::Message, model::Payload, ForeignContext> content{};
  JsonText raw{};  // the line it came from, if something in it has no place in `content`
};

class Receiver {
 public:
  virtual ~Receiver() = default;

  // False: this session is not wanted, and nothing of it is to be given.
  virtual bool begin(const ForeignSession& session) = 0;
  // Parents come before their children.
  virtual void add(ForeignEntry entry) = 0;
  // `id` was part of an entry that was added under another id; its children are that one's.
  virtual void alias(std::string_view id, std::string_view added) = 0;
  // Keeps bytes too large for a line, or an image's; the name to put into `blob`. Empty: they could
  // not be kept, which is reported already.
  virtual std::string keep(std::string_view bytes) = 0;
  // Something that is not taken over, in a few words that several may share: "file snapshots".
  virtual void lose(std::string_view what) = 0;
  // `leaf`: where the session stood; empty: at the entry added last.
  virtual void end(std::string_view leaf) = 0;
};

// The id an entry of theirs has in our session.
Id entry_id(std::string_view format, std::string_view session, std::string_view entry);
// The id of our session.
Id session_id(std::string_view format, std::string_view session);

}  // namespace skein::exchange::importers
