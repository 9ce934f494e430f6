#include "app/gui/wiring.h"

#include <cstdlib>
#include <utility>

#include "app/cli/load.h"
#include "app/cli/verb.h"
#include "backends/reference/backend.h"

namespace hloscope::gui {
namespace {

ReadProgram Take(cli::Loaded loaded) {
  ReadProgram program;
  program.open = loaded.open;
  program.format = std::move(loaded.format);
  program.source = std::move(loaded.source);
  program.module = std::move(loaded.module);
  program.arguments = std::move(loaded.arguments);
  program.problems = loaded.sink.diagnostics();
  return program;
}

}  // namespace

Wiring MakeWiring(const cli::ProgramOptions& options) {
  Wiring wiring;
  wiring.read_file = [](const std::string& path) { return Take(cli::Load(path)); };
  wiring.read_text = [](const std::string& name, std::string text) { return Take(cli::LoadText(name, std::move(text))); };
  wiring.make_session = [options](ReadProgram program, std::function<void(absl::string_view)> out) -> absl::StatusOr<std::shared_ptr<Session>> {
    absl::StatusOr<SessionOptions> session_options = options.ToSession();
    if (!session_options.ok()) return session_options.status();
    session_options->arguments = std::move(program.arguments);
    absl::StatusOr<std::unique_ptr<Backend>> backend = cli::MakeBackend(options);
    if (!backend.ok()) return backend.status();
    auto session = std::make_shared<Session>(std::move(program.module), *std::move(backend), *std::move(session_options), std::move(out));
    cli::EquipSession(*session);
    return session;
  };
  return wiring;
}

std::unique_ptr<Backend> MakeInterpreter() { return MakeReferenceBackend(); }

std::string LessonsFolder() {
  if (const char* given = std::getenv("HLOSCOPE_LESSONS_FOLDER")) return given;
#ifdef HLOSCOPE_LESSONS
  return HLOSCOPE_LESSONS;
#else
  return "";
#endif
}

}  // namespace hloscope::gui
