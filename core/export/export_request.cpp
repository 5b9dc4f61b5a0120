#include "core/export/export_request.h"

#include "core/export/output_file.h"
#include "core/text/text.h"

namespace skein::exporters {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(why, ExitStatus::usage); }

}  // namespace

void settle(ExportRequest& request, std::string_view format) {
  if (!format.empty()) {
    request.format = format_named(format);
    if (request.format == nullptr) {
      std::vector<std::string_view> names;
      for (const ExportFormat& each : formats()) names.push_back(each.name);
      const std::string meant(nearest(format, names));
      refuse("there is no format '" + std::string(format) + "'; " +
             (meant.empty() ? "there are " + format_names() : "did you mean " + meant + "?"));
    }
  }
  if (request.format == nullptr && !request.file.empty() && request.file != "-") {
    request.format = format_of_file(request.file);
    if (request.format == nullptr && request.file.rfind('.') != std::string::npos &&
        request.file.rfind('.') > request.file.rfind('/') + 1)
      refuse("cannot tell the format from the name " + request.file + "; the formats are " +
             format_names());
  }
  if (request.format == nullptr) request.format = &formats().front();
  if (request.all_branches && !request.branch.empty())
    refuse("--branch and --all-branches cannot be used together");
  if (request.all_branches && !request.format->branches)
    refuse("the format " + std::string(request.format->name) +
           " holds one branch; choose it with --branch ENTRY");
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
      if (++i == words.size()) refuse(std::string(word) + " needs a value");
      if (word == "--format")
        format = words[i];
      else
        (word == "-o" ? request.file : request.branch) = words[i];
    } else if (word.starts_with("--")) {
      refuse("there is no flag " + std::string(word) +
             "; there are --branch, --all-branches, --redact-secrets, --no-tools, --no-thinking");
    } else if (i == 0 && format_named(word) != nullptr) {
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

std::string file_name_for(std::string_view key, const ExportFormat& format) {
  std::string name(key);
  for (char& c : name)
    if (c == ':' || c == '/') c = '-';
  return name + std::string(format.extension);
}

std::string write_to_file(const ExportRequest& request, const ExportedSession& session,
                          const std::string& folder) {
  const bool named = !request.file.empty();
  std::string path = named ? request.file : file_name_for(session.key, *request.format);
  if (!folder.empty() && !path.starts_with('/')) path = folder + "/" + path;
  OutputFile file(path, named ? OutputFile::Existing::replace : OutputFile::Existing::keep);
  request.format->write(session, [&](std::string_view piece) { file.write(piece); });
  file.finish();
  return "wrote " + path + " (" + with_separators(file.bytes()) + " bytes)";
}

}  // namespace skein::exporters
