// A store whose sessions are read as transcripts, wherever their lines are.
#pragma once

#include "core/store/log/log_reader.h"

namespace skein::store::log {

class LogBackend : public StorageBackend {
 public:
  Result<void> load(Id session, Position from, const VisitEntry& visit) override {
    return read(session, [&](LogReader& log) { return log.each(from, visit); });
  }
  Result<void> load_back(Id session, std::optional<Position> from,
                         const VisitEntry& visit) override {
    return read(session, [&](LogReader& log) { return log.each_back(from, visit); });
  }
  Result<StoredEntry> load_at(Id session, Position at) override {
    return read(session, [&](LogReader& log) { return log.at(at); });
  }
  Result<void> survey(Id session, const VisitFacts& visit) override {
    return read(session, [&](LogReader& log) { return log.survey(visit); });
  }
  Result<Position> locate(Id session, Id entry) override {
    return read(session, [&](LogReader& log) { return log.locate(entry); });
  }
  Result<Damage> examine(Id session) override {
    return read(session, [&](LogReader& log) { return log.examine(); });
  }
  Result<void> give_lines(Id session, Position from, const VisitText& visit) override {
    return read(session, [&](LogReader& log) { return log.give_lines(from, visit); });
  }

 protected:
  using Use = std::function<Result<void>(LogReader&)>;
  // Gives `use` the transcript, up to date.
  virtual Result<void> with_log(Id session, const Use& use) = 0;
  template <class Ask>
  auto read(Id session, const Ask& ask) -> decltype(ask(std::declval<LogReader&>())) {
    decltype(ask(std::declval<LogReader&>())) answer = Failure{};
    TRY(with_log(session, [&](LogReader& log) -> Result<void> {
      answer = ask(log);
      return answer ? Result<void>{} : answer.error();
    }));
    return answer;
  }
};

}  // namespace skein::store::log
