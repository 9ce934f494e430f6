#include "app/cli/donated_inputs.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/debug/text_util.h"
#include "core/exec/donation.h"

namespace hloscope::cli {

void DonatedInputs::AddTo(OptionParser& app) {
  app.add_option("--donate", option_, "parameters that a run may write over, so that updates happen in place (without it, those of the header's input_output_alias and buffer_donor)")
      ->type_name("N,...|all|none");
}

absl::Status DonatedInputs::Choose(const Module& module, bool keep) {
  numbers_.clear();
  const int count = module.entry == nullptr ? 0 : static_cast<int>(module.entry->parameters.size());
  if (option_.empty()) {
    Donation header = DonatedByHeader(module);
    for (const std::string& notice : header.notices) std::fprintf(stderr, "note: %s\n", notice.c_str());
    numbers_ = std::move(header.parameters);
  } else if (option_ == "all") {
    for (int k = 0; k < count; ++k) numbers_.push_back(k);
  } else if (option_ != "none") {
    for (absl::string_view word : absl::StrSplit(option_, ',', absl::SkipWhitespace())) {
      int number = -1;
      if (!absl::SimpleAtoi(word, &number)) return absl::InvalidArgumentError(absl::StrCat("--donate takes numbers of parameters, all or none, not ", word));
      if (number < 0 || number >= count) return absl::InvalidArgumentError(absl::StrCat("--donate ", option_, ": there is no parameter ", number, ", the program has ", Count(count, "parameter")));
      if (!Donated(number)) numbers_.push_back(number);
    }
  }
  if (keep) numbers_.clear();
  return absl::OkStatus();
}

bool DonatedInputs::Donated(int number) const { return std::find(numbers_.begin(), numbers_.end(), number) != numbers_.end(); }

absl::Status DonatedInputs::Make(const ProgramInputs& inputs, MemoryAccount& account, bool again) {
  values_.clear();
  for (int k = 0; k < inputs.parameter_count(); ++k) {
    // What is copied for each run is no memory of the program.
    absl::StatusOr<Value> value = inputs.Parameter(k, again && Donated(k) ? nullptr : &account);
    if (!value.ok()) return value.status();
    values_.push_back(*std::move(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> DonatedInputs::Take(MemoryAccount& account, bool last) {
  if (last) return std::move(values_);
  std::vector<Value> given = values_;
  for (int k : numbers_) {
    given[k] = CopyOf(values_[k], &account);
    if (!given[k].has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for a copy of parameter ", k, ", which each run may write over; --donate none needs none"));
  }
  return given;
}

}  // namespace hloscope::cli
