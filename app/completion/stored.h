// Candidates out of what is kept: sessions, what is in them, and models.
#pragma once

#include "app/completion/candidates.h"

namespace skein::completion {

void sessions(const TypedLine& line, Candidates& to);
void archived_sessions(const TypedLine& line, Candidates& to);
void trashed_sessions(const TypedLine& line, Candidates& to);
// Of the session that is the first argument.
void entries(const TypedLine& line, Candidates& to);
void snapshots(const TypedLine& line, Candidates& to);

void models(const TypedLine& line, Candidates& to);
void providers(const TypedLine& line, Candidates& to);

}  // namespace skein::completion
