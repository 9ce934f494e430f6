// What stands round the canvas: the outline, the results of a search, and what is known of the box that is selected. Everything is text and
// buttons, so that keys and screen readers reach it.
'use strict';

// make('button', {class: 'link', onclick}, 'text', child...)
function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== '') element.append(child);
  }
  return element;
}
function svg(tag, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const numberText = x => typeof x === 'number' ? (x !== 0 && (Math.abs(x) >= 1e6 || Math.abs(x) < 1e-4) ? x.toExponential(3).replace(/\.?0+e/, 'e') : String(+x.toPrecision(5))) : String(x);
const countText = n => n.toLocaleString('en-US');

// -- The outline: scopes, computations and instructions as a tree, made as far as it is opened. --
class Outline {
  constructor(root, program, choose) {
    this.root = root; this.program = program; this.choose = choose;
    this.items = new Map();  // node -> its row
    root.addEventListener('keydown', event => this.key(event));
    for (const c of this.order()) root.append(this.item(program.computations[c].node, 1));
    const first = root.querySelector('[role=treeitem]');
    if (first) { first.tabIndex = 0; this.toggle(first, true); }
  }

  // The entry first.
  order() {
    const entry = this.program.raw.entry, rest = this.program.computations.map((c, id) => id).filter(id => id !== entry);
    return [entry, ...rest];
  }

  item(node, level) {
    const p = this.program, i = p.instruction(node), inside = p.children[node].length > 0;
    const label = i >= 0 ? p.names[i] : p.title(node);
    // Of what is listed by itself: in all its calls.
    const bad = p.health.sum(node, p.health.all(p.computationOfNode(node))).nan > 0;
    const row = make(
        'li', {
          role: 'treeitem',
          tabindex: -1,
          'aria-level': level,
          'aria-expanded': inside ? 'false' : null,
          'aria-selected': 'false',
          title: i >= 0 ? p.opcode(i) + ' ' + p.shape(i) : p.raw.nodes.path[node]
        },
        make(
            'div', {class: 'row', style: '--depth:' + level}, make('span', {class: 'twist', 'aria-hidden': 'true'}),
            make('span', {class: 'name' + (i >= 0 ? ' mono' : '')}, label), bad ? make('span', {class: 'badge bad'}, 'NaN') : null,
            make('span', {class: 'count'}, i >= 0 ? p.opcode(i) : countText(p.inside(node)))));
    row.node = node;
    row.addEventListener('click', event => {
      event.stopPropagation();
      if (event.target.classList.contains('twist')) this.toggle(row);
      else { this.select(node); this.choose(node); }
    });
    row.addEventListener('dblclick', event => { event.stopPropagation(); this.toggle(row); });
    this.items.set(node, row);
    return row;
  }

  toggle(row, open) {
    if (!row.hasAttribute('aria-expanded')) return;
    const now = row.getAttribute('aria-expanded') === 'true';
    if (open === undefined) open = !now;
    if (open === now) return;
    row.setAttribute('aria-expanded', String(open));
    let list = row.querySelector(':scope > ul');
    if (open && !list) {
      list = make('ul', {role: 'group'});
      for (const child of this.program.children[row.node]) list.append(this.item(child, +row.getAttribute('aria-level') + 1));
      row.append(list);
    }
    if (list) list.hidden = !open;
  }

  // Opens what lies round it and marks it.
  select(node) {
    const chain = [];
    for (let at = node; at >= 0; at = this.program.parent(at)) chain.unshift(at);
    for (const at of chain.slice(0, -1)) if (this.items.has(at)) this.toggle(this.items.get(at), true);
    for (const row of this.root.querySelectorAll('[aria-selected=true]')) row.setAttribute('aria-selected', 'false');
    const row = this.items.get(node);
    if (!row) return;
    row.setAttribute('aria-selected', 'true');
    for (const other of this.root.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    row.tabIndex = 0;
    row.firstChild.scrollIntoView({block: 'nearest'});
  }

  key(event) {
    const row = event.target.closest('[role=treeitem]');
    if (!row) return;
    const rows = [...this.root.querySelectorAll('[role=treeitem]')].filter(r => r.offsetParent !== null), at = rows.indexOf(row);
    const open = row.getAttribute('aria-expanded');
    let to = null;
    if (event.key === 'ArrowDown') to = rows[at + 1];
    else if (event.key === 'ArrowUp') to = rows[at - 1];
    else if (event.key === 'Home') to = rows[0];
    else if (event.key === 'End') to = rows[rows.length - 1];
    else if (event.key === 'ArrowRight') { if (open === 'false') this.toggle(row, true); else if (open === 'true') to = rows[at + 1]; }
    else if (event.key === 'ArrowLeft') { if (open === 'true') this.toggle(row, false); else to = row.parentElement.closest('[role=treeitem]'); }
    else if (event.key === 'Enter' || event.key === ' ') { this.select(row.node); this.choose(row.node); }
    else return;
    event.preventDefault(); event.stopPropagation();
    if (to) { row.tabIndex = -1; to.tabIndex = 0; to.focus(); }
  }
}

// -- The inspector --
function fact(name, ...content) { return [make('dt', null, name), make('dd', null, ...content)]; }

function histogram(v) {
  const most = Math.max(...v.bins), w = 228, h = 56, n = v.bins.length, each = w / n;
  const picture = svg('svg', {viewBox: `0 0 ${w} ${h + 1}`, width: w, height: h + 1, class: 'histogram', role: 'img', 'aria-label': `histogram from ${numberText(v.min)} to ${numberText(v.max)}`});
  v.bins.forEach((count, k) => {
    if (count === 0) return;
    const high = Math.max(1.5, h * count / most);
    const low = v.min + (v.max - v.min) * k / n, up = v.min + (v.max - v.min) * (k + 1) / n;
    picture.append(svg('rect', {x: (k * each).toFixed(2), y: (h - high).toFixed(2), width: (each - 1.2).toFixed(2), height: high.toFixed(2)},
      svg('title', {}, `${numberText(low)} to ${numberText(up)}: ${countText(count)}`)));
  });
  picture.append(svg('line', {x1: 0, x2: w, y1: h + 0.5, y2: h + 0.5}));
  return picture;
}

function valueCard(v, shape) {
  const bad = (v.nan || 0) + (v.inf || 0);
  const card = make('section', {class: 'value'});
  if (v.leaf) card.append(make('h3', {class: 'mono'}, v.leaf));
  if (v.n === 1) {
    card.append(make('p', {class: 'single mono' + (bad ? ' bad' : '')}, v.first[0]));
    return card;
  }
  card.append(make('dl', null,
    v.finite > 0 ? fact('range', `${numberText(v.min)} .. ${numberText(v.max)}`) : null, v.finite > 0 ? fact('mean', numberText(v.mean)) : null,
    fact('elements', countText(v.n)),
    fact('trouble', v.nan ? make('span', {class: 'bad'}, `${countText(v.nan)} NaN`) : null, v.nan && v.inf ? ', ' : '', v.inf ? make('span', {class: 'bad'}, `${countText(v.inf)} infinite`) : null,
      bad === 0 ? make('span', {class: 'good'}, 'no NaN, no infinity') : null),
    v.nanTimes > 1 || (v.nanTimes && !v.nan) ? fact('NaN in', `${countText(v.nanTimes)} of its times`) : null,
    v.zeros ? fact('zeros', countText(v.zeros)) : null));
  if (v.bins) card.append(histogram(v));
  if (v.first && v.first.length > 0) card.append(make('p', {class: 'first mono'}, v.first.join('  ') + (v.n > v.first.length ? '  \u2026' : '')));
  return card;
}

class Inspector {
  // `act`: {choose(node), toggle(), alone()}.
  constructor(root, program, act) {
    this.root = root; this.program = program; this.act = act;
  }

  link(i) {
    const p = this.program;
    return make('button', {class: 'link mono', onclick: () => this.act.choose(p.nodeOfInstruction[i]), title: p.opcode(i) + ' ' + p.shape(i)}, p.names[i]);
  }

  links(list) {
    const out = [];
    list.slice(0, 24).forEach((i, k) => { if (k > 0) out.push(', '); out.push(this.link(i)); });
    if (list.length > 24) out.push(` and ${countText(list.length - 24)} more`);
    return out.length > 0 ? out : ['none'];
  }

  show(box) {
    this.root.replaceChildren();
    if (!box) {
      this.overview();
      return;
    }
    if (box.instruction >= 0) this.instruction(box); else this.scope(box);
  }

  buttons(box) {
    const expandable = box.expandable;
    return expandable ? make('div', {class: 'buttons'}, make('button', {id: 'toggle', onclick: () => this.act.toggle()}, box.expanded ? 'Collapse' : 'Expand'),
      make('button', {onclick: () => this.act.alone(), title: 'This alone, with the way back above the graph'}, 'Show alone')) : null;
  }

  instruction(box) {
    const p = this.program, i = box.instruction, run = p.values(i), here = p.health.ofBox(box),
          several = p.health.all(p.computationOf[i]).length, ulp = p.errors.at(p.errors.ofBox(box), i), calls = p.calls(i),
          c = p.computations[p.computationOf[i]], frames = p.source(i).split('\n').filter(f => f);
    this.root.append(make('h2', null, p.opcode(i), make('span', {class: 'mono sub'}, p.names[i])));
    const buttons = this.buttons(box);
    if (buttons) this.root.append(buttons);
    const formula = p.formula(i);
    if (formula) this.root.append(make('pre', {class: 'formula mono'}, formula));
    this.root.append(make(
        'dl', {class: 'facts'},
        fact('shape', make('span', {class: 'teal mono'}, p.shape(i)), make('span', {class: 'note'}, '  ' + bytesText(p.bytes(i)))),
        fact(
            'in', make('button', {class: 'link mono', onclick: () => this.act.choose(c.node)}, c.name),
            c.root === i ? make('span', {class: 'note'}, '  its result') : null),
        fact('operands', this.links(p.operands[i])), fact('users', this.links(p.users(i))),
        calls ? fact(
                    'calls',
                    calls.computations
                        .map(
                            (id, k) =>
                                [k > 0 ? ', ' : '',
                                 make(
                                     'button', {class: 'link mono', onclick: () => this.act.choose(p.computations[id].node)},
                                     p.computations[id].name)])
                        .flat()) :
                null,
        p.scope(i) ? fact('scope', make('span', {class: 'wrap'}, p.scope(i))) : null,
        frames.length > 0 ? fact(
                                'source', frames.map((f, k) => make('div', {class: k > 0 ? 'note' : ''}, f)),
                                p.sourceLine(i) ? make('pre', {class: 'line mono'}, p.sourceLine(i)) : null) :
                            null,
        run && run.t !== undefined ?
            fact(
                'time', secondsText(run.t),
                make('span', {class: 'note'}, `  ${(100 * run.t / p.run.total).toFixed(1)} %`)) :
            null,
        run && run.times ?
            fact(
                'executed', `${countText(run.times)} times`,
                make('span', {class: 'note'}, several > 1 ? `  in ${several} calls, the last is shown` : '  the last is shown')) :
                                                            null,
        ulp !== undefined ?
                                                            fact(
                                                                'error', isFinite(ulp) ? numberText(ulp) + ' ULP' : 'not finite',
                                                                make('span', {class: 'note'}, p.run.worst_of ? '  the worst of a sample, against f64' : '  at most, against f64')) :
                                                            null));
    const parts = p.partsOf(box);
    if (parts.length > 0) {
      this.root.append(make('h3', null, 'In the slice'), make('dl', {class: 'facts'}, parts.flatMap(part => fact(part.where || c.name, make('span', {class: 'mono' + (part.health > 1 ? ' bad' : '')}, part.value)))));
    }
    if (run && run.v && here.length === 0 && p.callers[p.computationOf[i]].length > 0) {
      this.root.append(make('p', {class: 'note'}, 'Its value was not recorded in this call: it was not executed here.'));
    } else if (run && run.v) {
      const health = several > 1 && here.length < several ? ['', 'finite', 'infinite', 'NaN'][p.health.at(here, i) || 0] : '';
      this.root.append(make('h3', null, 'Value'), health ? make('p', {class: 'note'}, `In this call: ${health}. The numbers are of the last of ${several} calls.`) : '', parts.length > 0 && run.times ? make('p', {class: 'note'}, `The last of ${countText(run.times)}:`) : '');
      run.v.forEach(v => this.root.append(valueCard(v)));
    } else if (p.run) {
      this.root.append(make('p', {class: 'note'}, 'Its value was not recorded: it hands on what others made, or was not executed.'));
    }
    if (p.texts[i]) this.root.append(make('h3', null, 'Text'), make('pre', {class: 'text mono'}, p.texts[i]), p.raw.line[i] > 0 ? make('p', {class: 'note'}, `${p.raw.file}:${p.raw.line[i]}`) : '');
  }

  // Instructions below a node that the test holds for, also in what is called there.
  those(node, test, most) {
    const p = this.program, out = [], seen = new Set();
    const go = at => {
      p.forEachIn(at, i => {
        if (test(i)) out.push(i);
        const calls = p.calls(i);
        if (calls) for (const c of calls.computations) if (!seen.has(c)) { seen.add(c); go(p.computations[c].node); }
      });
    };
    go(node);
    return out;
  }

  troubles(node, calls) {
    const bad = this.program.health.those(node, calls, 3);
    return bad.length > 0 ? [make('h3', {class: 'bad'}, `NaN in ${countText(bad.length)} ${bad.length === 1 ? 'instruction' : 'instructions'}`), make('p', null, this.links(bad))] : [];
  }

  longest(node) {
    const p = this.program;
    if (!p.run || !p.run.total) return [];
    const list = this.those(node, i => { const run = p.values(i); return run && run.t > 0 && !p.calls(i); }).sort((a, b) => p.values(b).t - p.values(a).t).slice(0, 8);
    return list.length === 0 ? [] : [make('h3', null, 'Longest'), make('table', null, list.map(i => make('tr', null, make('td', null, this.link(i)), make('td', {class: 'note'}, p.opcode(i)), make('td', {class: 'number'}, secondsText(p.values(i).t)))))];
  }

  scope(box) {
    const p = this.program, node = box.node, sum = p.figures(node);
    this.root.append(make('h2', null, box.title, make('span', {class: 'mono sub'}, p.kind(node) === 'c' ? 'computation' : p.kind(node) === 's' ? 'scope' : 'part')));
    const buttons = this.buttons(box);
    if (buttons) this.root.append(buttons);
    const callers = p.kind(node) === 'c' ? [...new Set(p.callers[p.raw.nodes.what[node]].map(call => call[0]))] : [];
    this.root.append(make('dl', {class: 'facts'},
      fact('inside', `${countText(p.inside(node))} instructions`), p.below(node) ? fact('mostly', p.below(node)) : null,
      p.kind(node) === 's' ? fact('scope', make('span', {class: 'wrap'}, p.raw.nodes.path[node])) : null,
      callers.length > 0 ? fact('called by', this.links(callers)) : null,
      fact('largest', bytesText(sum.bytes)),
      p.run && sum.time > 0 ? fact('time', secondsText(sum.time * p.partOfPath(box)), make('span', {class: 'note'}, `  ${(100 * sum.time * p.partOfPath(box) / p.run.total).toFixed(1)} %`)) : null));
    this.root.append(...this.troubles(node, p.health.ofBox(box)), ...this.longest(node));
  }

  overview() {
    const p = this.program, entry = p.computations[p.raw.entry];
    this.root.append(make('h2', null, p.raw.module, make('span', {class: 'mono sub'}, 'program')));
    this.root.append(make('dl', {class: 'facts'},
      fact('file', make('span', {class: 'wrap'}, p.raw.file)), fact('size', `${countText(p.count)} instructions in ${countText(p.computations.length)} ${p.computations.length === 1 ? 'computation' : 'computations'}`),
      p.run ? fact('run', `on ${p.run.backend}, ${p.run.inputs}`) : fact('run', 'none: only the program is shown'),
      p.run && p.run.error ? fact('stopped', make('span', {class: 'bad'}, p.run.error)) : null,
      p.run && p.run.total ? fact('time', secondsText(p.run.total)) : null));
    for (const note of p.raw.notes) this.root.append(make('p', {class: 'note'}, note));
    this.root.append(...this.troubles(entry.node, p.health.all(p.raw.entry)), ...this.longest(entry.node));
    this.root.append(make('p', {class: 'note'}, 'Click a box for what is known of it; a double click opens it. / searches, ? lists the keys.'));
  }
}
