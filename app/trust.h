// Which workspaces may configure more than what takes something away: those whose configuration the
// user has seen and trusted, by real path and content. Kept beside the user's own configuration,
// where no tool can write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "core/project/places.h"
#include "core/project/trust_record.h"

namespace skein::app {

using project::Trust;

// Where the records of single files are kept; empty: there is no place for them.
std::string trust_folder();

// In a configuration with this very text: one that was changed since is unknown again.
Trust trust_in(const std::string& workspace, const std::string& text);
// Throws Error (storage) if it cannot be written down.
void set_trust(const std::string& workspace, const std::string& text, Trust trust);

// Those with a configuration that was trusted once.
std::vector<std::string> trusted_workspaces();

// A question at the terminal that only y answers with yes; nullopt: there was no answer.
std::optional<bool> answered(const std::string& question);

// Shows a configuration that wants more than it may, skills that are new or have changed, and
// servers that want to run, and asks, once, whether they may. To be called only at a terminal with
// a user.
void offer_trust(const Invocation& invocation, const project::Places& places);

}  // namespace skein::app
