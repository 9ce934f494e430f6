#include "app/gui/wiring.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "app/cli/device_run.h"
#include "app/cli/load.h"
#include "app/cli/verb.h"
#include "backends/reference/backend.h"

namespace hloscope::gui {
namespace {

bool IsEmpty(const ReadProgram& program) { return program.module != nullptr && program.module->entry != nullptr && program.module->entry->instructions.empty(); }

ReadProgram Take(cli::Loaded loaded) {
  ReadProgram program;
  program.open = loaded.open;
  program.format = std::move(loaded.format);
  program.source = std::move(loaded.source);
  program.module = std::move(loaded.module);
  program.arguments = std::move(loaded.arguments);
  program.problems = loaded.sink.diagnostics();
  // A new program: nobody has done anything wrong yet, and it is said elsewhere what to begin with.
  if (program.problems.size() == 1 && program.problems[0].label == "ir.empty-computation" && IsEmpty(program)) program.problems.clear();
  return program;
}

}  // namespace

Wiring MakeWiring(const cli::ProgramOptions& options) {
  Wiring wiring;
  wiring.read_file = [](const std::string& path) { return Take(cli::Load(path)); };
  wiring.read_text = [](const std::string& name, std::string text) { return Take(cli::LoadText(name, std::move(text))); };
  wiring.make_session = [options](ReadProgram program, std::function<void(absl::string_view)> out) -> absl::StatusOr<std::shared_ptr<Session>> {
    absl::StatusOr<SessionOptions> session_options = options.ToSession(/*several=*/true);
    if (!session_options.ok()) return session_options.status();
    session_options->arguments = std::move(program.arguments);
    if (absl::Status given = cli::GiveDevices(options, *program.module, &*session_options); !given.ok()) return given;
    absl::StatusOr<std::unique_ptr<Backend>> backend = cli::MakeBackend(options);
    if (!backend.ok()) return backend.status();
    auto session = std::make_shared<Session>(std::move(program.module), *std::move(backend), *std::move(session_options), std::move(out));
    cli::EquipSession(*session);
    cli::LetRunParallel(options, *session);
    return session;
  };
  return wiring;
}

std::unique_ptr<Backend> MakeInterpreter() { return MakeReferenceBackend(); }

namespace {

// Where what the program brings along may lie: the first that is there is taken.
std::vector<std::string> Places(const std::string& name) {
  std::vector<std::string> places;
  std::error_code error;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (const char* given = std::getenv("HLOSCOPE_ASSETS")) places.push_back(absl::StrCat(given, "/", name));
  if (!here.empty()) {
    places.push_back((here.parent_path() / "assets" / name).string());
    places.push_back((here.parent_path() / "share/hloscope" / name).string());
  }
#ifdef HLOSCOPE_ASSETS
  places.push_back(absl::StrCat(HLOSCOPE_ASSETS, "/", name));
#endif
  return places;
}

std::string FolderOf(const std::string& name) {
  std::error_code error;
  const std::vector<std::string> places = Places(name);
  for (const std::string& place : places) {
    if (std::filesystem::is_directory(place, error)) return place;
  }
  return absl::StrJoin(places, ", ");  // of which messages can say that nothing is there
}

}  // namespace

std::string LessonsFolder() {
  if (const char* given = std::getenv("HLOSCOPE_LESSONS_FOLDER")) return given;
  return FolderOf("lessons");
}

std::string SamplesFolder() { return FolderOf("samples"); }

}  // namespace hloscope::gui
