#include "app/gui/window.h"

#include <algorithm>
#include <GLFW/glfw3.h>
#include <stb_image_write.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "app/cli/verb.h"
#include "app/gui/wiring.h"
#include "backends/imgui_impl_glfw.h"
#include "backends/imgui_impl_opengl3.h"
#include "imgui.h"
#include "visualizer/lessons/desk.h"
#include "visualizer/model/input_queue.h"
#include "visualizer/model/session_keeper.h"
#include "visualizer/shell/driver.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/letters.h"
#include "visualizer/widgets/raster.h"
#include "visualizer/widgets/steady.h"

namespace hloscope::gui {
namespace {

std::string last_error;

void OnError(int, const char* text) { last_error = text; }

// Closes what GLFW opened.
struct Library {
  bool ready = glfwInit() == GLFW_TRUE;
  ~Library() {
    if (ready) glfwTerminate();
  }
};

struct Dropped {
  std::vector<std::string> paths;
};

void OnDrop(GLFWwindow* window, int count, const char** paths) {
  auto* dropped = static_cast<Dropped*>(glfwGetWindowUserPointer(window));
  for (int k = 0; k < count; ++k) dropped->paths.push_back(paths[k]);
}

// Rows are not filtered: for what windows look like that is smaller, and tests read it with a few lines.
absl::Status WritePng(const std::string& path, int width, int height) {
  stbi_write_force_png_filter = 0;
  std::vector<unsigned char> pixels(static_cast<size_t>(width) * height * 3), flipped(pixels.size());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  const size_t row = static_cast<size_t>(width) * 3;
  for (int y = 0; y < height; ++y) std::memcpy(&flipped[row * y], &pixels[row * (height - 1 - y)], row);
  if (stbi_write_png(path.c_str(), width, height, 3, flipped.data(), static_cast<int>(row)) == 0) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

// Heat maps are textures.
void GiveRasterDevice() {
  ui::TheRasterDevice().upload = [](ImTextureID old, int width, int height, const uint32_t* pixels) {
    auto texture = static_cast<GLuint>(reinterpret_cast<uintptr_t>(old));
    if (texture == 0) glGenTextures(1, &texture);
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
    return reinterpret_cast<ImTextureID>(static_cast<uintptr_t>(texture));
  };
  ui::TheRasterDevice().release = [](ImTextureID old) {
    const auto texture = static_cast<GLuint>(reinterpret_cast<uintptr_t>(old));
    glDeleteTextures(1, &texture);
  };
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

InputQueue& TheKeys() {
  static auto* keys = new InputQueue;
  return *keys;
}

void OnKey(GLFWwindow*, int key, int scancode, int action, int modifiers) {
  if (action == GLFW_REPEAT) return;  // the toolkit repeats by itself
  const bool with = (modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) != 0;
  TheKeys().Add({.kind = action == GLFW_PRESS ? InputEvent::Kind::kPress : InputEvent::Kind::kRelease,
                 .code = key,
                 .scancode = scancode,
                 .modifiers = modifiers,
                 .modifier = key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER,
                 .types = key >= GLFW_KEY_SPACE && key < GLFW_KEY_ESCAPE && !with});
}

void OnLetter(GLFWwindow*, unsigned int letter) { TheKeys().Add({.kind = InputEvent::Kind::kLetter, .code = static_cast<int>(letter)}); }

void GiveKeys(GLFWwindow* window) {
  for (const InputEvent& e : TheKeys().TakeFrame()) {
    if (e.kind == InputEvent::Kind::kLetter) {
      ImGui_ImplGlfw_CharCallback(window, static_cast<unsigned int>(e.code));
    } else {
      ImGui_ImplGlfw_KeyCallback(window, e.code, e.scancode, e.kind == InputEvent::Kind::kPress ? GLFW_PRESS : GLFW_RELEASE, e.modifiers);
    }
  }
}

class App {
 public:
  App(const WindowOptions& options, GLFWwindow* window) : options_(options), window_(window) {
    glfwSetWindowUserPointer(window_, &dropped_);
    glfwSetDropCallback(window_, OnDrop);
    const Wiring wiring = MakeWiring(options_.program);
    lessons::TheHome() = {LessonsFolder(), MakeInterpreter};
    engine_ = std::make_unique<Engine>(wiring, [] { glfwPostEmptyEvent(); });
    document_ = std::make_unique<Document>(wiring, [] { glfwPostEmptyEvent(); });
    const std::string folder = options_.keep ? ConfigFolder() : "";
    kept_text_.emplace(folder);
    keeper_ = std::make_unique<SessionKeeper>(*engine_, *kept_text_);
    // The program is read while the window comes up; without one, that of the last time.
    std::string file = options_.file;
    if (file.empty()) file = SessionKeeper::LastProgram(*kept_text_);
    std::error_code error;
    const bool input = file == "-", there = !input && std::filesystem::exists(file, error);
    if (there) engine_->Open(file);
    if (input) engine_->OpenText(kept_text_->DraftName("stdin", ""), std::string(std::istreambuf_iterator<char>(std::cin), {}));
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    ImGui_ImplGlfw_InitForOpenGL(window_, true);
    glfwSetKeyCallback(window_, OnKey);
    glfwSetCharCallback(window_, OnLetter);
    ImGui_ImplOpenGL3_Init("#version 130");
    GiveRasterDevice();
    float sx = 1, sy = 1;
    glfwGetWindowContentScale(window_, &sx, &sy);
    ShellOptions shell;
    shell.config_folder = folder;
    shell.kept = &*kept_text_;
    shell.samples_folder = SamplesFolder();
    shell.display_scale = options_.scale > 0 ? options_.scale : std::max(1.0f, sx);
    shell.only_panel = options_.only_panel;
    const Settings kept = LoadSettings(shell.config_folder);
    scale_ = kept.scale * shell.display_scale;
    ui::LoadFonts(scale_, &missing_font_);
    shell.missing_font = missing_font_;
    shell.keep_text = [this] { return keeper_->Finish(*document_); };
    shell_ = std::make_unique<Shell>(*engine_, *document_, shell);
    if (!file.empty() && !there && !input) shell_->Run(absl::StrCat("window open ", file));  // of which the text may be kept
    if (options_.scheme >= 0) shell_->settings().light = options_.scheme == 1;
    Restyle();
    if (!options_.drive.empty() || !options_.drive_text.empty()) {
      Driver::Hooks hooks;
      hooks.shot = [this](const std::string& path, const std::vector<ui::TagRect>& varying) {
        int width = 0, height = 0;
        glfwGetFramebufferSize(window_, &width, &height);
        if (!drawn_) Draw();
        if (painted_ != std::pair(width, height)) Draw();  // the first after a change of size still goes into the old one
        painted_ = {width, height};
        if (options_.steady) {
          std::ofstream list(path + ".varies");
          for (const ui::TagRect& rect : varying) list << rect.min.x << ' ' << rect.min.y << ' ' << rect.max.x << ' ' << rect.max.y << '\n';
        }
        return WritePng(path, width, height);
      };
      hooks.drop = [this](const std::string& path) { dropped_.paths.push_back(path); };
      hooks.resize = [this](int width, int height) { glfwSetWindowSize(window_, width, height); };
      hooks.print = [](const std::string& line) {
        std::printf("%s\n", line.c_str());
        std::fflush(stdout);
      };
      hooks.complain = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
      driver_.emplace(*shell_, std::move(hooks));
      driver_->Add(options_.drive.empty() ? "script" : options_.drive, options_.drive.empty() ? options_.drive_text : ReadAll(options_.drive));
      ui::TheTags().on = true;
      ui::TheSteady().on = options_.steady;
      io.ConfigInputTextCursorBlink = false;  // pictures do not depend on when they are taken
    }
  }

  ~App() {
    // Session and threads first: they post events.
    (void)keeper_->Finish(*document_);
    keeper_->FinishStops();
    shell_.reset();
    keeper_.reset();
    engine_.reset();
    document_.reset();
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }

  int Run() {
    int frames_wanted = 3;
    bool sent_commands = options_.commands.empty();
    while (!shell_->quitting()) {
      if (glfwWindowShouldClose(window_)) {
        glfwSetWindowShouldClose(window_, GLFW_FALSE);
        shell_->Run("window quit");
      }
      if (driver_.has_value()) {
        if (driver_->done()) break;
        // What it waits for comes from other threads: they should have the processor.
        if (driver_->waiting()) {
          glfwWaitEventsTimeout(0.008);
        } else {
          glfwPollEvents();
        }
      } else if (frames_wanted > 0) {
        glfwPollEvents();
      } else {
        // A caret blinks; what runs shows its time.
        if (!engine_->idle() || keeper_->waiting() || size_waits_) {
          glfwWaitEventsTimeout(0.1);
        } else if (ImGui::GetIO().WantTextInput) {
          glfwWaitEventsTimeout(0.4);
        } else {
          glfwWaitEvents();
        }
        frames_wanted = 3;
      }
      --frames_wanted;
      if (!sent_commands && engine_->snapshot()->phase != Phase::kEmpty) {
        for (const std::string& command : options_.commands) shell_->Run(command);
        sent_commands = true;
      }
      Frame();
      KeepSession();
      KeepSize(/*still=*/1);
      if (!TheKeys().empty()) frames_wanted = std::max(frames_wanted, 3);
      if (ui::TakeWantedFrame()) frames_wanted = std::max(frames_wanted, 1);
      if (!dropped_.paths.empty()) shell_->Drop(std::exchange(dropped_.paths, {}));
    }
    KeepSize(/*still=*/0);
    if (options_.keep) shell_->SaveSettings();
    if (!driver_.has_value()) return cli::kOk;
    // As `debug --batch`: 1 for what does not hold, 2 for a command that is none.
    const std::shared_ptr<Session> session = engine_->snapshot()->session;
    const int not_held = driver_->commanded() && session != nullptr && engine_->idle() ? session->failed_expects() : 0;
    if (not_held > 0) std::fprintf(stderr, "expects that do not hold: %d\n", not_held);
    const bool cut = shell_->quitting() && !driver_->done();
    if (cut) std::fprintf(stderr, "hloscope: the window was closed before %s\n", options_.drive.empty() ? "the picture was taken" : "its script had ended");
    if (driver_->failed() || not_held > 0 || cut) return cli::kFailed;
    return driver_->refused() ? cli::kUsage : cli::kOk;
  }

 private:
  void KeepSession() {
    const std::shared_ptr<const Snapshot> now = engine_->snapshot();
    keeper_->Keep(*now, *document_);
  }

  // The window's size comes back however this ends. It is kept when it has not changed for so many seconds: not at each step of a drag.
  void KeepSize(double still) {
    if (!options_.keep || options_.width != 0) return;
    int width = 0, height = 0;
    glfwGetWindowSize(window_, &width, &height);
    if (std::pair(width, height) != size_) {
      size_ = {width, height};
      size_since_ = glfwGetTime();
    }
    Settings& kept = shell_->settings();
    size_waits_ = kept.width != width || kept.height != height;
    if (!size_waits_ || glfwGetTime() - size_since_ < still) return;
    kept.width = width;
    kept.height = height;
    size_waits_ = false;
    shell_->SaveSettings();
  }

  void Restyle() { ui::Apply(shell_->wanted_scheme(), scale_); }

  void Frame() {
    const bool scaled = shell_->wanted_scale() != scale_;
    if (scaled || ui::LettersWanted()) {
      if (!drawn_) Draw();  // with the letters that it was made with
      if (scaled) scale_ = shell_->wanted_scale();
      ui::LoadFonts(scale_, &missing_font_);
      ImGui_ImplOpenGL3_DestroyFontsTexture();
      ImGui_ImplOpenGL3_CreateFontsTexture();
      Restyle();
    }
    if (ui::TheLook().scheme != shell_->wanted_scheme()) Restyle();
    if (shell_->TakesKeys()) GiveKeys(window_);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    if (driver_.has_value()) driver_->BeforeFrame();
    const auto start = std::chrono::steady_clock::now();
    ImGui::NewFrame();
    shell_->Frame();
    ImGui::Render();
    const double own_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const std::string title = shell_->window_title();
    if (title != title_) {
      glfwSetWindowTitle(window_, title.c_str());
      title_ = title;
    }
    // Where only pictures are looked at, the frames between them are not painted: software takes most of the time of a scenario for that.
    drawn_ = false;
    if (!driver_.has_value() || !options_.steady) {
      Draw();
    } else {
      // As often as a screen shows them: what comes from other threads comes between the same frames as for a person.
      const auto next = last_frame_ + std::chrono::microseconds(16'667);
      if (std::chrono::steady_clock::now() < next) std::this_thread::sleep_until(next);
      last_frame_ = std::chrono::steady_clock::now();
    }
    if (driver_.has_value()) driver_->AfterFrame(own_ms);
  }

  // Paints what the last frame has made.
  void Draw() {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    glViewport(0, 0, width, height);
    const ImVec4 clear = ImGui::ColorConvertU32ToFloat4(ui::Colors().window);
    glClearColor(clear.x, clear.y, clear.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glfwSwapBuffers(window_);
    drawn_ = true;
  }

  const WindowOptions& options_;
  GLFWwindow* window_;
  Dropped dropped_;
  std::pair<int, int> size_;  // of the window, as it was seen last,
  double size_since_ = 0;     // since when,
  bool size_waits_ = false;   // and whether it is still to be kept
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Document> document_;
  std::optional<KeptText> kept_text_;
  std::unique_ptr<SessionKeeper> keeper_;
  std::unique_ptr<Shell> shell_;
  std::optional<Driver> driver_;
  float scale_ = 1;
  const char* missing_font_ = nullptr;
  std::string title_;
  bool drawn_ = true;          // there is no frame yet that is not
  std::chrono::steady_clock::time_point last_frame_;  // that was not painted
  std::pair<int, int> painted_;  // the size of the picture that was taken last
};

struct Size {
  int width = 0, height = 0;
};

// The largest of the screens, without what the desktop keeps for itself: a size that was kept on a larger one would reach out of it.
Size LargestScreen() {
  Size largest;
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int m = 0; m < count; ++m) {
    int x = 0, y = 0;
    Size area;
    glfwGetMonitorWorkarea(monitors[m], &x, &y, &area.width, &area.height);
    if (int64_t{area.width} * area.height > int64_t{largest.width} * largest.height) largest = area;
  }
  return largest;
}

// With its frame inside of the screen.
void FitWindow(GLFWwindow* window) {
  const Size screen = LargestScreen();
  if (screen.width <= 0 || screen.height <= 0) return;
  Size size;
  int left = 0, top = 0, right = 0, bottom = 0;
  glfwGetWindowSize(window, &size.width, &size.height);
  glfwGetWindowFrameSize(window, &left, &top, &right, &bottom);
  const Size fits = {std::min(size.width, screen.width - left - right), std::min(size.height, screen.height - top - bottom)};
  if (fits.width < size.width || fits.height < size.height) glfwSetWindowSize(window, fits.width, fits.height);
}

}  // namespace

int ShowWindow(const WindowOptions& options) {
  glfwSetErrorCallback(OnError);
  Library library;
  if (!library.ready) {
    return cli::UsageError(absl::StrCat("no window can be opened (", last_error, "); without a screen: hloscope debug FILE is the console, and hloscope shot FILE -o OUT.png draws the window into a file"));
  }
  const Settings kept = LoadSettings(options.keep ? ConfigFolder() : "");
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  const int width = options.width > 0 ? options.width : kept.width, height = options.height > 0 ? options.height : kept.height;
  GLFWwindow* window = glfwCreateWindow(width, height, "hloscope", nullptr, nullptr);
  if (window == nullptr) return cli::UsageError(absl::StrCat("no window can be opened: ", last_error));
  if (options.width <= 0 && options.height <= 0) FitWindow(window);
  glfwSetWindowSizeLimits(window, 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window);
  glfwSwapInterval(options.drive.empty() && options.drive_text.empty() ? 1 : 0);
  int status = 0;
  {
    App app(options, window);
    status = app.Run();
  }
  glfwDestroyWindow(window);
  return status;
}

}  // namespace hloscope::gui
