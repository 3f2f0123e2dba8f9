// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/lever_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "stoker/telemetry/json_lines.h"

namespace stoker::telemetry {
namespace {

constexpr size_t kMostReasons = 3;

struct Word {
  int64_t pid = 0;
  Lever lever;
};

// All that was said about one lever.
struct Opinions {
  std::map<int32_t, std::optional<Lever>> of_ranks;
  std::optional<Lever> of_others;  // loader workers, launchers
};

using Reasons = std::vector<std::pair<std::string, std::vector<int32_t>>>;

bool is_on(const Lever& lever) {
  return lever.applied || lever.planned;
}

std::vector<Word> last_words(const std::string& text, RunData& run) {
  std::vector<Word> words;
  const int cut = for_each_object(text, [&](const Json& line) {
    Word word{.pid = line["pid"].integer(),
              .lever = {.id = line["id"].text(),
                        .change_class = line["class"].text(),
                        .applied = line["applied"].boolean(),
                        .planned = line["planned"].boolean(),
                        .reason = line["reason"].text(),
                        .detail = line["detail"].text()}};
    if (word.lever.id.empty() || word.lever.change_class.empty()) {
      return;
    }
    const auto found = std::find_if(words.begin(), words.end(), [&](const Word& other) {
      return other.pid == word.pid && other.lever.id == word.lever.id;
    });
    if (found != words.end()) {
      found->lever = std::move(word.lever);
    } else {
      words.push_back(std::move(word));
    }
  });
  if (cut > 0) {
    run.add_fault("levers.jsonl", "a line was cut short: the last word about a lever may be lost");
  }
  return words;
}

// Of the processes that train; of all main processes where none has made a step.
std::map<int64_t, int32_t> ranks_by_pid(const RunData& run) {
  const bool steps = std::any_of(run.mains.begin(), run.mains.end(),
                                 [](const ProcessData& main) { return main.steps.steps > 0; });
  std::map<int64_t, int32_t> ranks;
  for (const ProcessData& main : run.mains) {
    if (!steps || main.steps.steps > 0) {
      ranks.emplace(main.info.pid, main.info.rank);
    }
  }
  return ranks;
}

std::vector<int32_t> ranks_of(const std::map<int64_t, int32_t>& by_pid) {
  std::vector<int32_t> ranks;
  ranks.reserve(by_pid.size());
  for (const auto& [pid, rank] : by_pid) {
    ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

void add_reason(Reasons& reasons, const std::string& reason, int32_t rank) {
  const auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const auto& known) { return known.first == reason; });
  if (found != reasons.end()) {
    found->second.push_back(rank);
  } else {
    reasons.push_back({reason, {rank}});
  }
}

std::string reasons_text(const Reasons& reasons, const char* prefix) {
  std::string text;
  for (size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    text += fmt::format("{}{}{}: {}", i == 0 ? "" : "; ", prefix, ranks_text(reasons[i].second),
                        reasons[i].first);
  }
  if (reasons.size() > kMostReasons) {
    text += fmt::format("; and {} more reasons", reasons.size() - kMostReasons);
  }
  return text;
}

Lever agreed(const Opinions& opinions, const std::vector<int32_t>& ranks) {
  std::vector<int32_t> on;
  Reasons off;
  const Lever* speaker = nullptr;  // the lowest rank that it is on, or else that spoke
  for (const int32_t rank : ranks) {
    const auto found = opinions.of_ranks.find(rank);
    if (found == opinions.of_ranks.end()) {
      continue;
    }
    const Lever& lever = *found->second;
    if (speaker == nullptr || (is_on(lever) && on.empty())) {
      speaker = &lever;
    }
    if (is_on(lever)) {
      on.push_back(rank);
    } else {
      add_reason(off, lever.reason, rank);
    }
  }
  if (on.empty() && opinions.of_others && (speaker == nullptr || is_on(*opinions.of_others))) {
    return *opinions.of_others;
  }
  Lever lever = *speaker;
  if (on.empty()) {
    lever.reason = off.size() == 1 ? lever.reason : reasons_text(off, "");
  } else if (on.size() < ranks.size()) {
    for (const int32_t rank : ranks) {
      if (!opinions.of_ranks.contains(rank)) {
        add_reason(off, "nothing was said", rank);
      }
    }
    lever.ranks = on;
    lever.reason = reasons_text(off, "not on ");
  }
  return lever;
}

}  // namespace

std::string ranks_text(const std::vector<int32_t>& ranks) {
  std::string text;
  for (size_t begin = 0; begin < ranks.size();) {
    size_t end = begin + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) {
      ++end;
    }
    // Two in a row are no range yet.
    end = end - begin < 3 ? begin + 1 : end;
    text += text.empty() ? "" : ", ";
    text += end - begin == 1 ? fmt::format("{}", ranks[begin])
                             : fmt::format("{}-{}", ranks[begin], ranks[end - 1]);
    begin = end;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

void read_lever_lines(const std::string& text, RunData& run) {
  const std::map<int64_t, int32_t> rank_of = ranks_by_pid(run);
  std::vector<std::string> ids;
  std::map<std::string, Opinions> levers;
  for (Word& word : last_words(text, run)) {
    if (!levers.contains(word.lever.id)) {
      ids.push_back(word.lever.id);
    }
    Opinions& opinions = levers[word.lever.id];
    const auto rank = rank_of.find(word.pid);
    std::optional<Lever>& said =
        rank == rank_of.end() ? opinions.of_others : opinions.of_ranks[rank->second];
    if (!said || (is_on(word.lever) && !is_on(*said))) {
      said = std::move(word.lever);
    }
  }
  const std::vector<int32_t> ranks = ranks_of(rank_of);
  for (const std::string& id : ids) {
    run.levers.push_back(agreed(levers[id], ranks));
  }
}

}  // namespace stoker::telemetry
