// What every format of an export is written from, and where it is written to. Entries are visited,
// never held together: a session may be larger than memory.
#pragma once

#include "core/model/entry.h"
#include "core/model/message.h"

namespace skein::exporters {

using Sink = std::function<void(std::string_view)>;
using EntryVisitor = std::function<void(const model::Entry&)>;

struct ExportedSession {
  Id id{};
  std::string key{};
  std::string imported_from{};  // the format it came from; empty: it is our own
  std::string imported_as{};    // its id there
  std::string title{};
  std::string cwd{};
  std::string created_at{}, updated_at{};
  std::vector<std::string> models{};  // provider/model
  std::string usage{};                // messages, tokens and cost, for people
  std::string seal{};                 // whether it is as it was written, for people
  bool whole_tree = false;            // else the path to `leaf`
  std::optional<Id> leaf{};           // the head of the session, or the end of the chosen path
  std::vector<Id> leaves{};           // the ends of all branches that are exported
  // Every entry in the order they were written, parents before children, with what is redacted
  // masked; of a path also the marginal ones that were written along it. May be called again.
  std::function<void(const EntryVisitor&)> each_entry = [](const EntryVisitor&) {};
  // The bytes of a blob; empty: they are not there.
  std::function<std::string(const std::string& name)> blob = [](const std::string&) {
    return std::string{};
  };
};

inline constexpr std::size_t most_output_bytes = 1 << 20;

// The title of the session, or a name for one that has none.
std::string shown_title(const ExportedSession& session);
// What a summary of older messages says, which may be nothing; nullopt: the entry is none.
std::optional<std::string> summary_of(const model::Entry& entry);
// The text in place of an image whose bytes are gone.
inline constexpr const char* missing_image = "(an image that is no longer stored)";

// The texts of a result, from the blob if that has at most most_output_bytes.
std::string whole_output(const ExportedSession& session, const model::ToolResult& result);

// The bytes of an image and what kind it is, by how they begin; empty: it is not there or is none.
struct LoadedImage {
  std::string mime_type{};
  std::string base64{};
  bool there() const { return !base64.empty(); }
  std::string data_url() const { return "data:" + mime_type + ";base64," + base64; }
};
LoadedImage load_image(const ExportedSession& session, const model::Image& image);

struct ExportOptions {
  bool tools = true;     // calls and their results
  bool thinking = true;  // what models thought
};

// The same session without what the options leave out. What is then empty goes, and its children
// follow what it followed.
ExportedSession with_options(ExportedSession session, const ExportOptions& options);

}  // namespace skein::exporters
