// A small session as exporters are given it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/export/exported_session.h"

namespace skein::test {

inline const std::string tiny_png = std::string("\x89PNG\r\n\x1a\n", 8) + std::string(16, '\0');

// Entries 1, 2, 3 … in order, each the child of the one before unless it says otherwise; entry 0 is
// no parent.
struct SampleSession {
  std::vector<model::Entry> entries{};
  std::map<std::string, std::string> blobs{};

  model::Entry& add(model::Entry entry);
  model::Entry& add(const model::Message& message);
  // Valid as long as this is.
  exporters::ExportedSession exported() const;
};

// A question with an image, thinking, two calls, their results, an answer.
SampleSession sample_talk();

// In the format of that name.
std::string written(std::string_view format, const exporters::ExportedSession& session);

}  // namespace skein::test
