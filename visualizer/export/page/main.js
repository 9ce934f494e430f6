// The page as one: what is open, what is selected, the mouse and the keys.
'use strict';

class Page {
  constructor(program) {
    this.program = program;
    this.view = new View(document.getElementById('graph'), document.getElementById('map'));
    this.root = program.computations[program.raw.entry].node;
    this.open = new Map();  // root -> what is open in it
    this.places = [];       // that are marked: {node, path}
    this.colour = program.raw.color;
    this.outline = new Outline(document.getElementById('outline'), program, node => this.choose(node));
    this.inspector = new Inspector(document.getElementById('inspector'), program, {choose: node => this.choose(node), toggle: () => this.toggle(this.view.selected), alone: () => this.alone(this.view.selected)});
    this.view.tint = box => this.tint(box);
    document.getElementById('title').textContent = program.raw.module;
    this.setTheme(document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'));
    this.fillColours();
    this.listen();
    this.placePanels();
    this.show(this.root, true);
    this.inspector.show(null);
    if (program.raw.marked) this.mark(program.raw.marked);
    const wanted = decodeURIComponent(location.hash.slice(1)), asked = program.raw.marked ? this.places[program.raw.marked.asked] : undefined;
    const named = wanted ? program.names.indexOf(wanted) : program.raw.start;
    if (!wanted && asked) this.choose(asked.node, asked.path);
    else if (named >= 0) this.choose(program.nodeOfInstruction[named]);
  }

  // -- What is shown --
  opened() {
    if (!this.open.has(this.root)) this.open.set(this.root, firstOpen(this.program, this.root, 60));
    return this.open.get(this.root);
  }

  rebuild(anchor) {
    this.most = null;
    this.view.take(new Scene(this.program, this.root, this.opened()), anchor);
    this.findMarked();
    this.legend();
  }

  // A node alone; the way back is above the graph.
  show(root, first) {
    this.root = root;
    this.view.selected = null;
    this.rebuild(null);
    this.crumbs();
    this.view.firstLook();
    if (!first) this.select(null);
  }

  crumbs() {
    const p = this.program, chain = [];
    for (let at = this.root; at >= 0;) {
      chain.unshift({node: at, text: p.title(at)});
      if (p.parent(at) >= 0) { at = p.parent(at); continue; }
      const callers = p.callers[p.raw.nodes.what[at]];
      if (callers.length === 0 || chain.length > 200) break;
      const caller = callers[0][0];
      chain.unshift({node: p.nodeOfInstruction[caller], text: p.names[caller], mono: true});
      at = p.parent(p.nodeOfInstruction[caller]);
    }
    const bar = document.getElementById('crumbs');
    bar.replaceChildren();
    chain.forEach((c, k) => {
      if (k > 0) bar.append(make('span', {class: 'slash', 'aria-hidden': 'true'}, '\u203a'));
      if (k === chain.length - 1) bar.append(make('span', {class: 'here', 'aria-current': 'location'}, c.text));
      else if (p.instruction(c.node) >= 0) bar.append(make('span', {class: 'mono'}, c.text));
      else bar.append(make('button', {class: 'link', onclick: () => this.show(c.node)}, c.text));
    });
  }

  // A way or a slice: what lies round its instructions is open, they are marked, and stand in a list.
  mark(marked) {
    const p = this.program, most = 600;
    this.places = marked.of.map(([i, path]) => ({node: p.nodeOfInstruction[i], path: marked.paths[path]}));
    const open = this.opened();
    for (const place of this.places) {
      const keys = this.keysTo(place.node, place.path);
      if (keys && open.size < most) keys.slice(0, -1).forEach(key => open.add(key));
    }
    this.rebuild(null);
    this.view.firstLook();
    const row = (i, path, value, health) => make('li', null, make('button', {class: 'link', title: p.opcode(i), onclick: () => this.choose(p.nodeOfInstruction[i], marked.paths[path])}, make('span', {class: 'mono'}, p.names[i]),
      make('span', {class: 'note' + (health > 1 ? ' bad' : '')}, value || p.opcode(i))));
    const rows = [];
    if (marked.parts) {
      // A heading wherever another run of a computation begins.
      marked.parts.forEach(([i, run, value, health, path], k) => {
        if ((k === 0 || marked.parts[k - 1][1] !== run) && marked.runs.length > 1) rows.push(make('li', {class: 'run'}, marked.runs[run] || p.computations[p.raw.entry].name));
        rows.push(row(i, path, value, health));
      });
    } else {
      marked.of.forEach(([i, path]) => rows.push(row(i, path, '', 0)));
    }
    document.getElementById('marked').append(make('h1', null, marked.text), make('ol', null, rows));
    document.getElementById('marked').hidden = false;
  }

  // The boxes of what is marked, each in its call; what stays closed is marked for what is in it.
  findMarked() {
    this.view.marked = new Set();
    const boxes = this.places.map(({node, path}) => {
      const keys = this.keysTo(node, path) || [], key = keys.reverse().find(key => this.view.scene.byKey.has(key)), box = this.view.scene.byKey.get(key);
      if (box && box.parent) this.view.marked.add(box);
      return box;
    });
    const arrows = this.program.raw.marked && this.program.raw.marked.arrows;
    // Of a way all between what is marked.
    if (!arrows) { this.view.markedArrows = null; return; }
    const pairs = arrows.map(([a, b]) => [boxes[a], boxes[b]]).filter(([a, b]) => a && b && a !== b);
    this.view.markedArrows = new Set(pairs.map(([a, b]) => a.key + ' ' + b.key));
    // Into what is open and out of it: from what made it to what reads it (as FindMarked in visualizer/graph/marked_places.cc).
    for (const [from, open] of pairs) {
      if (!open.expanded) continue;
      for (const [again, to] of pairs) if (again === open && to !== from) this.view.markedArrows.add(from.key + ' ' + to.key);
    }
  }

  // Opens all that lies round a node (in the calls of `path`, else the first ones) and selects it.
  choose(node, path) {
    const p = this.program;
    let keys = this.keysTo(node, path);
    if (!keys) {
      // Not inside of what is shown alone.
      this.root = p.computations[p.raw.entry].node;
      keys = this.keysTo(node, path);
      if (!keys) {
        // Of a computation that nobody calls from the entry.
        let top = node;
        while (p.parent(top) >= 0) top = p.parent(top);
        this.root = top;
        keys = this.keysTo(node);
      }
      this.view.selected = null;
      this.rebuild(null);
      this.view.firstLook();
      this.crumbs();
    }
    const open = this.opened(), before = open.size;
    for (const key of keys.slice(0, -1)) open.add(key);
    if (open.size !== before) this.rebuild(this.view.selected ? this.view.selected.key : null);
    let box = this.view.scene.byKey.get(keys[keys.length - 1]) || null;
    for (let k = keys.length - 1; !box && k >= 0; --k) box = this.view.scene.byKey.get(keys[k]) || null;
    if (box && !box.parent) { this.select(null); this.view.fit({x: 0, y: 0, w: this.view.scene.width, h: this.view.scene.height}, 1, true); return; }
    this.select(box);
    if (box) this.view.show(box, true);
  }

  // Keys of the boxes from what is shown down to a node, by these calls or by the first ones; null where it lies outside.
  keysTo(node, path) {
    const p = this.program, steps = [], calls = path ? [...path] : null;
    for (let at = node, hops = 0; hops < 2000; ++hops) {
      if (at === this.root) {
        let key = '/' + this.root;
        return [key, ...steps.reverse().map(step => (key += step))];
      }
      if (p.parent(at) >= 0) { steps.push('/' + at); at = p.parent(at); continue; }
      const computation = p.raw.nodes.what[at], callers = p.callers[computation];
      if (callers.length === 0) return null;
      const [caller, which] = calls && calls.length > 0 ? calls.pop() : callers[0];
      if (p.calls(caller).computations.length > 1) steps.push('/' + which + '/' + at);
      at = p.nodeOfInstruction[caller];
      // The box of a lone computation is its caller's.
      if (steps.length === 0) return this.keysTo(at, calls);
    }
    return null;
  }

  select(box) {
    this.view.selected = box;
    this.inspector.show(box);
    if (box) {
      this.outline.select(box.node);
      const p = this.program, i = box.instruction;
      this.say(i >= 0 ? `${p.opcode(i)} ${p.names[i]}, ${p.shape(i)}, ${p.operands[i].length} operands, ${p.users(i).length} users` : `${box.title}, ${box.detail}${box.expanded ? ', expanded' : ''}`);
      try { history.replaceState(null, '', i >= 0 ? '#' + encodeURIComponent(p.names[i]) : location.pathname + location.search); } catch (e) { /* a page without an address */ }
    } else {
      this.say('nothing selected');
    }
    this.view.want();
  }

  say(text) { document.getElementById('said').textContent = text; }

  toggle(box) {
    if (!box || !box.expandable) return;
    const open = this.opened();
    if (box.expanded) {
      open.delete(box.key);
    } else {
      open.add(box.key);
      // The small computations right inside.
      const calls = box.instruction >= 0 ? this.program.calls(box.instruction) : null;
      if (calls && calls.computations.length > 1) {
        calls.computations.forEach((c, which) => {
          const node = this.program.computations[c].node;
          if (this.program.children[node].length <= 60) open.add(box.key + '/' + which + '/' + node);
        });
      }
    }
    this.rebuild(box.key);
    const made = this.view.scene.byKey.get(box.key) || null;
    this.select(made);
    if (made && made.expanded) this.view.showInside(made);
  }

  alone(box) {
    if (!box || !box.expandable) return;
    if (box.instruction < 0) { this.show(box.node); return; }
    const calls = this.program.calls(box.instruction).computations;
    this.show(this.program.computations[calls[calls.length - 1]].node);
  }

  // -- Colours --
  fillColours() {
    const p = this.program, select = document.getElementById('colour');
    const ways = [['class', 'class of operation'], ['type', 'type'], ['memory', 'memory']];
    if (p.run && p.run.total) ways.push(['time', 'time']);
    if (p.run) ways.push(['health', 'health']);
    if (p.run && p.run.errors) ways.push(['error', 'error']);
    for (const [value, text] of ways) select.append(make('option', {value}, text));
    if (!ways.some(w => w[0] === this.colour)) this.colour = 'class';
    select.value = this.colour;
    select.addEventListener('change', () => { this.colour = select.value; this.most = null; this.legend(); this.view.want(); });
  }

  mix(a, b, share) {
    const number = c => parseInt(c.slice(1), 16), x = number(a), y = number(b);
    const part = shift => Math.round(((x >> shift) & 255) + (((y >> shift) & 255) - ((x >> shift) & 255)) * share);
    return '#' + ((1 << 24) | (part(16) << 16) | (part(8) << 8) | part(0)).toString(16).slice(1);
  }
  heat(share) { const c = this.view.colors; return this.mix(this.mix(c.faint, c.border, 0.4), c.orange, Math.min(1, Math.max(0, share))); }
  infinite() { const c = this.view.colors; return this.mix(c.pink, c.violet, 0.5); }

  tint(box) {
    const p = this.program, c = this.view.colors, sum = p.figures(box.node), side = this.theme === 'light' ? 2 : 1;
    if (this.colour === 'class') {
      let best = -1;
      for (let k = 0; k < 5; ++k) if (sum.classes[k] > 0 && (best < 0 || sum.classes[k] > sum.classes[best])) best = k;
      if (best < 0) best = sum.classes[5] > 0 ? 5 : sum.classes[6] > 0 ? 6 : 7;
      return {bar: p.raw.classes[best][side], note: ''};
    }
    if (this.colour === 'type') return {bar: p.raw.families[sum.families.indexOf(Math.max(...sum.families))][side], note: ''};
    if (this.colour === 'health') {
      // Of what is in a slice: how it was in the runs that are in it.
      const parts = p.instruction(box.node) >= 0 ? p.partsOf(box).filter(part => part.health > 0) : [];
      if (parts.length > 0) {
        const worst = Math.max(...parts.map(part => part.health));
        return {bar: worst === 3 ? c.pink : worst === 2 ? this.infinite() : c.green, note: healthNote(parts, worst)};
      }
      const health = p.health.sum(box.node, p.health.ofBox(box));
      if (health.nan > 0) return {bar: c.pink, note: health.nan > 1 ? 'NaN in ' + health.nan : 'NaN'};
      if (health.inf > 0) return {bar: this.infinite(), note: health.inf > 1 ? 'infinite in ' + health.inf : 'infinite'};
      return health.fine > 0 ? {bar: c.green, note: 'finite'} : {bar: c.border, note: ''};
    }
    if (this.colour === 'error') {
      const ulp = p.errors.sum(box.node, p.errors.ofBox(box)).worst;
      if (ulp < 0) return {bar: c.border, note: ''};
      return {
        bar: ulp <= 0.5 ? c.green : this.heat(0.25 + Math.log2(1 + ulp) / 12),
        note: isFinite(ulp) ? +ulp.toPrecision(3) + ' ULP' : 'not finite'
      };
    }
    const of = (s, at) => this.colour === 'time' ? s.time * p.partOfPath(at) : s.bytes;
    if (this.most === null) {
      this.most = 0;
      for (const other of this.view.scene.boxes) if (!other.expanded) this.most = Math.max(this.most, of(p.figures(other.node), other));
    }
    const amount = of(sum, box), part = this.most > 0 ? amount / this.most : 0;
    if (this.colour === 'memory') return {bar: this.heat(part > 0 ? 1 + Math.log2(part) / 16 : 0), note: (p.instruction(box.node) < 0 ? 'largest ' : '') + bytesText(amount)};
    return {bar: this.heat(Math.sqrt(part)), note: amount > 0 ? `${secondsText(amount)}  ${(100 * amount / p.run.total).toFixed(1)} %` : ''};
  }

  legend() {
    const p = this.program, c = this.view.colors, side = this.theme === 'light' ? 2 : 1, seen = new Set();
    for (const box of this.view.scene.boxes) if (!box.expanded) seen.add(this.tint(box).bar);
    const rows = {
      class: () => p.raw.classes.filter(r => seen.has(r[side])).map(r => [r[side], r[0]]), type: () => p.raw.families.filter(r => seen.has(r[side])).map(r => [r[side], r[0]]),
      time: () => [[this.heat(1), 'most time'], [this.heat(0.5), 'some'], [this.heat(0), 'none' + (p.shared ? '; the time of what several call is divided among its runs' : '')]], memory: () => ((this.most ?? 0) < 65536 ? [[1, ', the largest value; of a closed box its largest value counts']] : [[1, ', the largest value'], [0.5, ''], [0, ' and less; of a closed box its largest value counts']]).map(([heat, more]) => [this.heat(heat), bytesText(Math.max(1, Math.floor((this.most ?? 0) * 2 ** ((heat - 1) * 16)))) + more]),
      health: () => [[c.pink, 'NaN'], [this.infinite(), 'infinite'], [c.green, 'finite'], [c.border, 'not recorded']],
      error: () => [[this.heat(1), 'many ULP'], [this.heat(0.4), 'few'], [c.green, 'up to 1/2 ULP'], [c.border, 'not measured' + (p.run.worst_of ? '; the worst of ' + p.run.worst_of : '')]],
    }[this.colour]();
    const hidden = this.view.scene.boxes.some(box => box.more > 0 && !box.expanded) ? [make('span', {title: 'They are drawn when the box is selected.'}, '+N \u2193  N more arrows')] : [];
    document.getElementById('legend').replaceChildren(...rows.map(([color, text]) => make('span', null, make('i', {style: 'background:' + color}), text)), ...hidden);
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.view.readColors();
    if (this.view.scene) this.legend();
  }

  // -- Searching --
  search(text) {
    const p = this.program, list = document.getElementById('results'), result = p.search(text, 120), box = document.getElementById('search');
    this.view.found = new Set();
    // What is found inside of closed boxes marks these.
    for (const node of result.all) for (let at = node; at >= 0; at = p.parent(at)) this.view.found.add(at);
    this.result = result;
    this.at = -1;
    list.replaceChildren();
    const typed = text.trim() !== '';
    list.hidden = !typed;
    box.setAttribute('aria-expanded', String(typed));
    box.removeAttribute('aria-activedescendant');
    if (typed) {
      list.append(make('li', {class: 'total', role: 'presentation'}, result.total === 0 ? 'Nothing is called so.' : `${countText(result.total)} found` + (result.total > result.found.length ? `, the first ${result.found.length}` : '')));
      result.found.forEach((hit, k) => {
        const i = p.instruction(hit.node);
        list.append(make('li', {role: 'option', id: 'hit' + k, 'aria-selected': 'false', onmousedown: event => { event.preventDefault(); this.take(k); }},
          make('span', {class: 'mono'}, i >= 0 ? p.names[i] : p.title(hit.node)), make('span', {class: 'note'}, i >= 0 ? p.opcode(i) : p.detail(hit.node)), make('span', {class: 'teal mono'}, i >= 0 ? p.shape(i).replace(/\{[^}]*\}/g, '') : '')));
      });
    }
    this.view.want();
  }

  point(k) {
    const n = this.result ? this.result.found.length : 0;
    if (n === 0) return;
    this.at = (k + n) % n;
    for (const hit of document.querySelectorAll('#results [role=option]')) hit.setAttribute('aria-selected', String(hit.id === 'hit' + this.at));
    document.getElementById('hit' + this.at).scrollIntoView({block: 'nearest'});
    document.getElementById('search').setAttribute('aria-activedescendant', 'hit' + this.at);
  }

  take(k) {
    this.point(k);
    this.choose(this.result.found[this.at].node);
  }

  endSearch(clear) {
    const box = document.getElementById('search');
    document.getElementById('results').hidden = true;
    box.setAttribute('aria-expanded', 'false');
    if (clear) { box.value = ''; this.search(''); }
  }

  // -- Mouse and keys --
  listen() {
    const canvas = this.view.canvas, view = this.view, fingers = new Map();
    let moved = 0, spread = 0;
    const at = event => { const r = canvas.getBoundingClientRect(); return [event.clientX - r.left, event.clientY - r.top]; };
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, at(event));
      moved = 0; spread = 0;
      this.endSearch(false);
    });
    canvas.addEventListener('pointermove', event => {
      const now = at(event), was = fingers.get(event.pointerId);
      if (!was) {
        const hit = view.boxAt(now[0], now[1]), box = hit ? hit.box : null;
        if (box !== view.hovered) { view.hovered = box; view.want(); }
        canvas.style.cursor = hit ? 'pointer' : 'grab';
        canvas.title = box && box.instruction >= 0 ? `%${this.program.names[box.instruction]}  ${this.program.shape(box.instruction)}` : '';
        return;
      }
      fingers.set(event.pointerId, now);
      if (fingers.size === 2) {
        const [p, q] = [...fingers.values()], apart = Math.hypot(p[0] - q[0], p[1] - q[1]);
        if (spread > 0) view.zoomBy(apart / spread, [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2]);
        spread = apart;
        moved = 99;
      } else {
        moved += Math.abs(now[0] - was[0]) + Math.abs(now[1] - was[1]);
        if (moved > 3) { view.pan(now[0] - was[0], now[1] - was[1]); canvas.style.cursor = 'grabbing'; }
      }
    });
    const up = event => {
      if (!fingers.delete(event.pointerId) || moved > 3 || event.type === 'pointercancel') return;
      const [x, y] = at(event), hit = view.boxAt(x, y);
      if (hit && hit.chevron) this.toggle(hit.box);
      else this.select(hit ? hit.box : null);
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => { if (view.hovered) { view.hovered = null; view.want(); } });
    canvas.addEventListener('dblclick', event => { const hit = view.boxAt(...at(event)); if (hit && !hit.chevron) this.toggle(hit.box); });
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 30 : 1;
      if (event.shiftKey && !event.ctrlKey) view.pan(-event.deltaY * unit, 0);
      else view.zoomBy(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * unit)) * (event.ctrlKey ? 0.008 : 0.0016)), at(event));
    }, {passive: false});
    const map = view.map;
    const mapTo = event => { const r = map.getBoundingClientRect(); view.lookAtMap(event.clientX - r.left, event.clientY - r.top); };
    map.addEventListener('pointerdown', event => { map.setPointerCapture(event.pointerId); mapTo(event); });
    map.addEventListener('pointermove', event => { if (event.buttons) mapTo(event); });
    const search = document.getElementById('search');
    search.addEventListener('input', () => this.search(search.value));
    search.addEventListener('focus', () => { if (search.value.trim()) document.getElementById('results').hidden = false; });
    search.addEventListener('blur', () => this.endSearch(false));
    search.addEventListener('keydown', event => {
      if (event.key === 'ArrowDown') this.point(this.at + 1);
      else if (event.key === 'ArrowUp') this.point(this.at - 1);
      else if (event.key === 'Enter') { if (this.result && this.result.found.length > 0) { this.take(Math.max(0, this.at)); this.endSearch(false); canvas.focus(); } }
      else if (event.key === 'Escape') { this.endSearch(true); canvas.focus(); }
      else return;
      event.preventDefault(); event.stopPropagation();
    });
    canvas.addEventListener('keydown', event => this.key(event));
    document.addEventListener('keydown', event => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '/') { event.preventDefault(); search.focus(); search.select(); }
      else if (event.key === '?') this.help();
      else if (event.key === 'Escape') { if (this.view.found.size > 0) this.endSearch(true); else this.select(null); }
    });
    document.getElementById('theme').addEventListener('click', () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'));
    document.getElementById('fit').addEventListener('click', () => this.fit());
    document.getElementById('keys').addEventListener('click', () => this.help());
    document.getElementById('fold').addEventListener('click', () => { this.open.set(this.root, new Set()); this.select(null); this.rebuild(null); this.view.firstLook(); });
    for (const [button, panel] of [['left', 'outline-panel'], ['right', 'inspector-panel']]) {
      document.getElementById(button).addEventListener('click', () => this.showPanel(button, panel, document.getElementById(panel).hidden));
    }
  }

  showPanel(button, panel, shown) {
    document.getElementById(panel).hidden = !shown;
    document.getElementById(button).setAttribute('aria-pressed', String(shown));
    // The map lies under the outline, where it covers nothing; without the outline, in a corner of the graph.
    if (panel === 'outline-panel') document.querySelector(shown ? '#outline-panel' : '.canvas').append(this.view.map);
    this.view.want();
  }

  // In a narrow window the outline would leave no room for the graph: it is shown when asked for.
  placePanels() {
    const narrow = matchMedia('(max-width: 900px)'), place = () => this.showPanel('left', 'outline-panel', !narrow.matches);
    narrow.addEventListener('change', place);
    place();
  }

  fit() { this.view.fit({x: 0, y: 0, w: this.view.scene.width, h: this.view.scene.height}, 1.25, true); }
  help() { const dialog = document.getElementById('help'); if (dialog.open) dialog.close(); else dialog.showModal(); }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const view = this.view, middle = [view.width / 2, view.height / 2];
    if (event.key.startsWith('Arrow')) this.walk(event.key.slice(5).toLowerCase(), event.shiftKey);
    else if (event.key === 'Enter' || event.key === ' ') { if (event.shiftKey) this.alone(view.selected); else this.toggle(view.selected); }
    else if (event.key === 'Backspace') { const back = document.querySelectorAll('#crumbs button'); if (back.length > 0) back[back.length - 1].click(); }
    else if (event.key === 'f') this.fit();
    else if (event.key === '+' || event.key === '=') view.zoomBy(1.25, middle);
    else if (event.key === '-') view.zoomBy(0.8, middle);
    else if (event.key === '0') view.look(view.camera.x, view.camera.y, 1, true);
    else if (event.key === 't') document.getElementById('theme').click();
    else if (event.key === 'c') {
      const select = document.getElementById('colour');
      select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
      select.dispatchEvent(new Event('change'));
    } else return;
    event.preventDefault();
  }

  // Down to what uses it, up to what it is made from, sideways to what stands beside it; with Shift the camera moves.
  walk(way, camera) {
    const view = this.view, scene = view.scene;
    if (camera) { view.pan(...{left: [80, 0], right: [-80, 0], up: [0, 80], down: [0, -80]}[way]); return; }
    const from = view.selected;
    if (!from) {
      this.select(scene.boxes.find(b => b.parent && !b.expanded) || null);
      if (view.selected) view.show(view.selected, true);
      return;
    }
    const middle = b => [b.x + b.w / 2, b.y + (b.expanded ? 0 : b.h / 2)], here = middle(from);
    let best = null, least = Infinity;
    const consider = (box, cost) => { if (box && box !== from && box.parent && cost < least) { least = cost; best = box; } };
    if (way === 'up' || way === 'down') {
      for (const arrow of scene.arrows) {
        const other = way === 'down' && arrow.from === from ? arrow.to : way === 'up' && arrow.to === from ? arrow.from : null;
        if (other) consider(other, Math.hypot(middle(other)[0] - here[0], middle(other)[1] - here[1]) + (arrow.minor ? 1e6 : 0));
      }
    }
    if (!best) {
      for (const box of scene.boxes) {
        if (box.expanded || !box.parent) continue;
        const at = middle(box), dx = at[0] - here[0], dy = at[1] - here[1];
        const ahead = {left: -dx, right: dx, up: -dy, down: dy}[way], aside = Math.abs(way === 'left' || way === 'right' ? dy : dx);
        if (ahead > 4) consider(box, ahead + aside * 4);
      }
    }
    if (best) { this.select(best); view.show(best, true); }
  }

  // What tests ask: the boxes that are seen, with their places on the screen.
  state() {
    const view = this.view, at = view.canvas.getBoundingClientRect(), p = this.program;
    const boxes = view.scene.boxes.filter(b => b.parent).map(b => {
      const [x, y] = view.toScreen(b.x, b.y);
      return {name: b.instruction >= 0 ? p.names[b.instruction] : b.title, expandable: b.expandable, expanded: b.expanded, x: at.left + x, y: at.top + y, w: b.w * view.camera.zoom, h: (b.expanded ? TITLE : b.h) * view.camera.zoom, note: this.tint(b).note, marked: view.marked.has(b), told: b.expanded ? b.told : ''};
    });
    // How much of its arrow a label hides.
    const hides = ({arrow, r}) => {
      const q = arrow.curve, inside = [];
      for (let k = 0; k + 3 < q.length; k += 3) for (let t = 0; t < 1; t += 0.05) inside.push([0, 1].map(n => (1 - t) ** 3 * q[k][n] + 3 * (1 - t) ** 2 * t * q[k + 1][n] + 3 * (1 - t) * t * t * q[k + 2][n] + t ** 3 * q[k + 3][n]));
      return inside.filter(([x, y]) => x > r[0] && x < r[2] && y > r[1] && y < r[3]).length / inside.length;
    };
    return {boxes, labels: view.labels.map(hides), arrows: view.scene.arrows.length, selected: view.selected ? (view.selected.instruction >= 0 ? p.names[view.selected.instruction] : view.selected.title) : null, zoom: view.camera.zoom, moving: !!(view.glide || view.morph || view.wanted),
      marked: view.scene.boxes.filter(b => b.parent && !b.expanded && view.marked.has(b)).length,
      markedArrows: view.scene.arrows.filter(a => view.isMarked(a)).map(a => [a.from, a.to].map(b => b.instruction >= 0 ? p.names[b.instruction] : b.title).join(' ')), found: this.result ? this.result.total : 0, theme: this.theme, colour: this.colour, root: p.title(this.root)};
  }
}

// "finite, iteration 2; NaN, iteration 3"; of more runs than a box has room for how many are how: "NaN in 1 of 9 runs".
function healthNote(parts, worst) {
  const words = ['', 'finite', 'infinite', 'NaN'], like = parts.filter(part => part.health === worst).length;
  if (parts.length < 3) return parts.map(part => words[part.health] + shortRun(part.where)).join('; ');
  return words[worst] + (like === parts.length ? `, ${like} runs` : ` in ${like} of ${parts.length} runs`);
}

// "replica 1: body, iteration 2 of %end" as it fits on a box: ", replica 1, iteration 2".
function shortRun(where) {
  const device = /^(replica|partition) \d[^:]*/.exec(where), iteration = /iteration \d+/.exec(where);
  return [device, iteration].map(found => found ? ', ' + found[0] : '').join('');
}

(async () => {
  try {
    const program = new Program(await unpack(document.getElementById('data').textContent.trim()));
    window.hloscope = new Page(program);
    document.body.classList.remove('loading');
  } catch (error) {
    document.getElementById('trouble').textContent = 'This page cannot be shown here: ' + error.message + '. It needs a browser of 2023 or later.';
    document.getElementById('trouble').hidden = false;
    throw error;
  }
})();
