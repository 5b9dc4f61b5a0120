// What one asks of an export, at the command line and at the prompt: `[format] [file] [flags]`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/exchange/exporters/format.h"
#include "core/exchange/session_source.h"

namespace skein::exchange {

struct ExportRequest {
  const exporters::Format* format = nullptr;
  std::string file{};    // empty: none was named
  std::string branch{};  // an entry as the user names it; empty: none
  bool all_branches = false;
  bool redact_secrets = false;
  exporters::ExportOptions show{};
};

// The words of `/export`. The file's ending decides where no format is named; throws Error if that
// does not tell, or if a word means nothing.
ExportRequest read_request(std::span<const std::string_view> words);
// The same rules for what was given by name. Throws Error, with wrong usage as its status.
void settle(ExportRequest& request, std::string_view format);

// How a file is called that nobody named: "main-cli-user.html".
std::string file_name_for(std::string_view key, const exporters::Format& format);

}  // namespace skein::exchange
