#include "app/driven/driver.h"

#include "core/text/json.h"

namespace skein::app::driven {

using agent::TurnEnd;

JsonText client_meta(const JsonText& meta, const std::string& id) {
  if (id.empty()) return meta;
  Json out = parse_json(meta).value_or(Json::object());
  out["client"] = {{"uuid", id}};
  return dump(out);
}

std::string client_id(const model::Entry& entry) {
  if (entry.meta.empty()) return {};
  return string_at(at(parse_json(entry.meta).value_or(Json::object()), "client"), "uuid");
}

Driver::Driver(const Invocation& invocation, const project::Places& places,
               ClientConnection connection)
    : connection_(connection),
      invocation_(invocation),
      places_(places),
      updates_([this](const Update& update) { dialect_->update(update); }) {}

void Driver::open() {
  application_ = std::make_unique<Application>(invocation_, places_);
  session_ =
      std::make_unique<HeadlessSession>(*application_, dialect_->choose(application_->store()));
  dialect_->opened();
}

int Driver::run(Dialect& dialect) {
  dialect_ = &dialect;
  int status = 0;
  try {
    if (const std::string& why = invocation_.client_flags.trouble; !why.empty())
      throw UsageError(why);
    answer_all();
    status = connection_.flags.leave ? terminated_status
             : failed_               ? static_cast<int>(ExitStatus::turn)
                                     : 0;
  } catch (const Error& error) {
    status = dialect.failed(error);
  }
  session_.reset();
  application_.reset();  // its hooks and servers refer to the dialect
  return status;
}

void Driver::answer_all() {
  for (;;) {
    serve();
    const bool waits = !queue_.empty() || !later_.empty();
    if (!session_ && waits && (dialect_->is_ready() || ended_)) open();
    if (session_ && waits && !connection_.flags.leave) {
      turn(next());
      continue;
    }
    if (ended_ || connection_.flags.leave) break;
    wait(in().fd(), no_deadline, [this] { return connection_.flags.leave.load(); });
  }
  if (session_) session_->leave(ports());
}

void Driver::serve() {
  while (const std::optional<LineQueue::Line> line = in().next()) dialect_->take(*line);
  if (in().ended() && !std::exchange(ended_, true)) dialect_->input_ended();
}

ClientPrompt Driver::next() {
  std::deque<ClientPrompt>& from = queue_.empty() ? later_ : queue_;
  ClientPrompt prompt = std::move(from.front());
  from.pop_front();
  return prompt;
}

void Driver::put(ClientPrompt prompt) {
  if (prompt.when == ClientPrompt::When::later) return later_.push_back(std::move(prompt));
  if (prompt.when == ClientPrompt::When::now && running() && prompt.asks) {
    model::Message message = model::user_message(prompt.text);
    add_images(message, prompt.images);
    model::Entry entry = agent::steered(message);
    entry.meta = client_meta(entry.meta, prompt.id);
    steering_.emplace_back(entry.id, std::move(prompt));
    return application_->inbox().put(std::move(entry), session_->id());
  }
  queue_.push_back(std::move(prompt));
}

void Driver::interrupt() {
  if (!running()) return;
  connection_.flags.stop = true;
  ++connection_.flags.count;
  queue_steering();
}

void Driver::queue_steering() {
  for (auto& [id, steer] : std::exchange(steering_, {}) | std::views::reverse)
    if (application_->inbox().take_back(id)) queue_.push_front(std::move(steer));
}

void Driver::change_model(std::function<void(model::ModelRef& now)> change) {
  if (running())
    changes_.push_back(std::move(change));
  else
    change(session_->settings().model);
}

std::vector<std::string> Driver::queued() const {
  std::vector<std::string> out;
  for (const std::deque<ClientPrompt>* queue : {&queue_, &later_})
    for (const ClientPrompt& each : *queue)
      if (!each.id.empty()) out.push_back(each.id);
  return out;
}

bool Driver::cancel(const std::string& id) {
  std::size_t erased = std::erase_if(steering_, [&](const auto& each) {
    return each.second.id == id && application_->inbox().take_back(each.first);
  });
  for (std::deque<ClientPrompt>* queue : {&queue_, &later_})
    erased += std::erase_if(*queue,
                            [&](const ClientPrompt& each) { return id.empty() || each.id == id; });
  return erased > 0;
}

model::Ports Driver::ports() {
  model::Ports out;
  out.stop = &connection_.flags.stop;
  out.stops = &connection_.flags.count;
  out.input = {.fd = in().fd(), .on_ready = [this] { serve(); }};
  out.sink = application_->models().masking([this](const model::Event& event) { hear(event); });
  dialect_->add_questions(out);
  return out;
}

void Driver::hear(const model::Event& event) {
  spent_.hear(event);
  if (std::holds_alternative<model::ToolStarted>(event)) calls_running_ = true;
  if (std::holds_alternative<model::ToolEnded>(event) && !stop()) calls_running_ = false;
  updates_.hear(event);
}

void Driver::add_images(model::Message& message, const std::vector<model::Image>& images) {
  std::erase(message.content, model::Block(model::Text{}));
  for (model::Image image : images) {
    image.blob = store::value_or_throw(application_->store().blobs().keep_blob(image.bytes));
    image.bytes.clear();
    message.content.emplace_back(std::move(image));
  }
}

TurnEnd Driver::answer(const ClientPrompt& prompt) {
  const model::Ports with = ports();
  agent::Settings& settings = session_->settings();
  // The budget of each turn does not limit their sum.
  if (const auto most = invocation_.max_usd; most && *most > 0 && dollars_ >= *most && prompt.asks)
    return {.stop = model::Stop::error,
            .error = "not sent: --max-budget-usd is used up",
            .at_its_limit = true};
  project::RenderedCommand said{.text = prompt.text};
  if (prompt.expands) said = rendered_prompt(*application_, prompt.text, settings.rules, stop());
  if (prompt.mentions)
    said.mentions = (said.text == prompt.text ? "" : said.mentions + " ") + *prompt.mentions;
  std::vector<std::string> remarks = said.remarks, missing;
  model::PromptWithFiles files{.message = model::user_message(said.text)};
  if (prompt.expands)
    files =
        with_named_files(*application_, said.text, said.mentions, settings.rules, stop(), missing);
  for (const model::Image& image : said.images) files.message.content.emplace_back(image);
  add_images(files.message, prompt.images);
  remarks.insert(remarks.end(), missing.begin(), missing.end());
  if (prompt.typed) application_->note_typed(session_->id(), prompt.text);
  session_->take_wishes(said, remarks);
  if (!std::exchange(greeted_, true)) {
    session_->show_notices(with, remarks, {});
    session_->recover(with);
  } else {
    for (const std::string& each : remarks)
      with.sink(model::Notice{model::Notice::Level::warning, each});
  }
  if (!prompt.asks) {
    model::Entry note = model::message_entry(files.message);
    note.meta = client_meta(model::note_meta, prompt.id);
    application_->agent().note(session_->conversation(), std::move(note), settings, with);
    return {};
  }
  return session_->take_turn(
      {files.message, client_meta(said.meta, prompt.id), said.temporary_rules}, with);
}

void Driver::turn(ClientPrompt prompt) {
  connection_.flags.stop = false;
  if (connection_.flags.leave)
    connection_.flags.stop = true;  // in this order, so that no signal is lost
  spent_ = {};
  calls_running_ = false;
  running_ = &prompt;
  const model::ModelRef chosen = session_->settings().model;  // a command may name another one
  // Before the turn is announced, so that the client sees which servers there are.
  std::vector<model::Event> early;
  model::Ports starting = ports();
  starting.sink = [&](const model::Event& event) { early.push_back(event); };
  application_->take_server_tools(starting);
  if (prompt.asks) dialect_->turn_begins(prompt);
  for (const model::Event& event : early) ports().sink(event);
  TurnEnd end;
  try {
    end = answer(prompt);
  } catch (const Error& error) {
    end.stop = model::Stop::error;
    end.error = error.what();
  }
  end.error = trouble_with(end, "");
  const bool failed = !end.error.empty() && end.stop != model::Stop::aborted;
  spent_.turn.live = true;
  application_->screen_parts().account(spent_.turn);
  spent_.all_turns_usd = dollars_ += spent_.turn.cost_usd.value_or(0);
  if (prompt.asks || failed) {
    failed_ = failed;
    dialect_->turn_ended(prompt, end, spent_);
  }
  running_ = nullptr;
  session_->settings().model = chosen;
  for (const auto& change : std::exchange(changes_, {})) change(session_->settings().model);
  queue_steering();
  if (queue_.empty() && later_.empty()) dialect_->idle();
}

}  // namespace skein::app::driven
