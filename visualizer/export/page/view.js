// The canvas: the camera, cards and arrows as the window draws them (panels/graph_view.cc), the map in the corner. Knows a scene and what is
// lit up in it.
'use strict';

const UI = 'Inter, system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif', MONO = '"JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

class View {
  constructor(canvas, map) {
    this.canvas = canvas;
    this.map = map;
    this.g = canvas.getContext('2d');
    this.camera = {x: 0, y: 0, zoom: 1};  // the scene's point in the middle
    this.scene = null;
    this.tint = () => ({bar: '#888', note: ''});
    this.selected = null; this.hovered = null;  // boxes
    this.found = new Set();                     // nodes
    this.marked = new Set();                    // boxes of a way or a slice
    this.markedArrows = null;                   // of a slice: 'from to'; null: all between marked boxes
    this.motion = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.glide = null; this.morph = null;
    this.labels = [];                           // as drawn: {arrow, r}
    this.untouched = false;                     // nobody has moved the camera since the first look
    this.textWidths = new Map();
    this.colors = {};
    this.wanted = false;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  readColors() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['window', 'panel', 'raised', 'sunken', 'border', 'hover', 'active', 'text', 'dim', 'faint', 'amber', 'red', 'blue', 'teal', 'pink', 'green', 'violet', 'orange']) {
      this.colors[name] = style.getPropertyValue('--hls-' + name).trim();
    }
    this.want();
  }

  resize() {
    const at = this.canvas.parentElement.getBoundingClientRect(), ratio = devicePixelRatio || 1;
    this.width = at.width; this.height = at.height; this.ratio = ratio;
    this.canvas.width = Math.round(at.width * ratio); this.canvas.height = Math.round(at.height * ratio);
    this.canvas.style.width = at.width + 'px'; this.canvas.style.height = at.height + 'px';
    if (this.untouched) this.firstLook(); else this.want();
  }

  want() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(now => { this.wanted = false; this.frame(now); });
  }

  // -- Camera --
  toScreen(x, y) { return [this.width / 2 + (x - this.camera.x) * this.camera.zoom, this.height / 2 + (y - this.camera.y) * this.camera.zoom]; }
  toScene(x, y) { return [this.camera.x + (x - this.width / 2) / this.camera.zoom, this.camera.y + (y - this.height / 2) / this.camera.zoom]; }

  look(x, y, zoom, glide) {
    this.untouched = false;
    zoom = Math.min(2.5, Math.max(0.02, zoom));
    if (!glide || !this.motion) {
      this.camera = {x, y, zoom};
      this.glide = null;
    } else {
      this.glide = {from: {...this.camera}, to: {x, y, zoom}, since: performance.now()};
    }
    this.want();
  }

  zoomBy(factor, at) {
    this.untouched = false;
    this.glide = null;
    const fixed = this.toScene(at[0], at[1]);
    this.camera.zoom = Math.min(2.5, Math.max(0.02, this.camera.zoom * factor));
    const now = this.toScene(at[0], at[1]);
    this.camera.x += fixed[0] - now[0]; this.camera.y += fixed[1] - now[1];
    this.want();
  }

  pan(dx, dy) {
    this.untouched = false;
    this.glide = null;
    this.camera.x -= dx / this.camera.zoom; this.camera.y -= dy / this.camera.zoom;
    this.want();
  }

  fit(box, most, glide) {
    const margin = 20, zoom = Math.min((this.width - 2 * margin) / Math.max(1, box.w), (this.height - 2 * margin) / Math.max(1, box.h), most);
    this.look(box.x + box.w / 2, box.y + box.h / 2, zoom, glide);
  }

  // All of it where that can be read; else the beginning, with its first row as a whole.
  firstLook() {
    const scene = this.scene, margin = 20;
    this.fit({x: 0, y: 0, w: scene.width, h: scene.height}, 1, false);
    if (this.camera.zoom < 0.6) {
      const zoom = 0.8, wide = this.width / zoom, high = this.height / zoom;
      let sum = 0, count = 0;
      for (const box of scene.boxes) {
        if (box.expanded || box.y > high * 0.7) continue;
        sum += box.x + box.w / 2; ++count;
      }
      const middle = count > 0 ? sum / count : scene.width / 2, least = wide / 2 - margin / zoom, most = scene.width - least;
      this.look(most < least ? scene.width / 2 : Math.min(most, Math.max(least, middle)), high / 2 - margin / zoom, zoom, false);
    }
    this.untouched = true;
  }

  // Brings a box into view; where it is already, nothing moves.
  show(box, glide) {
    const [x0, y0] = this.toScreen(box.x, box.y), [x1, y1] = this.toScreen(box.x + Math.min(box.w, 260), box.y + Math.min(box.h, 80));
    if (x0 > 10 && y0 > 10 && x1 < this.width - 10 && y1 < this.height - 10 && this.camera.zoom >= 0.55) return;
    this.look(box.x + Math.min(box.w, 260) / 2, box.y + Math.min(box.h, 80) / 2, Math.max(this.camera.zoom, 0.85), glide);
  }

  // Moves so that as much as possible of an opened box is seen, its title first.
  showInside(box) {
    const [x0, y0] = this.toScreen(box.x, box.y), [x1, y1] = this.toScreen(box.x + box.w, box.y + box.h), margin = 16;
    const shift = (from, to, high) => to - from > high - 2 * margin ? from - margin : from < margin ? from - margin : to > high - margin ? to - (high - margin) : 0;
    const dx = shift(x0, x1, this.width), dy = shift(y0, y1, this.height);
    if (dx || dy) this.look(this.camera.x + dx / this.camera.zoom, this.camera.y + dy / this.camera.zoom, this.camera.zoom, true);
  }

  // Another scene; what `anchor` names stays where it is, and what both have moves to its new place.
  take(scene, anchor) {
    const before = this.scene;
    this.scene = scene;
    this.morph = null;
    if (before && anchor) {
      const was = before.byKey.get(anchor), is = scene.byKey.get(anchor);
      if (was && is) {
        this.camera.x += is.x - was.x; this.camera.y += is.y - was.y;
        if (this.motion && scene.boxes.length < 4000) {
          this.morph = {since: performance.now(), from: new Map(before.boxes.map(b => [b.key, [b.x + is.x - was.x, b.y + is.y - was.y, b.w, b.h]]))};
        }
      }
    }
    if (anchor) this.untouched = false;
    this.selected = this.selected ? scene.byKey.get(this.selected.key) || null : null;
    this.hovered = null;
    this.want();
  }

  boxAt(x, y) {
    if (!this.scene) return null;
    const [sx, sy] = this.toScene(x, y);
    for (let k = this.scene.boxes.length - 1; k > 0; --k) {
      const box = this.scene.boxes[k], h = box.expanded ? TITLE : box.h;
      if (sx < box.x || sx >= box.x + box.w || sy < box.y || sy >= box.y + h) continue;
      const chevron = box.expandable && (box.expanded ? sx < box.x + 28 : sx > box.x + box.w - 24 && sy < box.y + 26);
      return {box, chevron};
    }
    return null;
  }

  // -- Drawing --
  frame(now) {
    if (!this.scene) return;
    if (this.glide) {
      let t = Math.min(1, (now - this.glide.since) / 180);
      const {from, to} = this.glide;
      if (t >= 1) this.glide = null; else this.want();
      t = t * t * (3 - 2 * t);
      this.camera = {x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t, zoom: from.zoom * Math.pow(to.zoom / from.zoom, t)};
    }
    let morphed = 1;
    if (this.morph) {
      morphed = Math.min(1, Math.max(0, (now - this.morph.since) / 200));
      if (morphed >= 1) this.morph = null; else this.want();
      morphed = morphed * morphed * (3 - 2 * morphed);
    }
    this.morphed = morphed;
    const g = this.g, c = this.colors, z = this.camera.zoom;
    g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    g.fillStyle = c.panel;
    g.fillRect(0, 0, this.width, this.height);
    g.setTransform(this.ratio * z, 0, 0, this.ratio * z, this.ratio * (this.width / 2 - this.camera.x * z), this.ratio * (this.height / 2 - this.camera.y * z));
    const low = this.toScene(0, 0), high = this.toScene(this.width, this.height);
    const seen = (x, y, w, h) => x + w >= low[0] && x <= high[0] && y + h >= low[1] && y <= high[1];
    for (const box of this.scene.boxes) {
      if (!box.expanded || !box.parent) continue;
      const [x, y, w, h] = this.rect(box);
      if (seen(x, y, w, h)) this.drawCluster(box, x, y, w, h);
    }
    const lit = [], drawn = [];
    for (const arrow of this.scene.arrows) {
      if (arrow.right < low[0] || arrow.left > high[0] || arrow.bottom < low[1] || arrow.top > high[1]) continue;
      const at = this.selected, over = this.hovered;
      if (arrow.from === at || arrow.to === at || arrow.from === over || arrow.to === over) lit.push(arrow);
      else if (!arrow.minor) drawn.push(arrow);
    }
    g.globalAlpha = morphed < 1 ? morphed : 1;
    for (const arrow of drawn) this.drawArrow(arrow, c.faint, arrow.order ? 0.35 : 0.62, 0);
    for (const arrow of drawn) if (this.isMarked(arrow)) this.drawArrow(arrow, c.blue, 0.8, 0.4);
    for (const arrow of lit) this.drawArrow(arrow, c.blue, 0.95, 0.6);
    g.globalAlpha = 1;
    for (const box of this.scene.boxes) {
      if (!box.expanded || !box.parent) continue;
      const [x, y, w, h] = this.rect(box);
      if (seen(x, y, w, h)) this.drawTitle(box, x, y, w);
    }
    this.visible = 0;
    for (const box of this.scene.boxes) {
      if (box.expanded) continue;
      const [x, y, w, h] = this.rect(box);
      if (!seen(x - 4, y - 16, w + 8, h + 32)) continue;
      ++this.visible;
      this.drawCard(box, x, y, w, h);
    }
    if (morphed === 1 && z >= 0.5) this.drawLabels(lit, z >= 0.75 && drawn.length < 400 ? drawn : [], seen);
    this.drawMap();
    if (this.onFrame) this.onFrame();
  }

  rect(box) {
    if (this.morphed >= 1 || !this.morph) return [box.x, box.y, box.w, box.h];
    let was = this.morph.from.get(box.key);
    const t = this.morphed;
    if (!was) {
      // What was not there grows out of what it lies in.
      let around = box.parent;
      while (around && !this.morph.from.get(around.key)) around = around.parent;
      if (!around) return [box.x, box.y, box.w, box.h];
      const [ax, ay, aw, ah] = this.morph.from.get(around.key);
      const fx = (box.x - around.x) / around.w, fy = (box.y - around.y) / around.h;
      was = [ax + fx * aw, ay + fy * ah, box.w * aw / around.w, box.h * ah / around.h];
    }
    return [was[0] + (box.x - was[0]) * t, was[1] + (box.y - was[1]) * t, was[2] + (box.w - was[2]) * t, was[3] + (box.h - was[3]) * t];
  }

  round(x, y, w, h, r) {
    const g = this.g;
    g.beginPath();
    g.roundRect(x, y, w, h, r);
  }

  drawCluster(box, x, y, w, h) {
    const g = this.g, c = this.colors, lit = box === this.selected || box === this.hovered;
    this.round(x, y, w, h, 7);
    g.globalAlpha = 0.06; g.fillStyle = c.faint; g.fill();
    g.globalAlpha = lit ? 0.9 : 0.4; g.strokeStyle = lit ? c.blue : c.faint; g.lineWidth = lit ? 1.6 : 1; g.stroke();
    g.globalAlpha = 1;
  }

  drawTitle(box, x, y, w) {
    const g = this.g, c = this.colors, lit = box === this.selected || box === this.hovered;
    if (13 * this.camera.zoom < 5) return;
    // The title stays in view while one looks at the inside.
    const left = Math.max(x, Math.min(this.toScene(0, 0)[0], x + w - 260));
    const title = this.fitted(box.title, '600 12px ' + UI, w - 60);
    // Over the arrows that come in.
    const used = this.widthOf(title, '600 12px ' + UI) + 8, room = w - 40 - used, tint = this.tint(box);
    // Where not both fit, the measure that was asked for.
    const both = box.detail + (box.detail && tint.note ? '  ' : '') + tint.note;
    const detail = this.fitted(tint.note && this.widthOf(both, '10px ' + MONO) > room ? tint.note : both, '10px ' + MONO, room);
    box.told = detail;
    g.globalAlpha = 0.9; g.fillStyle = c.panel;
    this.round(left + 4, y + 4, used + 26 + this.widthOf(detail, '10px ' + MONO), 22, 4); g.fill();
    g.globalAlpha = 1;
    g.fillStyle = tint.bar; g.fillRect(left + 4, y + 8, 3, 14);
    this.chevron(left + 15, y + 15, true, lit ? c.text : c.dim);
    g.fillStyle = lit ? c.text : c.dim; g.font = '600 12px ' + UI;
    g.fillText(title, left + 27, y + 19);
    g.fillStyle = c.faint; g.font = '10px ' + MONO;
    g.fillText(detail, left + 27 + used, y + 19);
  }

  chevron(x, y, down, color) {
    const g = this.g;
    g.beginPath();
    if (down) { g.moveTo(x - 4, y - 2); g.lineTo(x, y + 2); g.lineTo(x + 4, y - 2); } else { g.moveTo(x - 2, y - 4); g.lineTo(x + 2, y); g.lineTo(x - 2, y + 4); }
    g.strokeStyle = color; g.lineWidth = 1.5; g.stroke();
  }

  drawCard(box, x, y, w, h) {
    const g = this.g, c = this.colors, tint = this.tint(box), hovered = box === this.hovered, selected = box === this.selected, found = this.found.has(box.node) || this.marked.has(box);
    if (box.expandable && box.instruction < 0) {
      this.round(x + 3, y + 3, w, h, 5);
      g.fillStyle = c.panel; g.fill();
      g.strokeStyle = c.border; g.lineWidth = 1; g.stroke();
    }
    this.round(x, y, w, h, 5);
    g.fillStyle = hovered ? c.hover : c.raised; g.fill();
    if (found) { g.globalAlpha = 0.16; g.fillStyle = c.blue; g.fill(); g.globalAlpha = 1; }
    g.save();
    g.clip();
    g.fillStyle = tint.bar; g.fillRect(x, y, 4, h);
    g.restore();
    this.round(x, y, w, h, 5);
    g.strokeStyle = selected ? c.amber : found ? c.blue : hovered ? c.dim : c.faint;
    g.globalAlpha = selected || found || hovered ? 1 : 0.45;
    g.lineWidth = selected ? 2 : 1; g.stroke();
    g.globalAlpha = 1;
    if (11 * this.camera.zoom < 4.5) return;
    const left = x + 13, room = w - 21 - (box.expandable ? 14 : 0), two = h > 30, first = two ? y + 18 : y + h / 2 + 4.5;
    if (box.expandable) this.chevron(x + w - 13, first - 4.5, false, hovered ? c.text : c.faint);
    const title = this.fitted(box.title, '13px ' + UI, room);
    g.font = '13px ' + UI; g.fillStyle = c.text;
    g.fillText(title, left, first);
    const used = this.widthOf(title, '13px ' + UI) + 6;
    g.font = '11px ' + MONO; g.fillStyle = c.faint;
    g.fillText(this.fitted(box.detail, '11px ' + MONO, room - used), left + used, first);
    if (two) {
      g.fillStyle = box.instruction >= 0 && !tint.note ? c.teal : c.dim;
      g.fillText(this.fitted(tint.note || box.below, '11px ' + MONO, w - 19), left, y + 35);
    }
    if (box.more > 0 && this.camera.zoom > 0.5) {
      // On the edge: so many arrows go out there and are not drawn until the box is selected.
      const text = '+' + box.more + ' \u2193', wide = this.widthOf(text, '10px ' + MONO) + 8;
      // Where no arrow begins.
      let at = x + 7;
      const taken = () => box.ends.some(end => end > at - 6 && end < at + wide + 6);
      while (taken() && at + wide + 15 < x + w) at += 8;
      if (taken()) at = x + 7;
      this.round(at, y + h - 3, wide, 12, 6);
      g.fillStyle = c.panel; g.fill();
      g.globalAlpha = 0.55; g.strokeStyle = c.faint; g.lineWidth = 1; g.stroke(); g.globalAlpha = 1;
      g.font = '10px ' + MONO; g.fillStyle = hovered || selected ? c.blue : c.dim;
      g.fillText(text, at + 4, y + h + 6.5);
    }
  }

  isMarked(arrow) {
    if (!this.marked.has(arrow.from) || !this.marked.has(arrow.to)) return false;
    return this.markedArrows === null || this.markedArrows.has(arrow.from.key + ' ' + arrow.to.key);
  }

  drawArrow(arrow, color, alpha, more) {
    const g = this.g, q = arrow.curve, z = this.camera.zoom;
    const weight = arrow.bytes <= 0 ? 0 : Math.min(2.2, Math.max(0, Math.log2(1 + arrow.bytes / 1024) / 9));
    const thick = Math.max(1 / z, (0.9 + weight + more) * Math.min(1.3, 1 / Math.sqrt(z)));
    g.save();
    g.globalAlpha *= alpha;
    g.strokeStyle = color; g.lineWidth = thick;
    if (arrow.order) g.setLineDash([4, 3]);
    g.beginPath();
    g.moveTo(q[0][0], q[0][1]);
    for (let k = 1; k + 2 < q.length; k += 3) g.bezierCurveTo(q[k][0], q[k][1], q[k + 1][0], q[k + 1][1], q[k + 2][0], q[k + 2][1]);
    g.stroke();
    if (z > 0.3) {
      const end = q[q.length - 1], before = q[q.length - 2], dx = end[0] - before[0], dy = end[1] - before[1], length = Math.hypot(dx, dy);
      if (length > 0.5) {
        const head = 3.5 + thick, ux = dx / length, uy = dy / length;
        g.setLineDash([]);
        g.fillStyle = color;
        g.beginPath();
        g.moveTo(end[0], end[1]);
        g.lineTo(end[0] - ux * head * 1.6 - uy * head * 0.7, end[1] - uy * head * 1.6 + ux * head * 0.7);
        g.lineTo(end[0] - ux * head * 1.6 + uy * head * 0.7, end[1] - uy * head * 1.6 - ux * head * 0.7);
        g.fill();
      }
    }
    g.restore();
  }

  // Where the layout has made room; else beside the arrow, beginning in its middle; on it only where it is long enough to be seen all the same.
  // Over no other arrow.
  drawLabels(lit, drawn, seen) {
    const taken = [], all = lit.concat(drawn);
    this.labels = [];
    for (const box of this.scene.boxes) {
      if (box.parent && seen(box.x, box.y, box.w, box.h)) taken.push([box.x, box.y, box.x + box.w, box.y + (box.expanded ? 26 : box.h)]);
    }
    const place = (arrow, on) => {
      const p = this.scene.program, text = arrow.again ? 'next iteration' : arrow.count === 1 ? p.shape(arrow.value).replace(/\{[^}]*\}/g, '') : arrow.count > 1 ? arrow.count + ' values, ' + bytesText(arrow.bytes) : '';
      if (!text) return;
      const short = text.length > 30 ? text.slice(0, 14) + '\u2026, ' + bytesText(arrow.bytes) : text;
      const w = short.length * 6 + 8, h = 14;
      for (const [x, y] of labelPlaces(arrow, w, h)) {
        const r = [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
        if (!seen(r[0], r[1], w, h) || taken.some(o => !(r[2] < o[0] || r[0] > o[2] || r[3] < o[1] || r[1] > o[3]))) continue;
        if (all.some(other => other !== arrow && runsThrough(other, r))) continue;
        taken.push(r);
        this.labels.push({arrow, r});
        const g = this.g;
        g.globalAlpha = 0.88; g.fillStyle = this.colors.panel;
        this.round(r[0], r[1], w, h, 3); g.fill();
        g.globalAlpha = 1; g.fillStyle = on ? this.colors.blue : this.colors.faint; g.font = '10px ' + MONO; g.textAlign = 'center';
        g.fillText(short, x, y + 3.5);
        g.textAlign = 'left';
        return;
      }
    };
    for (const arrow of lit) if (!arrow.minor || lit.length <= 10) place(arrow, true);
    // Of many only those that say what the box above does not.
    for (const arrow of drawn) if (drawn.length <= 48 || arrow.from.instruction < 0 || arrow.from.instruction !== arrow.value) place(arrow, false);
  }

  widthOf(text, font) {
    let known = this.textWidths.get(font);
    if (!known) this.textWidths.set(font, known = new Map());
    let width = known.get(text);
    if (width === undefined) {
      if (known.size > 20000) known.clear();
      this.g.font = font;
      known.set(text, width = this.g.measureText(text).width);
    }
    return width;
  }

  // Cut with an ellipsis.
  fitted(text, font, room) {
    if (room <= 8 || text === '') return '';
    if (this.widthOf(text, font) <= room) return text;
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.widthOf(text.slice(0, middle) + '\u2026', font) <= room) low = middle; else high = middle - 1;
    }
    return low === 0 ? '' : text.slice(0, low) + '\u2026';
  }

  // -- The map --
  mapScale() {
    const w = this.map.clientWidth, h = this.map.clientHeight, scale = Math.min((w - 10) / Math.max(1, this.scene.width), (h - 10) / Math.max(1, this.scene.height));
    return {w, h, scale, x: (w - this.scene.width * scale) / 2, y: (h - this.scene.height * scale) / 2};
  }

  drawMap() {
    const all = this.scene.width * this.camera.zoom <= this.width && this.scene.height * this.camera.zoom <= this.height;
    this.map.classList.toggle('idle', all);
    if (all) return;
    const m = this.mapScale(), ratio = this.ratio;
    if (this.map.width !== Math.round(m.w * ratio)) { this.map.width = Math.round(m.w * ratio); this.map.height = Math.round(m.h * ratio); }
    const g = this.map.getContext('2d'), c = this.colors;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, m.w, m.h);
    const step = Math.max(1, Math.floor(this.scene.boxes.length / 3000));
    for (let k = 1; k < this.scene.boxes.length; k += step) {
      const box = this.scene.boxes[k];
      g.globalAlpha = box.expanded ? 0.14 : 0.8;
      g.fillStyle = box === this.selected ? c.amber : box.expanded ? c.faint : this.tint(box).bar;
      g.fillRect(m.x + box.x * m.scale, m.y + box.y * m.scale, Math.max(2, box.w * m.scale), Math.max(1.5, box.h * m.scale));
    }
    g.globalAlpha = 0.7; g.strokeStyle = c.text; g.lineWidth = 1;
    const low = this.toScene(0, 0), high = this.toScene(this.width, this.height);
    const x0 = Math.max(1, m.x + low[0] * m.scale), y0 = Math.max(1, m.y + low[1] * m.scale), x1 = Math.min(m.w - 1, m.x + high[0] * m.scale), y1 = Math.min(m.h - 1, m.y + high[1] * m.scale);
    g.strokeRect(x0 + 0.5, y0 + 0.5, Math.max(2, x1 - x0 - 1), Math.max(2, y1 - y0 - 1));
    g.globalAlpha = 1;
  }

  lookAtMap(x, y) {
    const m = this.mapScale();
    this.look((x - m.x) / m.scale, (y - m.y) / m.scale, this.camera.zoom, false);
  }
}

function bytesText(bytes) {
  const short = x => String(+x.toPrecision(3));
  return bytes < 1024 ? bytes + ' B' : bytes < 1048576 ? short(bytes / 1024) + ' KiB' : bytes < 1073741824 ? short(bytes / 1048576) + ' MiB' : short(bytes / 1073741824) + ' GiB';
}
function secondsText(s) {
  return s >= 1 ? +s.toPrecision(3) + ' s' : s >= 1e-3 ? +(s * 1e3).toPrecision(3) + ' ms' : +(s * 1e6).toPrecision(3) + ' \u00b5s';
}

// Whether some of the arrow lies in a rectangle.
function runsThrough(arrow, [left, top, right, bottom]) {
  if (arrow.right < left || arrow.left > right || arrow.bottom < top || arrow.top > bottom) return false;
  if (!arrow.along) {
    const q = arrow.curve;
    arrow.along = [];
    for (let k = 0; k + 3 < q.length; k += 3) {
      const steps = Math.max(8, Math.ceil(Math.hypot(q[k + 3][0] - q[k][0], q[k + 3][1] - q[k][1]) / 6));
      for (let n = 0; n <= steps; ++n) {
        const t = n / steps, u = 1 - t;
        arrow.along.push([0, 1].map(i => u * u * u * q[k][i] + 3 * u * u * t * q[k + 1][i] + 3 * u * t * t * q[k + 2][i] + t * t * t * q[k + 3][i]));
      }
    }
  }
  return arrow.along.some(([x, y]) => x > left && x < right && y > top && y < bottom);
}

// The middles of a label of `w` by `h` beside an arrow, the best first.
function labelPlaces(arrow, w, h) {
  const q = arrow.curve, pieces = (q.length - 1) / 3, places = arrow.spot ? [arrow.spot] : [], above = [];
  for (let tried = 0; tried < Math.min(pieces * 3, 9); ++tried) {
    const step = Math.floor(tried / 3), k = 3 * Math.min(pieces - 1, Math.max(0, Math.floor(pieces / 2) + (step % 2 === 0 ? step / 2 : -(step + 1) / 2)));
    const t = [0.5, 0.3, 0.75][tried % 3], u = 1 - t;
    const at = n => u * u * u * q[k][n] + 3 * u * u * t * q[k + 1][n] + 3 * u * t * t * q[k + 2][n] + t * t * t * q[k + 3][n];
    const way = n => u * u * (q[k + 1][n] - q[k][n]) + 2 * u * t * (q[k + 2][n] - q[k + 1][n]) + t * t * (q[k + 3][n] - q[k + 2][n]);
    const x = at(0), y = at(1), steep = Math.abs(way(1)) > 0.6 * Math.abs(way(0)), aside = w / 2 + 5 + (steep ? h / 2 * Math.abs(way(0) / way(1)) : 0);
    if (steep) places.push([x + aside, y], [x - aside, y]);
    else places.push([x, y - h / 2 - 4], [x, y + h / 2 + 4]);
    above.push([x, y]);
  }
  const from = q[0], to = q[q.length - 1];
  return Math.hypot(to[0] - from[0], to[1] - from[1]) > 3 * (Math.abs(to[1] - from[1]) > Math.abs(to[0] - from[0]) ? h : w) ? places.concat(above) : places;
}
