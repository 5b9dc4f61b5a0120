#include "core/checkpoints/target_state.h"

namespace skein::checkpoints {

TargetState target_state(std::span<const CheckpointRecord> since) {
  TargetState out;
  for (const CheckpointRecord& record : since) {
    auto& into = out.whole == nullptr ? out.files : out.later;
    for (const KeptFile& file : record.state.files)
      if (out.whole == nullptr || !file.committed) into.try_emplace(file.path, file);
    if (out.whole == nullptr && record.state.is_whole()) out.whole = &record;
  }
  return out;
}

}  // namespace skein::checkpoints
