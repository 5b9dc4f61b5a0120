// `skein acp`: serves the Agent Client Protocol, version 1, on standard input and output. One
// process serves all sessions of an editor. Each session has a thread; the first thread reads the
// lines and passes each to the session that it is for.
#pragma once

#include "app/driven/acp/rpc.h"
#include "app/invocation/cli.h"
#include "core/store/session_store.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"

namespace skein::app::driven::acp {

class AcpServer {
 public:
  explicit AcpServer(const Invocation& invocation);
  ~AcpServer();
  AcpServer(const AcpServer&) = delete;
  AcpServer& operator=(const AcpServer&) = delete;

  // Until the input has ended or a signal has come. Turns that run are stopped and saved. Returns
  // the exit status.
  int run();

 private:
  struct Session {
    std::string id_start{};  // of the requests that it sends
    LineQueue in{};
    std::atomic<bool> stop{false}, leave{false}, ended{false};
    std::atomic<unsigned> stops{0};
    std::optional<Id> id{};      // under `lock_`
    std::vector<Json> closed{};  // requests to be answered when it has ended
    bool erased = false;         // and then it goes to the trash
    std::thread thread{};
  };

  void take(const LineQueue::Line& line);
  void take_request(const std::string& method, const Json& id, const Json& params,
                    const std::string& text);
  Json initialize(const Json& params);
  Json authenticate(const Json& params);
  Json list(const Json& params);
  // Opens a session in a thread, or passes the line on if it is open already.
  void open(const std::string& method, const Json& params, const std::string& text);
  void close(const Json& id, const Json& params, bool erase);
  void work(Session& session, const Invocation& invocation,
            const std::vector<std::string>& notices);
  void collect(bool all);  // sessions that have ended
  Session* find(const Json& params);

  store::SessionStore& store();
  const catalog::Catalog& catalog();
  bool can_ask_a_model();

  const Invocation invocation_;
  InputLines in_;
  OutputLines out_;
  ClientFacts client_{};
  AcpConnection connection_{out_, client_};
  bool initialized_ = false;
  std::unique_ptr<store::SessionStore> store_{};  // for lists; made when first needed
  std::unique_ptr<const catalog::Catalog> catalog_{};
  Signal ended_{no_descriptor};
  std::mutex lock_{};
  std::list<Session> sessions_{};
  int opened_ = 0;
};

}  // namespace skein::app::driven::acp
