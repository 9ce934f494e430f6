// The shrinker, see shrink.h. Each pass proposes programs; what does not verify does not fail in the right way and is dropped.
#include "tests/random/shrink.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

class Shrinker {
 public:
  Shrinker(Prog program, const std::function<bool(const Prog&)>& fails, int attempts)
      : best_(WithoutDeadCode(program)), fails_(fails), left_(attempts) {
    if (!fails_(best_)) best_ = std::move(program);
  }

  Prog Run() {
    for (bool better = true; better && left_ > 0;) {
      better = false;
      better |= EarlierRoot();
      better |= Everywhere([this](size_t c, size_t k) { return ReplaceByOperand(c, k); });
      better |= Everywhere([this](size_t c, size_t k) { return ReplaceBySource(c, k); });
      better |= Everywhere([this](size_t c, size_t k) { return OtherRoot(c, k); });
      better |= SmallerSizes();
      better |= SimplerTypes();
      better |= PlainLayouts();
      better |= SimplerInputs();
    }
    return best_;
  }

 private:
  bool Try(Prog candidate) {
    if (left_-- <= 0) return false;
    candidate = WithoutDeadCode(candidate);
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool Everywhere(const std::function<bool(size_t, size_t)>& step) {
    bool better = false;
    for (size_t c = best_.computations.size(); c-- > 0;) {
      if (c >= best_.computations.size()) continue;
      for (size_t k = best_.computations[c].nodes.size(); k-- > 0;) {
        if (c >= best_.computations.size() || k >= best_.computations[c].nodes.size()) continue;
        better |= step(c, k);
      }
    }
    return better;
  }

  bool EarlierRoot() {
    for (int k = 0; k < best_.entry().root; ++k) {
      const ProgNode& node = best_.entry().nodes[k];
      if (node.op == "parameter" || node.op == "constant" || node.shape.IsToken()) continue;
      Prog candidate = best_;
      candidate.entry().root = k;
      if (Try(std::move(candidate))) return true;
    }
    return false;
  }

  static void Redirect(Comp& comp, size_t from, int to) {
    for (ProgNode& node : comp.nodes) {
      for (int& o : node.operands) {
        if (o == static_cast<int>(from)) o = to;
      }
    }
    if (comp.root == static_cast<int>(from)) comp.root = to;
  }

  bool ReplaceByOperand(size_t c, size_t k) {
    const ProgNode node = best_.computations[c].nodes[k];
    for (int o : node.operands) {
      if (!Shape::Compatible(best_.computations[c].nodes[o].shape.WithoutLayouts(), node.shape.WithoutLayouts())) continue;
      Prog candidate = best_;
      Redirect(candidate.computations[c], k, o);
      if (Try(std::move(candidate))) return true;
    }
    return false;
  }

  // By a parameter of the entry; elsewhere by a constant 1, spread out.
  bool ReplaceBySource(size_t c, size_t k) {
    const Comp& comp = best_.computations[c];
    const ProgNode& node = comp.nodes[k];
    if (node.op == "parameter" || node.op == "constant" || node.op == "after-all" || (node.op == "broadcast" && comp.nodes[node.operands[0]].op == "constant")) return false;
    if (static_cast<int>(k) == comp.root && c + 1 == best_.computations.size()) return false;
    Prog candidate = best_;
    ProgNode& changed = candidate.computations[c].nodes[k];
    changed.attributes.clear();
    changed.operands.clear();
    if (c + 1 == best_.computations.size()) {
      changed.op = "parameter";
      changed.id = 1000 + static_cast<int>(k) + next_id_++;
      return Try(std::move(candidate));
    }
    if (!node.shape.IsArray() || node.shape.rank() != 0) return false;
    changed.op = "constant";
    changed.literal = IsPred(node.shape.element_type()) ? "true" : IsComplex(node.shape.element_type()) ? "(1, 0)" : "1";
    return Try(std::move(candidate));
  }

  // A called computation returns something else of the same shape.
  bool OtherRoot(size_t c, size_t k) {
    if (c + 1 == best_.computations.size()) return false;
    const Comp& comp = best_.computations[c];
    if (static_cast<int>(k) >= comp.root ||
        !Shape::Compatible(comp.nodes[k].shape.WithoutLayouts(), comp.nodes[comp.root].shape.WithoutLayouts())) return false;
    Prog candidate = best_;
    candidate.computations[c].root = static_cast<int>(k);
    return Try(std::move(candidate));
  }

  static Shape MapShape(const Shape& s, const std::function<Shape(const Shape&)>& f) {
    if (s.IsTuple()) {
      std::vector<Shape> parts;
      for (const Shape& part : s.tuple_shapes()) parts.push_back(MapShape(part, f));
      return Shape::Tuple(std::move(parts));
    }
    return s.IsArray() ? f(s) : s;
  }
  Prog WithShapes(const std::function<Shape(const Shape&)>& f) const {
    Prog candidate = best_;
    for (Comp& comp : candidate.computations) {
      for (ProgNode& node : comp.nodes) node.shape = MapShape(node.shape, f);
    }
    return candidate;
  }
  static std::string WithNumber(const std::string& text, int64_t from, int64_t to) {
    std::string out;
    for (size_t i = 0; i < text.size();) {
      if (!isdigit(text[i]) || (i > 0 && (isalpha(text[i - 1]) || text[i - 1] == '.'))) {
        out += text[i++];
        continue;
      }
      size_t end = i;
      while (end < text.size() && isdigit(text[end])) ++end;
      const std::string number = text.substr(i, end - i);
      out += number == absl::StrCat(from) ? absl::StrCat(to) : number;
      i = end;
    }
    return out;
  }

  bool SmallerSizes() {
    std::set<int64_t> sizes;
    for (const Comp& comp : best_.computations) {
      for (const ProgNode& node : comp.nodes) {
        MapShape(node.shape, [&](const Shape& s) {
          sizes.insert(s.dimensions().begin(), s.dimensions().end());
          return s;
        });
      }
    }
    bool better = false;
    for (auto it = sizes.rbegin(); it != sizes.rend(); ++it) {
      const int64_t from = *it;
      for (int64_t to : {int64_t{1}, int64_t{2}, from / 2, from - 1}) {
        if (to < 1 || to >= from) continue;
        Prog candidate = WithShapes([&](const Shape& s) {
          std::vector<int64_t> dims(s.dimensions().begin(), s.dimensions().end());
          std::replace(dims.begin(), dims.end(), from, to);
          return Shape::Array(s.element_type(), dims, s.layout() != nullptr ? std::optional<Layout>(*s.layout()) : std::nullopt);
        });
        Prog with_numbers = candidate;
        for (Comp& comp : with_numbers.computations) {
          for (ProgNode& node : comp.nodes) node.attributes = WithNumber(node.attributes, from, to);
        }
        if (Try(std::move(candidate)) || Try(std::move(with_numbers))) {
          better = true;
          break;
        }
      }
    }
    return better;
  }

  bool SimplerTypes() {
    bool better = false;
    for (int t = 0; t < kElementTypeCount; ++t) {
      const ElementType from = static_cast<ElementType>(t);
      if (!IsArrayType(from) || IsPred(from) || IsComplex(from)) continue;
      const ElementType to = IsFloat(from) ? ElementType::kF32 : ElementType::kS32;
      if (from == to) continue;
      bool there = false;
      Prog candidate = WithShapes([&](const Shape& s) {
        there |= s.element_type() == from;
        return s.element_type() == from ? s.WithElementType(to) : s;
      });
      if (there) better |= Try(std::move(candidate));
    }
    return better;
  }

  bool PlainLayouts() {
    bool dressed = false;
    Prog candidate = WithShapes([&](const Shape& s) {
      dressed |= s.layout() != nullptr && !s.layout()->IsPlainRowMajor();
      return s.WithLayout(Layout::RowMajor(s.rank()));
    });
    return dressed && Try(std::move(candidate));
  }

  bool SimplerInputs() {
    bool better = false;
    while (best_.inputs != Inputs::kSmall) {
      Prog candidate = best_;
      candidate.inputs = static_cast<Inputs>(static_cast<int>(best_.inputs) - 1);
      if (!Try(std::move(candidate))) break;
      better = true;
    }
    return better;
  }

  Prog best_;
  const std::function<bool(const Prog&)>& fails_;
  int left_;
  int next_id_ = 0;
};

}  // namespace

Prog Shrink(Prog program, const std::function<bool(const Prog&)>& fails, int attempts) {
  return Shrinker(std::move(program), fails, attempts).Run();
}

int NodeCount(const Prog& program) {
  int count = 0;
  for (const Comp& comp : program.computations) count += static_cast<int>(comp.nodes.size());
  return count;
}

}  // namespace hloscope
