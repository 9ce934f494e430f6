// Random damage to HLO text, and what must hold of the reader and the printer whatever the text: used by the test, the standalone fuzzer
// and libFuzzer (fuzz_hlo_text.cc).
#ifndef HLOSCOPE_TESTS_TEXT_FUZZING_H_
#define HLOSCOPE_TESTS_TEXT_FUZZING_H_

#include <cstdint>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

namespace hloscope {

// Reads `text`, checks what must always hold, prints, reads again. Empty, or what is wrong.
struct HloTextReport {
  uint64_t signature = 0;  // of the labels reported, or of the printed text's length where there are none
  bool clean = false;      // no errors
};
std::string CheckHloText(const std::string& text, HloTextReport* report = nullptr);

class HloTextFuzzer {
 public:
  HloTextFuzzer(std::vector<std::string> seeds, uint64_t random_seed);
  // One damaged text, checked. Empty, or what is wrong; the text is then last().
  std::string Step();
  const std::string& last() const { return last_; }
  size_t pool_size() const { return clean_.size() + damaged_.size(); }
  int64_t clean_steps() const { return clean_steps_; }

 private:
  void Mutate(std::string& text);
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }
  std::string SomeLine();

  const std::string& SomeText();

  // Seeds and what came of them. Apart, because damage begets damage: only clean texts show what printing gets wrong.
  std::vector<std::string> clean_;
  std::vector<std::string> damaged_;  // each made the reader say something new
  int64_t clean_steps_ = 0;
  std::unordered_set<uint64_t> seen_;
  std::mt19937_64 random_;
  std::string last_;
};

// tests/text/seeds/*.hlo, found from the root of the repository.
std::vector<std::string> LoadHloSeeds(const std::string& directory = "tests/text/seeds");

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_TEXT_FUZZING_H_
