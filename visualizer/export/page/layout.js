// Which boxes are seen and where they and their arrows lie. Every level comes laid out with everything in it closed; where a box is open, the
// sheet on which its level lies is stretched to make room, so nothing changes its order. Knows nothing of drawing.
'use strict';

const PAD = 14, TITLE = 30;

// A map of one axis: between its edges each open box makes the sheet as much longer as it needs, the most demanding one counts.
function stretch(spans, total) {
  // spans: [from, to, size wanted]
  if (spans.length === 0) return {at: x => x, total};
  const edges = [...new Set([0, total, ...spans.flatMap(s => [s[0], s[1]])])].sort((a, b) => a - b);
  const at = [edges[0]];
  for (let k = 1; k < edges.length; ++k) {
    let factor = 1;
    for (const s of spans) {
      if (s[0] <= edges[k - 1] && s[1] >= edges[k] && s[1] > s[0]) factor = Math.max(factor, s[2] / (s[1] - s[0]));
    }
    at.push(at[k - 1] + (edges[k] - edges[k - 1]) * factor);
  }
  return {
    total: at[at.length - 1],
    at(x) {
      if (x <= edges[0]) return at[0] + x - edges[0];
      let low = 0, high = edges.length - 1;
      if (x >= edges[high]) return at[high] + x - edges[high];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (edges[middle] <= x) low = middle; else high = middle;
      }
      return at[low] + (x - edges[low]) * (at[high] - at[low]) / (edges[high] - edges[low]);
    },
  };
}

class Scene {
  // `root`: a node. `open`: keys of boxes.
  constructor(program, root, open) {
    this.program = program;
    this.open = open;
    this.boxes = [];
    this.arrows = [];
    this.byKey = new Map();
    this.shown = [];    // {computation, box: Map}
    this.opened = new Map();  // box -> [[which, shown]]
    const top = this.addBox('', root, null);
    top.expanded = true;
    const computation = program.kind(root) === 'c' ? program.raw.nodes.what[root] : program.computationOf[this.anyInstruction(root)];
    this.fill(top, root, this.newShown(computation));
    this.measure(top);
    this.put(top, 0, 0);
    this.laid = this.known(program.raw.scene);
    this.width = top.w;
    this.height = top.h;
    this.addArrows();
  }

  anyInstruction(node) {
    while (this.program.instruction(node) < 0) node = this.program.children[node][0];
    return this.program.instruction(node);
  }

  newShown(computation) {
    this.shown.push({computation, box: new Map()});
    return this.shown.length - 1;
  }

  // `which`: of the computations that the box around it calls.
  addBox(prefix, node, parent, which, role) {
    const p = this.program;
    const box = {
      id: this.boxes.length,
      key: prefix + '/' + node,
      node,
      parent,
      which: which || 0,
      depth: parent ? parent.depth + 1 : 0,
      instruction: p.instruction(node),
      expandable: p.expandable(node),
      expanded: false,
      kids: [],
      title: p.title(node),
      detail: p.detail(node),
      below: p.below(node),
      cw: p.width(node),
      ch: p.height(node),
      w: p.width(node),
      h: p.height(node),
      x: 0,
      y: 0,
      more: 0,
      ends: [],
      level: null,
    };
    if (role) { box.detail = box.title; box.title = role; }
    this.boxes.push(box);
    this.byKey.set(box.key, box);
    if (parent) parent.kids.push(box);
    return box;
  }

  fill(box, node, shown) {
    const p = this.program;
    box.level = p.levelOf(node);
    for (const child of p.children[node]) {
      const made = this.addBox(box.key, child, box);
      const expanded = made.expandable && this.open.has(made.key) && made.depth < 200;
      if (made.instruction >= 0) {
        this.shown[shown].box.set(made.instruction, made);
        if (expanded) this.openCall(made);
      } else if (expanded) {
        made.expanded = true;
        this.fill(made, child, shown);
      } else {
        p.forEachIn(child, i => this.shown[shown].box.set(i, made));
      }
    }
  }

  openCall(box) {
    const p = this.program, calls = p.calls(box.instruction), opened = [];
    box.expanded = true;
    calls.computations.forEach((c, which) => {
      const node = p.computations[c].node, shown = this.newShown(c);
      opened.push([which, shown]);
      if (calls.computations.length === 1) {
        this.fill(box, node, shown);
        return;
      }
      const role = calls.kind === 1 ? ['condition', 'body'][which] : calls.kind === 2 ? 'branch ' + which : '';
      const inner = this.addBox(box.key + '/' + which, node, box, which, role);
      if (this.open.has(inner.key)) {
        inner.expanded = true;
        this.fill(inner, node, shown);
      } else {
        for (let k = 0; k < p.computations[c].count; ++k) this.shown[shown].box.set(p.computations[c].first + k, inner);
      }
    });
    this.opened.set(box, opened);
  }

  // -- Sizes and places --
  measure(box) {
    if (!box.expanded) return;
    for (const kid of box.kids) this.measure(kid);
    const bare = box.parent === null;
    if (!box.level) {
      // Computations of one call, side by side.
      let x = 0, h = 0;
      for (const kid of box.kids) {
        kid.rx = x; kid.ry = 0;
        x += kid.w + 22;
        h = Math.max(h, kid.h);
      }
      box.innerW = Math.max(0, x - 22); box.innerH = h;
    } else {
      const places = box.level.b, spansX = [], spansY = [];
      box.kids.forEach((kid, k) => {
        if (!kid.expanded) return;
        spansX.push([places[2 * k], places[2 * k] + kid.cw, kid.w]);
        spansY.push([places[2 * k + 1], places[2 * k + 1] + kid.ch, kid.h]);
      });
      box.mapX = stretch(spansX, box.level.w);
      box.mapY = stretch(spansY, box.level.h);
      box.kids.forEach((kid, k) => {
        const x0 = box.mapX.at(places[2 * k]), x1 = box.mapX.at(places[2 * k] + kid.cw), y0 = box.mapY.at(places[2 * k + 1]), y1 = box.mapY.at(places[2 * k + 1] + kid.ch);
        kid.rx = (x0 + x1 - kid.w) / 2;
        kid.ry = (y0 + y1 - kid.h) / 2;
      });
      box.innerW = box.mapX.total; box.innerH = box.mapY.total;
    }
    const title = Math.min(320, box.title.length * 7.6 + box.detail.length * 6.6 + 60);
    box.w = Math.max(box.innerW + (bare ? 0 : 2 * PAD), bare ? 0 : title, bare ? 0 : box.cw);
    box.h = Math.max(box.innerH + (bare ? 0 : TITLE + PAD), bare ? 0 : box.ch);
  }

  put(box, x, y) {
    box.x = x; box.y = y;
    if (!box.expanded) return;
    const bare = box.parent === null;
    box.innerX = x + (box.w - box.innerW) / 2;
    box.innerY = y + (bare ? 0 : TITLE);
    for (const kid of box.kids) this.put(kid, box.innerX + kid.rx, box.innerY + kid.ry);
  }

  // The layout that came with the page, where it is of just these boxes: it is the better one.
  known(scene) {
    if (!scene || scene.nodes.length !== this.boxes.length || !this.boxes.every((box, k) => box.node === scene.nodes[k])) return null;
    this.boxes.forEach((box, k) => { [box.x, box.y, box.w, box.h] = scene.boxes.slice(4 * k, 4 * k + 4); });
    return new Map(scene.arrows.map(a => [a[0] * 1048576 + a[1], a]));
  }

  // -- Arrows (as in visualizer/graph/scene.cc) --
  // The boxes in which an operand's value arrives: of a call that is open, the parameters inside.
  targets(box, user, k) {
    const opened = this.opened.get(box), out = [];
    if (opened) {
      const p = this.program, kind = p.calls(user).kind;
      for (const [which, shown] of opened) {
        const c = p.computations[this.shown[shown].computation];
        if (kind === 2 && k !== which + 1) continue;
        const number = kind === 0 ? k : 0;
        if (number >= c.parameters.length || c.parameters[number] < 0 || (kind === 0 && c.parameters.length !== p.operands[user].length)) continue;
        const inside = this.shown[shown].box.get(c.parameters[number]);
        if (inside && inside !== box) out.push(inside);
      }
    }
    if (out.length === 0) out.push(box);
    return out;
  }

  // The box in which a value is made: of a call that is open, the root inside; of a loop that of the body.
  maker(box) {
    for (let deep = 0; deep < 200; ++deep) {
      const opened = this.opened.get(box);
      if (!opened || opened.length === 0) return box;
      if (opened.length > 1 && this.program.calls(box.instruction).kind !== 1) return box;
      const shown = this.shown[opened[opened.length - 1][1]];
      const inside = shown.box.get(this.program.computations[shown.computation].root);
      if (!inside || inside === box) return box;
      box = inside;
    }
    return box;
  }

  addArrows() {
    const p = this.program, known = new Map();
    const add = (from, to, value, order) => {
      if (!from || !to || from === to) return;
      const key = from.id * 1048576 + to.id;
      let arrow = known.get(key);
      if (!arrow) {
        arrow = {from, to, value, bytes: 0, count: 0, order: true, minor: false, last: -1, curve: null};
        known.set(key, arrow);
        this.arrows.push(arrow);
      }
      if (order) return;
      arrow.order = false;
      if (arrow.last === value) return;
      arrow.last = value;
      arrow.bytes += p.bytes(value);
      ++arrow.count;
    };
    for (const shown of this.shown) {
      for (const [user, to] of shown.box) {
        p.operands[user].forEach((operand, k) => {
          const from = shown.box.get(operand);
          if (!from || (from === to && !this.opened.has(to))) return;
          for (const target of this.targets(to, user, k)) add(this.maker(from), target, operand, false);
        });
        for (const before of p.after.get(user) || []) add(shown.box.get(before), to, before, true);
      }
    }
    this.addHops((from, to, hop) => {
      if (!from || !to || from === to || known.has(from.id * 1048576 + to.id)) return;
      add(from, to, hop[0], false);
      this.arrows[this.arrows.length - 1].again = hop[2] === 1;
    });
    this.findHubs();
    for (const arrow of this.arrows) this.bend(arrow);
    for (const arrow of this.arrows) {
      if (arrow.minor) ++arrow.from.more; else arrow.from.ends.push(arrow.curve[0][0]);
    }
  }

  // Of a way: what no operand is behind, out of a condition or a branch and round a loop (as in visualizer/graph/scene_fill.cc).
  addHops(add) {
    const p = this.program, of = i => p.computationOf[i];
    for (const hop of p.hops) {
      const [from, to] = hop;
      if (p.operands[to].includes(from) || (p.after.get(to) || []).includes(from)) continue;
      for (const shown of this.shown) {
        if (shown.computation === of(from) && of(to) === of(from)) add(shown.box.get(from), shown.box.get(to), hop);
      }
      for (const [box, opened] of this.opened) {
        for (const [, at] of opened) {
          const inside = this.shown[at];
          if (inside.computation !== of(from) || of(to) === of(from)) continue;
          if (box.instruction === to) add(inside.box.get(from), box, hop);
          for (const [, beside] of opened) if (this.shown[beside].computation === of(to)) add(inside.box.get(from), this.shown[beside].box.get(to), hop);
        }
      }
    }
  }

  // What leads to very many boxes would cover the picture, and what very many lead to as well (as in visualizer/graph/scene_fill.cc).
  findHubs() {
    const mostOut = 7, mostIn = 12, out = new Map(), into = new Map(), began = new Set(), held = new Set(), nearest = new Map();
    for (const a of this.arrows) {
      out.set(a.from, (out.get(a.from) || 0) + 1);
      into.set(a.to, (into.get(a.to) || 0) + 1);
    }
    for (const a of this.arrows) {
      a.minor = (out.get(a.from) > mostOut && into.get(a.to) > 1 && began.has(a.from)) || (into.get(a.to) > mostIn && out.get(a.from) > 1);
      began.add(a.from);
      if (!a.minor) held.add(a.to);
      const other = nearest.get(a.to), beside = x => x.from.parent === a.to.parent;
      if (!other || beside(a) > beside(other) || (beside(a) === beside(other) && a.value > other.value)) nearest.set(a.to, a);
    }
    for (const [to, a] of nearest) if (!held.has(to)) a.minor = false;
  }

  // The arrow of a level between two of its boxes, or null.
  levelArrow(level, from, to) {
    if (!level.arrowMap) level.arrowMap = new Map(level.a.map(a => [a[0] * 65536 + a[1], a]));
    return level.arrowMap.get(from * 65536 + to) || null;
  }

  bend(arrow) {
    const {from, to} = arrow;
    let a = from, b = to;
    while (a.depth > b.depth) a = a.parent;
    while (b.depth > a.depth) b = b.parent;
    while (a !== b && a.parent !== b.parent) { a = a.parent; b = b.parent; }
    const out = [from.x + from.w / 2, from.y + from.h], into = [to.x + to.w / 2, to.y];
    const curve = [], known = this.laid ? this.laid.get(from.id * 1048576 + to.id) : null;
    if (known) {
      arrow.minor = known[2] === 1;
      if (known[2] && !arrow.minor) arrow.spot = known[2];
      for (let k = 3; k + 1 < known.length; k += 2) curve.push([known[k], known[k + 1]]);
    } else if (this.laid && a !== b) {
      arrow.minor = true;
    } else if (a === b) {
      // From a box to what is inside it, or out of it.
      const inward = from.depth < to.depth;
      piece(curve, inward ? [into[0], from.y + TITLE * 0.8] : out, inward ? into : [out[0], to.y + to.h]);
    } else {
      const level = a.parent.level, found = level ? this.levelArrow(level, this.program.place[a.node], this.program.place[b.node]) : null;
      if (found && found.length > 3) {
        const middle = warped(a.parent, a, b, found, from, to);
        const above = middle[0][1] < from.y, below = middle[middle.length - 1][1] > to.y + to.h;
        if (a !== from && above) sideways(curve, from, middle[0]);
        else if (a !== from) piece(curve, out, middle[0], middle[1]);
        if (curve.length === 0) curve.push(...middle); else curve.push(...middle.slice(1));
        if (b !== to && below) {
          const back = [];
          sideways(back, to, middle[middle.length - 1]);
          curve.push(...back.reverse().slice(1));
        } else if (b !== to) {
          piece(curve, middle[middle.length - 1], into);
        }
      } else {
        arrow.minor = arrow.minor || level !== null && !found;
      }
      arrow.minor = arrow.minor || found !== null && found[2] !== 0;
    }
    if (curve.length === 0) piece(curve, out, into);
    arrow.curve = curve;
    arrow.left = Math.min(...curve.map(q => q[0])); arrow.right = Math.max(...curve.map(q => q[0]));
    arrow.top = Math.min(...curve.map(q => q[1])); arrow.bottom = Math.max(...curve.map(q => q[1]));
  }
}

// A level's curve on its stretched sheet. Its ends stay on the boxes: of one that is open above or below `from` and `to`, which lie inside.
function warped(level, a, b, arrow, from, to) {
  const place = level.level.b, last = (arrow.length - 3) / 2 - 1, at = [0, 1].map(k => ({x: place[2 * arrow[k]], y: place[2 * arrow[k] + 1]}));
  const points = [];
  for (let k = 3; k + 1 < arrow.length; k += 2) points.push([arrow[k], arrow[k + 1]]);
  const down = points[0][1] < points[last][1], top = at[1].y, bottom = at[0].y + a.ch;
  // An arrow that ends at a box's side would go deep into it where it is open.
  if (down && bottom < top) for (const q of points) q[1] = Math.min(Math.max(q[1], bottom), top);
  const moved = points.map(q => [level.innerX + level.mapX.at(q[0]), level.innerY + level.mapY.at(q[1])]);
  const pin = (end, beside, box, was, inside) => {
    const inner = inside === box ? null : Math.min(box.x + box.w - 16, Math.max(box.x + 16, inside.x + inside.w / 2));
    const x = inner !== null && down ? inner : box.x + box.w * (points[end][0] - was.x) / box.cw, y = box.y + box.h * (points[end][1] - was.y) / box.ch;
    moved[beside] = [moved[beside][0] + x - moved[end][0], moved[beside][1] + y - moved[end][1]];
    moved[end] = [x, y];
  };
  pin(0, 1, a, at[0], from);
  pin(last, last - 1, b, at[1], to);
  return moved;
}

// A piece that leaves and arrives straight down, or in the direction of what it goes on from and into.
function piece(curve, from, to, onward) {
  const d = Math.min(80, Math.max(10, Math.abs(to[1] - from[1]) * 0.5));
  const along = (p, q) => {
    const x = q[0] - p[0], y = q[1] - p[1], length = Math.max(0.01, Math.hypot(x, y));
    return [x / length * d, y / length * d];
  };
  const n = curve.length, out = n > 1 ? along(curve[n - 2], curve[n - 1]) : [0, d], into = onward ? along(to, onward) : [0, d];
  if (n === 0) curve.push(from);
  curve.push([from[0] + out[0], from[1] + out[1]], [to[0] - into[0], to[1] - into[1]], to);
}

// From the side of a box that is nearer to a place.
function sideways(curve, box, to) {
  const right = to[0] > box.x + box.w / 2, from = [right ? box.x + box.w : box.x, box.y + box.h / 2];
  const d = Math.min(70, Math.max(14, Math.abs(to[0] - from[0]) * 0.6)), down = to[1] > from[1] ? -1 : 1;
  curve.push(from, [from[0] + (right ? d : -d), from[1]], [to[0], to[1] + down * Math.min(60, Math.max(8, Math.abs(to[1] - from[1]) * 0.5))], to);
}

// What is open at first: the scopes that most of a level lies in, while there is room.
function firstOpen(program, root, most) {
  const open = new Set();
  let shown = program.children[root].length;
  const go = (node, key) => {
    for (const child of program.children[node]) {
      if (program.kind(child) !== 's' || program.inside(child) * 5 < program.inside(node) * 2 || shown + program.children[child].length > most) continue;
      shown += program.children[child].length - 1;
      open.add(key + '/' + child);
      go(child, key + '/' + child);
    }
  };
  go(root, '/' + root);
  return open;
}
