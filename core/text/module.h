// Modules: parts of skein that bring libraries of their own are shared objects, loaded when
// something first needs them, so that a start which needs none of them does not pay for them.
//
// skein and each module have a C++ library of their own. So only what C knows crosses between them:
// numbers, pointers, structs of these, and View and Callback. No exception crosses. A module says
// in words what went wrong; what a callback throws is stored in skein until the module has
// returned.
#pragma once

#include "core/text/std.h"

namespace skein {

// Items in the other side's memory; valid during the call that hands them over.
template <class Item>
class View {
 public:
  View() = default;
  View(const Item* items, std::size_t size) : items_(items), size_(size) {}
  template <class Items>  // a vector, a string; not a literal, whose zero would count
    requires(!std::is_array_v<Items>)
  View(const Items& items) : View(std::data(items), std::size(items)) {}

  const Item* data() const { return items_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Item* begin() const { return items_; }
  const Item* end() const { return items_ + size_; }
  const Item& operator[](std::size_t at) const { return items_[at]; }
  operator std::string_view() const
    requires std::same_as<Item, char>
  {
    return {items_, size_};
  }

 private:
  const Item* items_ = nullptr;
  std::size_t size_ = 0;
};
using Bytes = View<char>;

template <class Signature>
struct Callback;
// A function of the other side.
template <class Result, class... Arguments>
struct Callback<Result(Arguments...)> {
  Result (*function)(void* context, Arguments...) noexcept = nullptr;
  void* context = nullptr;
  Result operator()(Arguments... arguments) const { return function(context, arguments...); }
};

// Where the other side puts a text.
using TextSink = Callback<void(Bytes)>;
inline TextSink into(std::string& text) {
  return {[](void* context, Bytes given) noexcept { *static_cast<std::string*>(context) = given; },
          &text};
}

// Makes callbacks of functions that may throw. Once one has thrown, no other is called: they return
// zero, which tells a module to stop. A callback lives until the end of the call it is made for.
class Callbacks {
 public:
  template <class Work>
  auto operator()(Work work) {
    return Guarded<Work>{*this, std::move(work)};
  }
  // For after the call.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  template <class Work>
  struct Guarded {
    Callbacks& all;
    Work work;
    template <class Result, class... Arguments>
    operator Callback<Result(Arguments...)>() {
      return {[](void* context, Arguments... arguments) noexcept -> Result {
                auto& self = *static_cast<Guarded*>(context);
                try {
                  if (!self.all.thrown_) return self.work(arguments...);
                } catch (...) {
                  self.all.thrown_ = std::current_exception();
                }
                return Result();
              },
              this};
    }
  };

  std::exception_ptr thrown_{};
};

// For a module: does the work of a call, and gives the caller its exceptions as words.
template <class Work>
void report_exceptions(const TextSink& problem, const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& error) {
    problem(std::string_view(error.what()));
  }
}

// The object `skein_module` in a module: a struct of its functions. It begins with `version`, a C
// string: the skein it was built with, since what they hand each other may differ in another one.
// `file` is "skein_http"; `purpose` is what a person calls it: "network". The module is loaded if
// it is not yet, and stays so. Throws Error, also if its version is another.
const void* module_functions(const std::string& file, std::string_view purpose);

template <class Functions>
const Functions& module_functions() {
  static const void* const found = module_functions(Functions::file, Functions::purpose);
  return *static_cast<const Functions*>(found);
}

}  // namespace skein
