// What a project brings that counts only once the user trusts it: found, shown, decided on. For
// `skein trust`, and for the question at a start.
#pragma once

#include "app/invocation/cli.h"
#include "app/setup/load_config.h"
#include "app/setup/project_files.h"

namespace skein::app {

class ProjectReview {
 public:
  // everything; or, at a start, what the user has not decided on yet. Of very many skills a start
  // says nothing, since it should not read them all.
  enum class Reach { everything, at_start };
  ProjectReview(const Invocation& invocation, const project::Places& places, Reach reach);

  bool empty() const { return !file_ && found_.items.empty(); }
  std::size_t count() const { return found_.items.size() + (file_ ? 1 : 0); }
  // The configuration of the workspace, if it is part of this.
  const std::optional<WorkspaceFile>& configuration() const { return file_; }

  // Each of them, and what it would do: maybe several rows. Both of these are untrusted.
  struct Line {
    std::string text;
    bool runs = false;  // it names a program
  };
  std::vector<Line> summary();
  // The text of what is not trusted yet. It is what decide() is about: a file that was changed
  // since is not shown.
  std::string contents() const;
  // Throws Error if it cannot be written down.
  void decide(Trust trust);
  static constexpr const char* question =
      "Trust and load them? skein asks again if a file changes. [y]es, [v]iew, [N]o › ";

 private:
  void find_at_start(const Invocation& invocation);
  std::vector<Line> detail_of(const TrustItem& item);
  std::string shown(const std::string& path) const;

  ProjectFiles files_;
  std::optional<WorkspaceFile> file_{};
  FoundItems found_{};
};

}  // namespace skein::app
