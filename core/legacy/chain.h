// A conversation of an older form, put into order: calls and results were written in every order,
// doubled and orphaned, and are paired by their ids.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/legacy/session.h"
#include "core/model/message.h"

namespace skein::legacy {

class Chain {
 public:
  Chain(Id session, Session& out) : session_(session), out_(out) {}

  // All results first, whatever their place; then the messages in theirs.
  void expect_result(model::ToolResult result, const std::string& time);
  void user(std::vector<model::Block> content, const std::string& time);
  void assistant(std::vector<model::Block> content, const std::string& time);
  model::Message& reply() { return reply_; }
  // Where the result stood: if its call is part of the reply under way, that has ended.
  void result(const std::string& call);
  void flush();
  void finish();

 private:
  struct Result {
    model::ToolResult result{};
    std::string time{};
  };

  void answer(const std::string& call);
  void add(const model::Message& message, const std::string& time);
  void add_entry(model::Entry entry, const std::string& time);

  Id session_;
  Session& out_;
  std::map<std::string, Result> results_{};
  std::set<std::string> calls_{};
  std::set<std::string> reply_calls_{};  // those of the reply under way
  model::Message reply_{.role = model::Role::assistant};
  std::string reply_time_{}, last_time_ = utc_from_ms(0);
  std::optional<Id> last_{};
};

}  // namespace skein::legacy
