#include "providers/offline/rules.h"

#include <algorithm>
#include <optional>

#include "core/text/amounts.h"
#include "core/text/text.h"
#include "providers/offline/requests.h"

namespace skein::offline {

namespace {

std::string quote(std::string_view text) {
  std::string out = "> ";
  for (const char c : utf8_prefix(text, 400)) (out += c) += c == '\n' ? "> " : "";
  return out + "\n";
}

// What the user has said so far; the last one is the prompt.
std::vector<std::string> prompts(const model::Context& context) {
  std::vector<std::string> said;
  for (const model::Message& message : context.messages)
    if (model::is_prompt(message))
      if (std::string text = model::plain_text(message); !text.empty())
        said.push_back(std::move(text));
  return said;
}

using Answer = std::optional<RuleReply> (*)(const Match&);

std::optional<RuleReply> say_help(const Match& match) {
  std::string text =
      "I am **offline/demo**, the model built into skein. I need no network and no key. I answer "
      "by rule: I do not understand, but everything around me is real.\n\n"
      "Things to try here:\n\n"
      "- `list files`, `read README.md`, `find main`, `run git status`\n"
      "- `create notes.txt with hello`, `replace hello with goodbye in notes.txt`\n"
      "- `explore`: two tools, one after the other\n"
      "- `what did I say first?`, `summarize`: also after you have quit and come back\n"
      "- `show markdown`: what answers can look like\n\n"
      "Things skein does with any model:\n\n"
      "- every word is saved before it is shown; `/sessions`, `/switch` and `/history` find it\n"
      "- `/tree` and `/branch` go back to any point and on from there, nothing is lost\n"
      "- `/model provider/model` hands this conversation to another model\n"
      "- `/help` lists the rest\n";
  if (match.context.tools.empty()) text += "\nNo tools are switched on at the moment.\n";
  return RuleReply{"The prompt asks what there is to do, so the help rule applies.", text};
}

std::optional<RuleReply> say_hello(const Match&) {
  return RuleReply{"A greeting.",
                   "Hello! I am **offline/demo**: I answer by rule, without a network. "
                   "Say `help` to see what can be tried.\n"};
}

std::optional<RuleReply> say_time(const Match& match) {
  return RuleReply{"The clock can be read without a tool.",
                   "It is " + std::string(match.now.substr(11, 5)) + " UTC on " +
                       std::string(match.now.substr(0, 10)) + ".\n"};
}

std::optional<RuleReply> say_first(const Match& match) {
  const auto said = prompts(match.context);
  if (said.size() < 2)
    return RuleReply{"There is nothing before this prompt.",
                     "This is the first thing you have said in this session.\n"};
  return RuleReply{"The history has it.",
                   "The first thing you said was:\n\n" + quote(said.front())};
}

std::optional<RuleReply> say_last(const Match& match) {
  const auto said = prompts(match.context);
  if (said.size() < 2)
    return RuleReply{"There is nothing before this prompt.",
                     "There was none: this is the first thing you have said in this session.\n"};
  return RuleReply{"The history has it.",
                   "Before this you said:\n\n" + quote(said[said.size() - 2])};
}

std::optional<RuleReply> say_summary(const Match& match) {
  const auto said = prompts(match.context);
  std::size_t calls = 0;
  for (const model::Message& message : match.context.messages)
    calls += model::tool_uses(message).size();
  std::string text = "So far you have said " + counted(said.size(), "thing") + ", and " +
                     counted(calls, "tool was", "tools were") + " called.\n\n";
  const std::size_t from = said.size() > 12 ? said.size() - 12 : 0;
  if (from > 0) text += "The last twelve:\n\n";
  for (std::size_t i = from; i < said.size(); ++i) {
    const std::string line = said[i].substr(0, said[i].find('\n'));
    text += std::to_string(i + 1) + ". " + std::string(utf8_prefix(line, 80)) + "\n";
  }
  return RuleReply{"Counting prompts and calls of the history.", text};
}

std::optional<RuleReply> learn_name(const Match& match) {
  const std::string name = unquoted(match.rest);
  if (name.empty()) return std::nullopt;
  return RuleReply{"A name to find again later.",
                   "Nice to meet you, " + name + ". Ask me later; also after a restart.\n"};
}

std::optional<RuleReply> recall_name(const Match& match) {
  const auto said = prompts(match.context);
  for (auto prompt = said.rbegin(); prompt != said.rend(); ++prompt)
    for (const std::string_view words : {"my name is ", "call me "})
      if (const std::size_t at = lower(*prompt).find(words); at != std::string::npos) {
        const std::string_view rest = std::string_view(*prompt).substr(at + words.size());
        return RuleReply{
            "An earlier prompt says it.",
            "You told me: " + unquoted(rest.substr(0, rest.find_first_of(",;\n"))) + ".\n"};
      }
  return RuleReply{"No earlier prompt says it.", "You have not told me.\n"};
}

std::optional<RuleReply> show_markdown(const Match&) {
  return RuleReply{"A sample of everything.",
                   "# A heading\n\nText with **bold**, *italic*, `code` and a "
                   "[link](https://example.com).\n\n- a list\n  - with a level below\n- and "
                   "another item\n\n1. numbered\n2. too\n\n> a quotation\n\n| left | right |\n| "
                   "--- | ---: |\n| a | 1 |\n| b | 22 |\n\n" +
                       fenced("int main() {\n  return 0;  // all is well\n}\n", "cpp")};
}

// Where the phrase must be.
enum class Where { start, anywhere, whole };

struct Rule {
  Where where;
  std::string_view phrases;  // separated by |
  Answer answer;
};

// The first rule that matches and has an answer wins.
constexpr Rule rules[] = {
    {Where::anywhere, "what time|what day|what date", say_time},
    {Where::anywhere, "what can you do|who are you|what is skein", say_help},
    {Where::whole, "help", say_help},
    {Where::anywhere, "did i say first|my first", say_first},
    {Where::anywhere, "did i say last|did i just say|did i say before|my last|my previous",
     say_last},
    {Where::start, "summar|recap", say_summary},
    {Where::anywhere, "what did we|what have we", say_summary},
    {Where::anywhere, "what is my name|what's my name|who am i", recall_name},
    {Where::start, "my name is |call me ", learn_name},
    {Where::anywhere, "show markdown", show_markdown},
    {Where::start, "explore|look around", list_files},
    {Where::whole, "ls", list_files},
    {Where::start, "ls ", list_files},
    {Where::whole, "list", list_files},
    {Where::start, "list |show files", list_files},
    {Where::anywhere, "in this directory|in this folder", list_files},
    {Where::start, "read |show |cat |open ", read_file},
    {Where::start, "run |execute |$ ", run_command},
    {Where::start, "find |search |grep ", find_text},
    {Where::start, "create |write |make ", create_file},
    {Where::start, "replace ", replace_text},
    {Where::start, "hello", say_hello},
    {Where::whole, "hi|hey", say_hello},
};

std::optional<std::size_t> end_of_match(Where where, std::string_view phrase,
                                        std::string_view text) {
  const std::size_t at = text.find(phrase);
  if (at == std::string_view::npos || (where != Where::anywhere && at != 0)) return std::nullopt;
  if (where == Where::whole && trimmed(text, " \n?!.") != phrase) return std::nullopt;
  return at + phrase.size();
}

RuleReply admit(const model::Context& context, std::string_view prompt) {
  return {"No rule matches.",
          "You said:\n\n" + quote(prompt) +
              "\nI am **offline/demo**, the model built into skein: I answer by rule and have none "
              "for this. This was prompt " +
              std::to_string(prompts(context).size()) +
              " of this session, and it is saved. Say `help` for what I can do, or use `/model` to "
              "choose a model that thinks.\n"};
}

}  // namespace

RuleReply reply_by_rule(const model::Context& context, std::string_view now) {
  const auto said = prompts(context);
  const std::string last = said.empty() ? "" : said.back();
  if (!context.messages.empty() && context.messages.back().role == model::Role::tool)
    return report_results(context, last);

  std::string_view prompt = trimmed(last);
  std::string small = lower(prompt);
  for (const std::string_view courtesy : {"please ", "can you ", "could you ", "now ", "then "})
    if (small.starts_with(courtesy)) {
      small.erase(0, courtesy.size());
      prompt.remove_prefix(courtesy.size());
    }
  for (const Rule& rule : rules)
    for (const std::string_view phrase : split(rule.phrases, '|'))
      if (const auto end = end_of_match(rule.where, phrase, small))
        if (const auto reply = rule.answer({context, now, prompt, prompt.substr(*end)}))
          return *reply;
  return admit(context, prompt);
}

}  // namespace skein::offline
