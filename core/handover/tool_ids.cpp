#include "core/handover/tool_ids.h"

#include <algorithm>

namespace skein::handover {

namespace {

constexpr std::size_t mark_length = 9;  // 53 bits; also the whole of a Mistral id
constexpr std::string_view digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// FNV-1a with a finish that spreads the last bytes. Written out because it must be the same on
// every machine and in every version: prompt caches depend on it.
std::uint64_t hash_of(std::string_view text, std::uint64_t attempt) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ attempt;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
  return hash ^ hash >> 33;
}

std::string in_digits(std::uint64_t hash, std::size_t length) {
  std::string out;
  for (; out.size() < length; hash /= digits.size()) out += digits[hash % digits.size()];
  return out;
}

}  // namespace

// What is left of an id when every refused character became '_'. Some stores write
// "call|item" for the two ids of one Responses call; the first part is the call's.
std::string ToolIds::fitted(std::string_view original) const {
  if (fits(original, rule_)) return std::string(original);
  if (const std::size_t bar = original.find('|'); bar != 0) original = original.substr(0, bar);
  std::string out;
  for (const char c : original) {
    const IdRule one{.max = 1, .alphanumeric = rule_.alphanumeric};
    if (fits({&c, 1}, one))
      out += c;
    else if (!rule_.alphanumeric)
      out += '_';
  }
  return out;
}

std::string ToolIds::marked(std::string_view stem, std::uint64_t hash) const {
  if (rule_.exact) return in_digits(hash, rule_.max);
  const std::string mark = (rule_.alphanumeric ? "" : "_") + in_digits(hash, mark_length);
  return std::string(stem.substr(0, rule_.max - std::min(rule_.max, mark.size()))) + mark;
}

std::string ToolIds::next(const std::string& original) {
  const std::string fit = fitted(original);
  if (fits(fit, rule_) && taken_.insert(fit).second) return fit;

  const std::string_view stem = fit.empty() ? std::string_view("call") : fit;
  for (std::uint64_t& attempt = tries_[original];;) {
    std::string id = marked(stem, hash_of(original, attempt++));
    if (taken_.insert(id).second) return id;
  }
}

}  // namespace skein::handover
