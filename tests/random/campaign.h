// Runs many random programs and tells of the first ones that fail, shrunk. Shared by the test and the program random_programs.
#ifndef HLOSCOPE_TESTS_RANDOM_CAMPAIGN_H_
#define HLOSCOPE_TESTS_RANDOM_CAMPAIGN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace hloscope {

struct CampaignOptions {
  uint64_t seed = 1;
  int64_t count = 300;
  int threads = 1;          // of the JIT
  int keep = 5;             // failures to shrink and report; 0: report all, shrink none
  bool shrink = true;
  std::function<void(const std::string&)> progress;  // lines of text
};
struct CampaignReport {
  int64_t programs = 0, agreed = 0, skipped = 0, mismatches = 0, failed = 0, refused = 0;
  int64_t compared = 0, exact = 0, unknown = 0;  // elements
  std::map<std::string, int64_t> operations;     // how often each took part
  std::string text;                              // the failures, with their programs
};
CampaignReport RunCampaign(const CampaignOptions& options);

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_RANDOM_CAMPAIGN_H_
