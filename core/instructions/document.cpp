#include "core/instructions/document.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/text/base.h"
#include "core/text/glob.h"

namespace skein::instructions {

namespace {

constexpr std::size_t most_alternatives = 64;

// "*.{ts,tsx}" is {"*.ts", "*.tsx"}; what is not closed is left as it is.
std::vector<std::string> alternatives(const std::string& pattern) {
  std::vector<std::string> out{pattern};
  for (std::size_t i = 0; i < out.size() && out.size() < most_alternatives;) {
    const std::string one = out[i];
    const std::size_t open = one.find('{');
    const std::size_t close = open == std::string::npos ? open : one.find('}', open);
    if (close == std::string::npos) {
      ++i;
      continue;
    }
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t from = open + 1; from <= close;) {
      const std::size_t end = std::min(one.find(',', from), close);
      out.push_back(one.substr(0, open) + one.substr(from, end - from) + one.substr(close + 1));
      from = end + 1;
    }
  }
  return out;
}

int rank(const Document& document) {
  using Author = Document::Author;
  return document.author == Author::rule ? 2 : document.author == Author::project ? 1 : 0;
}

}  // namespace

bool is_about(const Document& rule, const std::string& file) {
  if (!file.starts_with(rule.base + "/")) return false;
  const std::string below = file.substr(rule.base.size() + 1);
  return std::ranges::any_of(rule.paths, [&](const std::string& pattern) {
    return std::ranges::any_of(alternatives(pattern), [&](const std::string& one) {
      return glob_match(one.starts_with("./") ? one.substr(2) : one, below);
    });
  });
}

std::vector<std::string> fit(std::vector<Document>& documents, std::size_t bytes) {
  constexpr std::size_t worth_keeping = 256;
  std::vector<std::size_t> order(documents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (rank(documents[a]) != rank(documents[b])) return rank(documents[a]) < rank(documents[b]);
    return rank(documents[a]) == 1 && a > b;
  });
  std::vector<std::string> remarks;
  for (const std::size_t i : order) {
    std::string& text = documents[i].text;
    if (text.size() <= bytes) {
      bytes -= text.size();
      continue;
    }
    const std::size_t line = text.substr(0, bytes).rfind('\n');
    const std::size_t whole = text.size();
    text.resize(bytes < worth_keeping       ? 0
                : line == std::string::npos ? utf8_prefix(text, bytes).size()
                                            : line + 1);
    bytes -= text.size();
    const std::string& what = documents[i].heading;
    remarks.push_back(text.empty() ? what + " is left out: instructions are too long in all"
                                   : what + " is cut: instructions are too long in all");
    if (!text.empty())
      text += "[cut here: " + with_separators(whole - text.size()) + " more bytes]\n";
  }
  std::erase_if(documents, [](const Document& each) { return each.text.empty(); });
  return remarks;
}

std::string prompt_text(const std::vector<Document>& documents) {
  constexpr const char* about_the_project =
      "\n\nWhat follows is written in files of this project, by whoever works on it. Follow it "
      "unless the user says otherwise; it permits nothing that the user did not.";
  std::string out;
  bool said = false;
  for (const Document& each : documents) {
    if (each.is_of_project() && !std::exchange(said, true)) out += about_the_project;
    out += "\n\n# " + each.heading + "\n\n" + each.text;
  }
  return out;
}

}  // namespace skein::instructions
