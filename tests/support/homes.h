// What tests of the store say most often: open it on a folder, append a message, read it back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/home/home.h"
#include "core/store/session_store.h"

namespace skein::test {

store::SessionStore store_at(const std::string& home);
// For what is done to a home from outside of a store, beside it or instead.
std::shared_ptr<store::home::Home> home_at(const std::string& home);

store::NewEntry user_says(const std::string& text);
store::NewEntry user_says(const std::string& text, Id id);
Id numbered_id(std::uint64_t number);

// The session with this key, made if need be; throws Error on failure.
Id session_called(store::SessionStore& store, const std::string& key);
// Throws Error on failure.
store::AppendResult append(store::SessionStore& store, Id session,
                           const std::vector<store::NewEntry>& entries);
std::vector<model::Entry> entries_of(store::SessionStore& store,
                                     Id session);  // the header's left out

// What is wrong with a transcript beyond a tail that was never acknowledged; empty: nothing.
std::string damage_in(store::SessionStore& store, Id session);
// Every session by what lists tell of it, in a fixed order, so that two lists can be compared.
std::vector<std::string> listing(store::SessionStore& store);

template <class Value>
Value value_of(store::Result<Value> outcome) {
  if (!outcome) throw Error(outcome.error().text);
  if constexpr (!std::is_void_v<Value>) return std::move(outcome).value();
}

}  // namespace skein::test
