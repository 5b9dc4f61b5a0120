#include "core/exchange/export_request.h"

#include "core/text/spelling.h"

namespace skein::exchange {

using exporters::Format;

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(why, ExitStatus::usage); }

}  // namespace

void settle(ExportRequest& request, std::string_view format) {
  if (!format.empty()) {
    request.format = exporters::format_named(format);
    if (request.format == nullptr) {
      std::vector<std::string_view> names;
      for (const Format& each : exporters::formats()) names.push_back(each.name);
      const std::string meant(nearest(format, names));
      refuse("there is no format '" + std::string(format) + "'; " +
             (meant.empty() ? "there are " + exporters::format_names()
                            : "did you mean " + meant + "?"));
    }
  }
  if (request.format == nullptr && !request.file.empty() && request.file != "-") {
    request.format = exporters::format_of_file(request.file);
    if (request.format == nullptr && request.file.rfind('.') != std::string::npos &&
        request.file.rfind('.') > request.file.rfind('/') + 1)
      refuse("the name " + request.file + " does not tell a format; there are " +
             exporters::format_names());
  }
  if (request.format == nullptr) request.format = &exporters::formats().front();
  if (request.all_branches && !request.branch.empty())
    refuse("--branch and --all-branches exclude each other");
  if (request.all_branches && !request.format->branches)
    refuse("a request in the format " + std::string(request.format->name) +
           " has one path; --branch ENTRY chooses another");
}

ExportRequest read_request(std::span<const std::string_view> words) {
  ExportRequest request;
  std::string_view format;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--all-branches") {
      request.all_branches = true;
    } else if (word == "--redact-secrets") {
      request.redact_secrets = true;
    } else if (word == "--no-tools") {
      request.show.tools = false;
    } else if (word == "--no-thinking") {
      request.show.thinking = false;
    } else if (word == "--branch" || word == "--format" || word == "-o") {
      if (++i == words.size()) refuse(std::string(word) + " wants a value");
      if (word == "--format")
        format = words[i];
      else
        (word == "-o" ? request.file : request.branch) = words[i];
    } else if (word.starts_with("--")) {
      refuse("there is no flag " + std::string(word) +
             "; there are --branch, --all-branches, --redact-secrets, --no-tools, --no-thinking");
    } else if (i == 0 && exporters::format_named(word) != nullptr) {
      format = word;
    } else if (request.file.empty()) {
      request.file = word;
    } else {
      request.file += " " + std::string(word);  // a name with blanks
    }
  }
  settle(request, format);
  return request;
}

std::string file_name_for(std::string_view key, const Format& format) {
  std::string name(key);
  for (char& c : name)
    if (c == ':' || c == '/') c = '-';
  return name + std::string(format.extension);
}

}  // namespace skein::exchange
