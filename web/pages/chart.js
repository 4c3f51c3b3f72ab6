// A chart over time, drawn as SVG: areas, lines and steps on one scale, with the figures of a
// moment under the pointer or, by arrow keys, under the mark.
import {svg, h, fill} from './dom.js';
import {clock, whole} from './format.js';
import {showTipAt, hideTip} from './tooltip.js';

const HEIGHT = 190;
const LEFT = 44;
const BOTTOM = 22;
const TOP = 18; // room for the marks of what is above it
const MARK_WIDTH = 72;

function niceStep(most) {
  const raw = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= raw) ?? raw;
}

/** Runs of points that were measured one after another: where nothing was, there is no line. */
function runs(points, gap) {
  const out = [];
  let last = null;
  for (const [t, value] of points) {
    const known = value !== null && value !== undefined;
    if (known && last !== null && t - last <= gap) out[out.length - 1].push([t, value]);
    else if (known) out.push([[t, value]]);
    last = known ? t : null;
  }
  return out;
}

/** The line of one run. Between two points above `top` there is none: a mark stands there. */
function path(points, x, y, step, top) {
  let text = '';
  points.forEach(([t, value], i) => {
    const px = x(t).toFixed(1);
    const py = y(value).toFixed(1);
    const above = i > 0 && value > top && points[i - 1][1] > top;
    text += i === 0 || above ? `M${px} ${py}` : step ? `H${px}V${py}` : `L${px} ${py}`;
  });
  return points.length > 1 ? text : text + 'h1';
}

/** Each stretch in which a line is above the top: how far up it goes, and from where to where. */
function above(all, x, top) {
  const out = [];
  for (const run of all) {
    let last = null;
    for (const [t, value] of run) {
      if (value <= top) last = null;
      else if (last) Object.assign(last, {to: x(t), most: Math.max(last.most, value)});
      else out.push((last = {from: x(t), to: x(t), most: value}));
    }
  }
  return out;
}

/** Each is marked along the top; how far up it goes stands beside the highest that have room. */
function marks(stretches, className, width) {
  const said = [];
  for (const one of stretches.toSorted((a, b) => b.most - a.most)) {
    const at = Math.max(LEFT + 30, Math.min(width - 40, (one.from + one.to) / 2));
    if (said.every((other) => Math.abs(other.at - at) >= MARK_WIDTH)) said.push({...one, at});
  }
  return [
    ...stretches.map(({from, to}) =>
      svg('path', {class: `c-over ${className}`, d: `M${from - 2} ${TOP}H${to + 2}`}),
    ),
    ...said.map(({from, to, most, at}) =>
      svg(
        'text',
        {x: at, y: 11, class: `c-above ${className}`},
        `▲ ${from === to ? '' : 'up to '}${whole(most)}`,
      ),
    ),
  ];
}

/**
 * `series`: [{name, kind: 'area' | 'line' | 'step', className, of(point)}]; points have `t` in ms.
 * `clip`: it may go beyond the top, where a mark says how far. Returns {element, set(points, ms)},
 * with how far points lie apart: beyond three times that nothing was measured.
 */
export function timeChart({series, label, unit}) {
  const drawing = svg('svg', {class: 'chart', role: 'img', 'aria-label': label, height: HEIGHT});
  const box = h(
    'div',
    {
      class: 'chart-box',
      tabindex: 0,
      role: 'group',
      'aria-label': label + '. Left and right arrow keys move along it.',
    },
    drawing,
    h(
      'div',
      {class: 'legend'},
      series.map((one) =>
        h('span', {class: 'legend-item'}, h('i', {class: `sample line ${one.className}`}), one.name),
      ),
    ),
  );
  let points = [];
  let gap = Infinity;
  let x = () => 0;
  let mark = null;
  let at = -1;
  let width = 0;

  function draw() {
    width = Math.max(240, box.clientWidth);
    drawing.setAttribute('width', width);
    drawing.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    if (points.length < 2) {
      return fill(
        drawing,
        svg('text', {x: width / 2, y: HEIGHT / 2, class: 'c-note'}, 'The history begins: a point a second.'),
      );
    }
    const t0 = points[0].t;
    const t1 = points[points.length - 1].t;
    // What is clipped does not make the rest small: it may go up to twice as high.
    const peak = (some) => Math.max(1, ...points.flatMap((p) => some.map((one) => one.of(p) ?? 0)));
    const most = Math.min(peak(series), 2 * peak(series.filter((one) => !one.clip)));
    const step = niceStep(most);
    const top = Math.ceil(most / step) * step;
    x = (t) => LEFT + ((t - t0) / Math.max(1, t1 - t0)) * (width - LEFT - 8);
    const y = (v) => TOP + (1 - Math.min(v, top) / top) * (HEIGHT - TOP - BOTTOM);
    const out = [];
    for (let v = 0; v <= top; v += step) {
      out.push(
        svg('line', {x1: LEFT, x2: width - 8, y1: y(v), y2: y(v), class: 'c-grid'}),
        svg('text', {x: LEFT - 6, y: y(v) + 4, class: 'c-y'}, whole(v)),
      );
    }
    const ticks = Math.max(2, Math.min(6, Math.floor(width / 140)));
    for (let i = 0; i <= ticks; i++) {
      const t = t0 + ((t1 - t0) * i) / ticks;
      out.push(
        svg(
          'text',
          {x: x(t), y: HEIGHT - 6, class: 'c-x' + (i === ticks ? ' end' : i === 0 ? ' start' : '')},
          clock(t),
        ),
      );
    }
    for (const one of series) {
      const all = runs(points.map((p) => [p.t, one.of(p)]), gap);
      const lines = all.map((run) => path(run, x, y, one.kind !== 'line', top));
      if (one.kind === 'area') {
        const foot = (t) => `${x(t).toFixed(1)} ${y(0)}`;
        const areas = all.map((run, i) => `${lines[i]}L${foot(run[run.length - 1][0])}L${foot(run[0][0])}Z`);
        out.push(svg('path', {class: `c-area ${one.className}`, d: areas.join('')}));
      }
      out.push(svg('path', {class: `c-line ${one.className}`, d: lines.join('')}));
      out.push(marks(above(all, x, top), one.className, width));
    }
    mark = svg('line', {class: 'c-mark', y1: TOP, y2: HEIGHT - BOTTOM, x1: -9, x2: -9});
    fill(drawing, out, mark);
  }

  function point(index, clientY = null) {
    at = Math.max(0, Math.min(points.length - 1, index));
    const p = points[at];
    if (!p || !mark) return;
    mark.setAttribute('x1', x(p.t));
    mark.setAttribute('x2', x(p.t));
    const where = drawing.getBoundingClientRect();
    const text = [clock(p.t), ...series.map((one) => `${one.name} ${whole(one.of(p))}`)].join(' · ');
    showTipAt(where.left + x(p.t), clientY ?? where.top + 30, `${text} ${unit}`);
  }

  drawing.addEventListener('pointermove', (event) => {
    if (points.length < 2) return;
    const px = event.clientX - drawing.getBoundingClientRect().left;
    let best = 0;
    points.forEach((p, i) => {
      if (Math.abs(x(p.t) - px) < Math.abs(x(points[best].t) - px)) best = i;
    });
    point(best, event.clientY);
  });
  drawing.addEventListener('pointerleave', hideTip);
  box.addEventListener('keydown', (event) => {
    const move = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!move) return;
    event.preventDefault();
    point(at < 0 ? points.length - 1 : at + move);
  });
  new ResizeObserver(() => box.clientWidth !== width && draw()).observe(box);
  return {
    element: box,
    set(next, ms = Infinity) {
      points = next;
      gap = 3 * ms;
      draw();
    },
  };
}
