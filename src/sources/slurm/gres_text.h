// How Slurm writes generic resources: "gpu:h100:2(IDX:0-1),shard:4(IDX:3)".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::slurm {

struct Gres {
  std::string name;                 // "gpu", "shard", "mps"
  std::string type;                 // "h100"; may be empty
  std::vector<unsigned> indices{};  // of the devices given; for shares, of the GPUs they are of

  bool is_gpu() const { return name == "gpu"; }
  // A part of a GPU, which others may have the rest of.
  bool is_share() const { return name == "shard" || name == "mps"; }
};

// Counts are left out: Slurm's indices tell them.
std::vector<Gres> parse_gres(std::string_view text);

// "0,2-3". What is no number is left out, and so is what no node can have.
std::vector<unsigned> parse_indices(std::string_view text);

}  // namespace warpsight::slurm
