// What the page knows of the program: columns become questions one can ask. Knows nothing of drawing.
'use strict';

async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

class Program {
  constructor(raw) {
    this.raw = raw;
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
    // What a slice has of an instruction: one part for each run of its computation that is in it.
    this.parts = new Map();
    for (const [i, run, value, health] of (raw.marked && raw.marked.parts) || []) {
      if (!this.parts.has(i)) this.parts.set(i, []);
      this.parts.get(i).push({where: raw.marked.runs[run], value, health});
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
  partsOf(i) { return this.parts.get(i) || []; }
  values(i) { return (this.run && this.run.of[i]) || null; }

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

  // How trouble, time and size add up, of a node with all that it calls. Filled from below when first asked for.
  figures(node) {
    if (!this.figureList) this.figureList = new Array(this.nodeCount).fill(null);
    if (this.figureList[node]) return this.figureList[node];
    const sum = {time: 0, bytes: 0, nan: 0, inf: 0, fine: 0, ulp: -1, classes: new Array(8).fill(0), families: new Array(8).fill(0)};
    const add = (other, part) => {
      sum.time += other.time * part; sum.nan += other.nan; sum.inf += other.inf; sum.fine += other.fine;
      sum.ulp = Math.max(sum.ulp, other.ulp);
    };
    const i = this.instruction(node);
    if (i >= 0) {
      const run = this.values(i);
      sum.bytes = this.bytes(i);
      sum.classes[+this.raw.classOf[i]] = 1;
      sum.families[+this.raw.familyOf[i]] = 1;
      if (run) {
        sum.time = typeof run.t === 'number' ? run.t : 0;
        if (run.ulp !== undefined) sum.ulp = typeof run.ulp === 'number' ? run.ulp : Infinity;
        if (run.h === 3) sum.nan = 1; else if (run.h === 2) sum.inf = 1; else if (run.h === 1) sum.fine = 1;
      }
      const calls = this.calls(i);
      if (calls) for (const c of new Set(calls.computations)) add(this.figures(this.computations[c].node), this.figures(this.computations[c].node).time > 0 ? this.partOf(i, c) : 1);
    } else {
      for (const child of this.children[node]) {
        const inner = this.figures(child);
        add(inner, 1);
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
