// random_programs [--count N] [--seed S] [--threads T] [--keep K] [--no-shrink] [--print]: random programs on the oracle, the reference
// backend and the JIT. What fails is printed as HLO text, shrunk, with its seed. --print shows one seed's program and runs nothing.
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "tests/random/campaign.h"
#include "tests/random/generate.h"

int main(int argc, char** argv) {
  hloscope::CampaignOptions options;
  bool print = false;
  for (int a = 1; a < argc; ++a) {
    const auto is = [&](const char* name) { return std::strcmp(argv[a], name) == 0; };
    const auto number = [&] { return a + 1 < argc ? std::strtoll(argv[++a], nullptr, 10) : 0; };
    if (is("--count")) options.count = number();
    else if (is("--seed")) options.seed = static_cast<uint64_t>(number());
    else if (is("--threads")) options.threads = static_cast<int>(number());
    else if (is("--keep")) options.keep = static_cast<int>(number());
    else if (is("--no-shrink")) options.shrink = false;
    else if (is("--print")) print = true;
    else {
      std::cerr << "usage: random_programs [--count N] [--seed S] [--threads T] [--keep K] [--no-shrink] [--print]\n";
      return 2;
    }
  }
  if (print) {
    std::cout << hloscope::Text(hloscope::Generate(options.seed));
    return 0;
  }
  options.progress = [](const std::string& line) { std::cout << line << std::flush; };
  const hloscope::CampaignReport r = hloscope::RunCampaign(options);
  std::cout << r.programs << " programs: " << r.agreed << " agree, " << r.skipped << " skipped, " << r.mismatches << " mismatches, " << r.failed
            << " failed, " << r.refused << " refused\n" << r.compared << " elements compared, " << r.exact << " to the bit, " << r.unknown
            << " undecided\noperations:";
  for (const auto& [name, count] : r.operations) std::cout << " " << name << " " << count;
  std::cout << "\n";
  return r.mismatches + r.failed + r.refused == 0 ? 0 : 1;
}
