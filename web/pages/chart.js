// A chart over time, drawn as SVG: areas, lines and steps on one scale, with the figures of a
// moment under the pointer or, by arrow keys, under the mark.
import {svg, h, fill} from './dom.js';
import {clock, share, whole} from './format.js';
import {showTipAt, hideTip} from './tooltip.js';

const HEIGHT = 190;
const LEFT = 44;
const BOTTOM = 22;
const TOP = 8;

function niceStep(most) {
  const raw = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= raw) ?? raw;
}

/** Points that follow on one another: where nothing was measured for longer than `gap` a line ends. */
function runsOf(points, gap) {
  const runs = [];
  let last = -Infinity;
  for (const [t, value] of points) {
    if (value === null || value === undefined) {
      last = -Infinity;
      continue;
    }
    if (t - last > gap) runs.push([]);
    runs.at(-1).push([t, value]);
    last = t;
  }
  return runs;
}

function path(run, x, y, step) {
  return run
    .map(([t, value], i) => {
      const px = x(t).toFixed(1);
      const py = y(value).toFixed(1);
      return i === 0 ? `M${px} ${py}` : step ? `H${px}V${py}` : `L${px} ${py}`;
    })
    .join('');
}

/**
 * `series`: [{name, kind: 'area' | 'line' | 'step', className, of(point)}]; points have `t` in ms.
 * `clip`: it may go beyond the top, which is marked. Returns {element, set(points, step)}; `step`:
 * milliseconds from one to the next, where nothing is missing.
 */
export function timeChart({series, label, unit}) {
  const legend = h(
    'div',
    {class: 'legend'},
    series.map((one) =>
      h('span', {class: 'legend-item'}, h('i', {class: `sample line ${one.className}`}), one.name),
    ),
  );
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
    legend,
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
        svg(
          'text',
          {x: width / 2, y: HEIGHT / 2, class: 'c-note'},
          'The history begins: a point a second.',
        ),
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
    series.forEach((one, i) => {
      const values = points.map((p) => [p.t, one.of(p)]);
      const runs = runsOf(values, gap);
      legend.children[i].hidden = !runs.length;
      for (const run of runs) {
        const line = path(run, x, y, one.kind !== 'line');
        if (one.kind === 'area') {
          const [from, to] = [run[0][0], run.at(-1)[0]].map((t) => x(t).toFixed(1));
          out.push(
            svg('path', {
              class: `c-area ${one.className}`,
              d: `${line}L${to} ${y(0)}L${from} ${y(0)}Z`,
            }),
          );
        }
        out.push(svg('path', {class: `c-line ${one.className}`, d: line}));
      }
      out.push(beyond(one, values, top));
    });
    mark = svg('line', {class: 'c-mark', y1: TOP, y2: HEIGHT - BOTTOM, x1: -9, x2: -9});
    fill(drawing, out, mark);
  }

  /** What goes beyond the top says how far, where it is highest. */
  function beyond(one, values, top) {
    const [t, value] = values.reduce((a, b) => ((b[1] ?? 0) > a[1] ? b : a), [0, 0]);
    if (value <= top) return [];
    const right = x(t) > width / 2;
    return svg(
      'text',
      {x: x(t), y: TOP + 14, class: `c-beyond ${one.className}` + (right ? ' end' : '')},
      `▲ ${one.name} ${whole(value)}`,
    );
  }

  function point(index, clientY = null) {
    at = Math.max(0, Math.min(points.length - 1, index));
    const p = points[at];
    if (!p || !mark) return;
    mark.setAttribute('x1', x(p.t));
    mark.setAttribute('x2', x(p.t));
    const where = drawing.getBoundingClientRect();
    const figures = series
      .filter((one) => (one.of(p) ?? null) !== null)
      .map((one) => `${one.name} ${share(one.of(p))}`);
    const text = [clock(p.t), ...figures].join(' · ');
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
    set(next, step = Infinity) {
      points = next;
      gap = 1.5 * step;
      draw();
    },
  };
}
