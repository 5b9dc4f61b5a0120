// What can be found in an entry: its texts, by who said them, straight from the JSON as
// it is stored. Nothing is copied.
#pragma once

#include "core/text/std.h"

namespace skein::search {

// Who speaks, the most telling first.
enum class Role { title, user, assistant, thinking, tool };
std::string_view name(Role role);

struct Passage {
  Role role = Role::user;
  std::string_view raw{};   // inside the quotes of a JSON string
  bool call = false;        // what a tool was called with
  std::string_view tool{};  // of a call its tool; of a result the id of the call
  bool plain = false;       // `raw` is no JSON but the text itself
};

struct RawEntry {
  std::vector<Passage> passages{};
  std::optional<Role> speaker{};  // of the whole message, if it says so
  std::string_view provider{}, model{};
  bool failed = false;  // a tool's failure, or an answer that ended in an error
  struct Call {
    std::string_view id, name;
  };
  std::vector<Call> calls{};
  struct Blob {  // the whole output, of which a passage has a part
    std::string_view name, call;
  };
  std::vector<Blob> blobs{};
};

// The texts of an entry of this type; `body` begins with its payload. What `out` had goes. Valid as
// long as `body` is.
void read_passages(std::string_view type, std::string_view body, RawEntry& out);

// The same of a message that is cut off inside of a string: whether that belongs to a passage,
// which then is the last.
bool ends_in_passage(std::string_view cut_body, RawEntry& out);

// What a JSON string says.
void unescape(std::string_view raw, std::string& out);

}  // namespace skein::search
