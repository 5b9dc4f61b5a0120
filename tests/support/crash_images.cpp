// What a power cut can leave: which unsynced names and which sectors of unsynced bytes made it.
#include <algorithm>
#include <random>
#include <set>

#include "tests/support/crash_disk.h"

namespace skein::test {

namespace {

constexpr std::size_t sector = 512;

}  // namespace

// Every state the file's bytes can be in; where there are more than `limit`, some of them.
std::vector<std::string> CrashDisk::variants(const Node& node, std::size_t limit,
                                             std::uint64_t seed) {
  std::set<std::string> out{node.safe, node.cache};
  std::mt19937_64 random(seed);
  // Any of the changes in order, the others never happened.
  const std::size_t count = std::min<std::size_t>(node.pending.size(), 6);
  for (std::size_t subset = 0; subset < std::size_t{1} << count; ++subset) {
    std::string bytes = node.safe;
    for (std::size_t i = 0; i < count; ++i)
      if (subset >> i & 1) apply(bytes, node.pending[i]);
    out.insert(bytes);
  }
  // Those before it happened, and of the write itself each sector is new, zero or as before.
  std::string before = node.safe;
  for (const Change& change : node.pending) {
    if (!change.truncate && !change.bytes.empty()) {
      const std::size_t first = change.at / sector;
      const std::size_t sectors = (change.at + change.bytes.size() - 1) / sector - first + 1;
      std::size_t combinations = 1;
      for (std::size_t i = 0; i < sectors && combinations <= limit; ++i) combinations *= 3;
      for (std::size_t n = 0; n < std::min(combinations, limit); ++n) {
        std::uint64_t choice = combinations <= limit ? n : random();
        std::string torn = before, zero_filled = before;
        zero_filled.resize(std::max(before.size(), change.at + change.bytes.size()));
        for (std::size_t i = 0; i < sectors; ++i, choice /= 3) {
          const std::size_t from = std::max((first + i) * sector, change.at);
          const std::size_t to =
              std::min((first + i + 1) * sector, change.at + change.bytes.size());
          if (choice % 3 == 0) continue;
          const std::string piece = choice % 3 == 1
                                        ? change.bytes.substr(from - change.at, to - from)
                                        : std::string(to - from, '\0');
          apply(torn, {false, from, piece});
          apply(zero_filled, {false, from, piece});
        }
        out.insert(std::move(torn));         // as long as what was written
        out.insert(std::move(zero_filled));  // the new size was there before the bytes
      }
      for (int n = 0; n < 12; ++n) {
        std::string cut = before;
        apply(cut, {false, change.at, change.bytes.substr(0, random() % change.bytes.size())});
        out.insert(std::move(cut));
      }
    }
    apply(before, change);
    out.insert(before);
  }
  return {out.begin(), out.end()};
}

std::size_t CrashDisk::crash_images(std::size_t limit, std::uint64_t seed,
                                    const std::function<bool(const DiskImage&)>& visit) const {
  std::mt19937_64 random(seed);
  std::set<NodePtr> dirty;
  const auto collect = [&](const NodePtr& node) {
    if (node && !node->pending.empty()) dirty.insert(node);
  };
  for (const auto& [path, node] : names_) collect(node);
  for (const auto& [path, node] : safe_names_) collect(node);
  for (const NameChange& each : pending_names_) collect(each.node);

  std::vector<std::pair<const Node*, std::vector<std::string>>> files;
  const std::size_t name_count = std::min<std::size_t>(pending_names_.size(), 8);
  std::size_t total = std::size_t{1} << name_count;
  for (const NodePtr& node : dirty) {
    files.emplace_back(node.get(), variants(*node, limit, seed));
    total = std::min<std::size_t>(total * files.back().second.size(), 1u << 30);
  }

  std::size_t made = 0;
  for (std::size_t n = 0; n < std::min(total, limit); ++n) {
    std::uint64_t choice = total <= limit ? n : random() % total;
    std::map<std::string, NodePtr> names = safe_names_;
    for (std::size_t i = 0; i < pending_names_.size(); ++i) {
      const NameChange& each = pending_names_[i];
      const bool happened = i < name_count ? (choice & 1) != 0 : (random() & 1) != 0;
      if (i < name_count) choice >>= 1;
      if (!happened) continue;
      // A rename moves the file it moved, not another that has got its name since.
      const auto moved = names.find(each.removed);
      if (moved != names.end() && (each.node == nullptr || moved->second == each.node))
        names.erase(moved);
      if (!each.added.empty()) names[each.added] = each.node;
    }
    std::map<const Node*, const std::string*> contents;
    for (const auto& [node, states] : files) {
      contents[node] = &states[choice % states.size()];
      choice /= states.size();
    }
    DiskImage image{.folders = folders_};
    for (const auto& [path, node] : names) {
      const auto torn = contents.find(node.get());
      image.files[path] = {torn == contents.end() ? node->safe : *torn->second, node->mtime_ns,
                           node->inode};
    }
    ++made;
    if (!visit(image)) break;
  }
  return made;
}

}  // namespace skein::test
