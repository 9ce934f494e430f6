// What the page knows of the program: columns become questions one can ask. Knows nothing of drawing.
'use strict';

async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

// Figures of instructions, told apart by the calls that lead to them (core/ir/call_tree.h). Call 0 is the entry.
class Calls {
  constructor(program, list) {
    this.program = program;
    this.of = list.map(([parent, caller, which,
                         of]) => new Map(Object.entries(of).map(([k, figure]) => [+k, typeof figure === 'number' ? figure : Infinity])));
    this.number = new Map(list.map(([parent, caller, which], call) => [parent + ' ' + caller + ' ' + which, call]));
    this.list = list;
    this.sums = new Map();
  }

  // All calls of a computation.
  all(computation) {
    if (computation === this.program.raw.entry) return this.list.length > 0 ? [0] : [];
    const out = [];
    this.list.forEach(([parent, caller, which], call) => {
      if (caller >= 0 && this.program.calls(caller).computations[which] === computation) out.push(call);
    });
    return out;
  }
  inside(calls, caller, which) {
    return calls.map(call => this.number.get(call + ' ' + caller + ' ' + which)).filter(call => call !== undefined);
  }

  // The calls that a box stands for: those inside of the boxes around it. Where the outermost one is not the entry, all of that
  // computation.
  ofBox(box) {
    const p = this.program, around = box.parent;
    if (!around) return this.all(p.computationOfNode(box.node));
    const outer = this.ofBox(around);
    return around.instruction >= 0 ? this.inside(outer, around.instruction, box.which) : outer;
  }

  // The worst of an instruction in these calls; undefined: not known.
  at(calls, i) {
    const place = i - this.program.computations[this.program.computationOf[i]].first;
    let worst;
    for (const call of calls) {
      const figure = this.of[call].get(place);
      if (figure !== undefined && (worst === undefined || figure > worst)) worst = figure;
    }
    return worst;
  }

  // Of a node in these calls, with all that it calls there: how many instructions have a figure of 1, 2 and 3, and the worst.
  sum(node, calls) {
    if (calls.length === 0) return {fine: 0, inf: 0, nan: 0, worst: -1};
    const key = node + ' ' + calls.join(' ');
    const known = this.sums.get(key);
    if (known) return known;
    const p = this.program, sum = {fine: 0, inf: 0, nan: 0, worst: -1}, i = p.instruction(node);
    const add = other => {
      sum.fine += other.fine;
      sum.inf += other.inf;
      sum.nan += other.nan;
      sum.worst = Math.max(sum.worst, other.worst);
    };
    if (i >= 0) {
      const figure = this.at(calls, i), called = p.calls(i);
      if (figure !== undefined) add({fine: +(figure === 1), inf: +(figure === 2), nan: +(figure === 3), worst: figure});
      if (called) called.computations.forEach((c, which) => add(this.sum(p.computations[c].node, this.inside(calls, i, which))));
    } else {
      for (const child of p.children[node]) add(this.sum(child, calls));
    }
    this.sums.set(key, sum);
    return sum;
  }

  // Instructions of a node in these calls, and of what it calls there, that have the figure: each once.
  those(node, calls, wanted) {
    const p = this.program, out = new Set();
    const go = (at, within) => {
      p.forEachIn(at, i => {
        if (this.at(within, i) === wanted) out.add(i);
        const called = p.calls(i);
        if (called)
          called.computations.forEach((c, which) => {
            const inner = this.inside(within, i, which);
            if (inner.length > 0) go(p.computations[c].node, inner);
          });
      });
    };
    go(node, calls);
    return [...out];
  }
}

class Program {
  constructor(raw) {
    this.raw = raw;
    this.hops = (raw.marked && raw.marked.hops) || [];  // of a way: [from, to, 1 where it leads into the next iteration]
    this.names = raw.names === '' ? [] : raw.names.split('\n');
    this.count = this.names.length;
    this.texts = raw.texts.split('\n');
    this.computations = raw.computations;
    this.computationOf = new Int32Array(this.count);
    this.computations.forEach((c, id) => {
      for (let k = 0; k < c.count; ++k) this.computationOf[c.first + k] = id;
    });
    // Operands as absolute numbers.
    this.operands = raw.operands.map((list, i) => list.map(back => i - back));
    this.called = new Map();
    this.callers = this.computations.map(() => []);
    for (const [i, entry] of Object.entries(raw.called)) {
      this.called.set(+i, {kind: entry[0], computations: entry.slice(1)});
      entry.slice(1).forEach((c, which) => this.callers[c].push([+i, which]));
    }
    this.after = new Map(Object.entries(raw.after).map(([i, list]) => [+i, list]));
    const n = raw.nodes;
    this.nodeCount = n.kind.length;
    this.children = n.children.map((list, id) => list.map(ahead => id + ahead));
    this.nodeOfInstruction = new Int32Array(this.count).fill(-1);
    for (let id = 0; id < this.nodeCount; ++id) {
      if (n.kind[id] === 'i') this.nodeOfInstruction[n.what[id]] = id;
    }
    this.place = new Int32Array(this.nodeCount);  // among its parent's children
    for (const list of this.children) list.forEach((child, k) => { this.place[child] = k; });
    this.levels = raw.levels;
    this.run = raw.run || null;
    this.health = new Calls(this, (this.run && this.run.health) || []);
    this.errors = new Calls(this, (this.run && this.run.errors) || []);
    // What a slice has of an instruction: one part for each run of its computation that is in it.
    this.parts = new Map();
    for (const [i, run, value, health, path] of (raw.marked && raw.marked.parts) || []) {
      if (!this.parts.has(i)) this.parts.set(i, []);
      this.parts.get(i).push({where: raw.marked.runs[run], value, health, path: raw.marked.paths[path]});
    }
  }

  kind(node) { return this.raw.nodes.kind[node]; }
  instruction(node) { return this.kind(node) === 'i' ? this.raw.nodes.what[node] : -1; }
  parent(node) { return this.raw.nodes.parent[node]; }
  title(node) { return this.raw.nodes.title[node]; }
  detail(node) { return this.raw.nodes.detail[node]; }
  below(node) { return this.raw.nodes.below[node]; }
  width(node) { return this.raw.nodes.size[2 * node]; }
  height(node) { return this.raw.nodes.size[2 * node + 1]; }
  inside(node) { return this.raw.nodes.count[node]; }
  levelOf(node) { return this.levels[this.raw.nodes.level[node]]; }
  calls(i) { return this.called.get(i) || null; }
  expandable(node) { const i = this.instruction(node); return i < 0 ? this.children[node].length > 0 : this.called.has(i); }

  opcode(i) { return this.raw.ops[this.raw.op[i]]; }
  shape(i) { return this.raw.shapes[this.raw.shape[i]]; }
  bytes(i) { return this.raw.shapeBytes[this.raw.shape[i]]; }
  scope(i) { return this.raw.scopes[this.raw.scope[i]]; }
  source(i) { return this.raw.source[i] < 0 ? '' : this.raw.sources[this.raw.source[i]]; }
  sourceLine(i) { return this.raw.source[i] < 0 ? '' : this.raw.sourceLines[this.raw.source[i]]; }
  formula(i) { return this.raw.formulas[i] || ''; }
  // Of a box: those that ran in its call.
  partsOf(box) { return (this.parts.get(box.instruction) || []).filter(part => this.isIn(box, part.path)); }
  values(i) { return (this.run && this.run.of[i]) || null; }
  computationOfNode(node) {
    const i = this.instruction(node);
    return i >= 0                         ? this.computationOf[i] :
        this.raw.nodes.kind[node] === 'c' ? this.raw.nodes.what[node] :
                                            this.computationOfNode(this.parent(node));
  }

  users(i) {
    if (!this.userLists) {
      this.userLists = this.names.map(() => []);
      this.operands.forEach((list, user) => {
        for (const o of new Set(list)) this.userLists[o].push(user);
      });
    }
    return this.userLists[i];
  }

  // Calls f with each instruction that lies in a node (not in what it calls).
  forEachIn(node, f) {
    const i = this.instruction(node);
    if (i >= 0) { f(i); return; }
    for (const child of this.children[node]) this.forEachIn(child, f);
  }

  // The calls that lead to a computation, outermost first: [instruction, which].
  pathTo(computation) {
    const path = [];
    for (let at = computation; this.callers[at].length > 0 && path.length < 1000;) {
      const call = this.callers[at][0];
      path.unshift(call);
      at = this.computationOf[call[0]];
    }
    return path;
  }

  // Whether a box stands in the calls of a path, as far as these are shown.
  isIn(box, path) {
    let k = path.length;
    for (let at = box; at.parent; at = at.parent) {
      if (at.parent.instruction < 0) continue;
      --k;
      if (k < 0 || path[k][0] !== at.parent.instruction || path[k][1] !== at.which) return false;
    }
    return true;
  }

  // How time and size add up, of a node with all that it calls. Filled from below when first asked for.
  figures(node) {
    if (!this.figureList) this.figureList = new Array(this.nodeCount).fill(null);
    if (this.figureList[node]) return this.figureList[node];
    const sum = {time: 0, bytes: 0, classes: new Array(8).fill(0), families: new Array(8).fill(0)};
    const i = this.instruction(node);
    if (i >= 0) {
      const run = this.values(i);
      sum.bytes = this.bytes(i);
      sum.classes[+this.raw.classOf[i]] = 1;
      sum.families[+this.raw.familyOf[i]] = 1;
      if (run) sum.time = typeof run.t === 'number' ? run.t : 0;
      const calls = this.calls(i);
      if (calls) {
        for (const c of new Set(calls.computations)) {
          const time = this.figures(this.computations[c].node).time;
          if (time > 0) sum.time += time * this.partOf(i, c);
        }
      }
    } else {
      for (const child of this.children[node]) {
        const inner = this.figures(child);
        sum.time += inner.time;
        sum.bytes = Math.max(sum.bytes, inner.bytes);
        for (let k = 0; k < 8; ++k) { sum.classes[k] += inner.classes[k]; sum.families[k] += inner.families[k]; }
      }
    }
    this.figureList[node] = sum;
    return sum;
  }

  // How much of a computation's time is a caller's: each run of it counts the same.
  partOf(caller, computation) {
    if (!this.runSums) this.runSums = [];
    if (!this.runSums[computation]) {
      const callers = [...new Set(this.callers[computation].map(call => call[0]))];
      this.runSums[computation] = {count: callers.length, sum: callers.reduce((sum, i) => sum + this.runsOf(i), 0)};
    }
    const runs = this.runSums[computation];
    if (runs.count <= 1) return 1;
    this.shared = true;
    return runs.sum > 0 ? this.runsOf(caller) / runs.sum : 1 / runs.count;
  }
  runsOf(i) { const run = this.values(i); return run ? run.times || (run.v ? 1 : 0) : 0; }

  // Of what lies in opened calls: the part of these calls.
  partOfPath(box) {
    let part = 1;
    for (let at = box; at.parent; at = at.parent) {
      const caller = at.parent.instruction, computation = at.instruction >= 0 ? this.computationOf[at.instruction] : this.raw.nodes.what[at.node];
      if (caller >= 0 && this.figures(this.computations[computation].node).time > 0) part *= this.partOf(caller, computation);
    }
    return part;
  }

  // The best first: {node, rank}. `most` of them; `total` of all.
  search(text, most) {
    const wanted = text.trim().toLowerCase().replace(/^%/, '').split(/\s+/).filter(w => w);
    if (wanted.length === 0) return {found: [], total: 0, all: new Set()};
    if (!this.haystack) {
      this.haystack = [];
      for (let id = 0; id < this.nodeCount; ++id) {
        const i = this.instruction(id);
        this.haystack.push((i >= 0 ? [this.names[i], this.opcode(i), this.shape(i), this.scope(i), this.source(i)].join('\n') : this.raw.nodes.path[id]).toLowerCase());
      }
    }
    const found = [], all = new Set();
    for (let id = 0; id < this.nodeCount; ++id) {
      const hay = this.haystack[id];
      if (!wanted.every(w => hay.includes(w)) || (this.kind(id) !== 'i' && this.parent(id) < 0 && this.kind(id) !== 'c')) continue;
      all.add(id);
      const i = this.instruction(id), name = i >= 0 ? this.names[i].toLowerCase() : hay, first = wanted[0];
      const rank = name === first ? 0 : i >= 0 && this.opcode(i) === first ? 1 : name.startsWith(first) ? 2 : name.includes(first) ? 3 : 4;
      found.push({node: id, rank});
    }
    found.sort((a, b) => a.rank - b.rank || a.node - b.node);
    return {found: found.slice(0, most), total: found.length, all};
  }
}
