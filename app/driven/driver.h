// Runs a session for the program that drives skein: takes its lines as they come, also during a
// turn, and its prompts one after the other. A dialect defines what lines mean and look like.
#pragma once

#include "app/application.h"
#include "app/driven/headless_session.h"
#include "app/driven/json_lines.h"
#include "app/driven/updates.h"
#include "app/invocation/signals.h"

namespace skein::app::driven {

// A prompt of the client's.
struct ClientPrompt {
  enum class When { now, next, later } when = When::next;
  std::string text{};
  std::vector<model::Image> images{};  // with their bytes
  std::string id{};                    // the client's for it; may be empty
  bool expands = true;                 // `@file` and `/command` in it mean something
  bool asks = true;                    // false: the model reads it with the next prompt
  bool typed = true;                   // by a person: web pages that it names may be fetched
  // "@file …": what is attached, instead of what the text names.
  std::optional<std::string> mentions{};
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual void take(const InputLines::Line& line) = 0;
  virtual void input_ended() {}
  // Whether the session may be opened now.
  virtual bool is_ready() const { return true; }
  virtual ChosenSession choose(store::SessionStore& store) = 0;  // throws Error
  virtual void opened() {}
  virtual void turn_begins(const ClientPrompt& prompt) = 0;
  virtual void update(const Update& update) = 0;
  // Writes the last line of a turn.
  virtual void turn_ended(const ClientPrompt& prompt, const agent::TurnEnd& end,
                          const Spent& spent) = 0;
  virtual void idle() {}
  // Empty functions: the client answers no such questions.
  virtual void add_questions(model::Ports& ports) = 0;
  // The process ends because of this. Returns the exit status.
  virtual int failed(const Error& error) = 0;
};

// What a driver is connected to, which outlives it.
struct ClientConnection {
  LineQueue& in;
  OutputLines& out;
  StopFlags flags{};
};

class Driver {
 public:
  Driver(const Invocation& invocation, const project::Places& places, ClientConnection connection);
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Until the input has ended and all prompts are answered. Returns the exit status.
  int run(Dialect& dialect);

  // For dialects.
  LineQueue& in() { return connection_.in; }
  OutputLines& out() { return connection_.out; }
  const std::atomic<bool>& stop() const { return connection_.flags.stop; }
  Invocation& invocation() { return invocation_; }  // may be changed until the session is opened
  void open();                                      // throws Error
  HeadlessSession* session() { return session_.get(); }  // null: it is not open yet
  Application& application() { return *application_; }
  bool running() const { return running_ != nullptr; }
  // Whether a call of a tool runs, or ran when the turn was stopped.
  bool calls_running() const { return calls_running_; }
  void serve();  // takes the lines that have come
  void put(ClientPrompt prompt);
  void interrupt();  // the turn that runs
  // Of the session: now, or when the turn that runs has ended.
  void change_model(std::function<void(model::ModelRef& now)> change);
  std::vector<std::string> queued() const;  // by their ids
  bool cancel(const std::string& id);       // a queued prompt; empty: all of them
  model::Ports ports();

 private:
  void answer_all();
  void turn(ClientPrompt prompt);
  agent::TurnEnd answer(const ClientPrompt& prompt);
  // Drops a text that is empty as well: providers refuse it.
  void add_images(model::Message& message, const std::vector<model::Image>& images);
  void hear(const model::Event& event);
  ClientPrompt next();    // of those that wait
  void queue_steering();  // what the turn has not taken

  const ClientConnection connection_;
  Invocation invocation_;
  const project::Places places_;
  Dialect* dialect_ = nullptr;
  std::unique_ptr<Application> application_{};
  std::unique_ptr<HeadlessSession> session_{};
  Updates updates_;
  Spent spent_{};
  std::deque<ClientPrompt> queue_{}, later_{};
  std::vector<std::pair<Id, ClientPrompt>> steering_{};               // for the turn that runs
  const ClientPrompt* running_ = nullptr;                             // null: no turn runs
  std::vector<std::function<void(model::ModelRef& now)>> changes_{};  // for after the turn
  bool calls_running_ = false;
  bool ended_ = false, failed_ = false, greeted_ = false;
  double dollars_ = 0;  // of all turns
};

// What an entry of a client's message says of it.
JsonText client_meta(const JsonText& meta, const std::string& id);
// The client's id of a message; empty: it has none.
std::string client_id(const model::Entry& entry);

}  // namespace skein::app::driven
