// A queue's history: running and pending slots over time, and what the policy that rules now held
// it against while it did.
import {h, fill, setText, visible} from './dom.js';
import {nameOf} from './format.js';
import {classesOf} from './measure.js';
import {timeChart} from './chart.js';
import {withQuery, get} from './api.js';
import {query, setQuery} from './router.js';

const SPANS = [
  ['10m', 600_000, '1s'],
  ['3h', 10_800_000, '10s'],
  ['2d', 172_800_000, '1m'],
  ['60d', 5_184_000_000, '15m'],
];

// Points say whose they are: fair's have shares, and guarantee nothing.
const shared = (of) => of !== undefined && of.share_thousandths !== null;
const figuresOf = (point, kind) => point.dimensions?.[kind] ?? point[kind];
const guaranteeOf = (kind, key) => (point) => {
  const of = figuresOf(point, kind);
  return shared(of) ? null : of?.[key];
};
const shareOf = (kind) => (point) => {
  const of = figuresOf(point, kind);
  return shared(of) ? Math.round(of.share_thousandths / 100) / 10 : null;
};
const LINES = {
  guarantee: (kind) => [
    {
      name: 'guaranteed',
      kind: 'step',
      className: 'c-guaranteed',
      of: guaranteeOf(kind, 'guaranteed'),
    },
    {
      name: 'allocated',
      kind: 'step',
      className: 'c-allocated',
      of: guaranteeOf(kind, 'allocated'),
    },
  ],
  share: (kind) => [
    {
      name: 'fair share',
      kind: 'step',
      className: 'c-guaranteed',
      of: shareOf(kind),
    },
  ],
  none: () => [],
  cluster: (kind) => [
    {
      name: nameOf(kind) === `${kind} slots` ? 'slots' : 'offered',
      kind: 'step',
      className: 'c-guaranteed',
      of: (p) => figuresOf(p, kind)?.guaranteed,
    },
  ],
};

function chartOf(name, kind, measure) {
  return timeChart({
    label: `${name === 'root' ? 'the cluster' : name}: ${nameOf(kind)} over time`,
    unit: kind === 'memory_mb' ? 'MB' : nameOf(kind),
    series: [
      {name: 'running', kind: 'area', className: 'c-running', of: (p) => figuresOf(p, kind)?.running},
      ...LINES[measure](kind),
      {
        name: 'pending',
        kind: 'line',
        clip: true,
        className: 'c-pending',
        of: (p) => figuresOf(p, kind)?.pending,
      },
    ],
  });
}

/** Of the whole cluster `name` is root. */
export function history(page, place, name, measure, title = 'History') {
  let shown = null;
  let charts = [];
  const columns = h('div', {class: 'columns'});
  const drawCharts = (points) => {
    const classes = classesOf(points.slice(-1)); // as they are counted now
    const signature = measure() + classes;
    if (shown === signature) return;
    shown = signature;
    charts = classes.map(([, kind]) => chartOf(name, kind, measure()));
    fill(columns, classes.map(([, , label], i) => h('div', {}, h('h3', {}, label), charts[i].element)));
  };
  const problem = h('p', {class: 'muted'});
  const chips = h('div', {class: 'chips', role: 'group', 'aria-label': 'Time span'});
  const read = async () => {
    const [, span, step] =
      SPANS.find(([key]) => key === (query().get('span') ?? '10m')) ?? SPANS[0];
    for (const chip of chips.children)
      chip.setAttribute('aria-pressed', chip.textContent === (query().get('span') ?? '10m'));
    try {
      const series = await get(
        withQuery('/series', {queue: name, since: Date.now() - span, step}),
        {signal: page.signal},
      );
      setText(problem, '');
      drawCharts(series.points);
      for (const chart of charts) chart.set(series.points, series.step_ms);
    } catch (error) {
      if (error.name !== 'AbortError') setText(problem, error.status ? visible(error.message) : '');
    }
  };
  for (const [key] of SPANS)
    chips.append(
      h(
        'button',
        {
          on: {
            click: () => {
              setQuery({span: key});
              read();
            },
          },
        },
        key,
      ),
    );
  place.append(h('div', {class: 'panel-head'}, h('h2', {}, title), chips), problem, columns);
  read();
  page.every(5000, read);
}
