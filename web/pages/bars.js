// The bar of a queue in one class, on a scale that all queues of the page share: what it runs
// within what the ruling policy gives it (solid), beyond that (striped), what is pending
// (outlined), and marks for that, for what is allocated, and for what is at most allowed.
import {h, setVars, fill} from './dom.js';
import {whole, share, counted} from './format.js';
import {colourClass} from './colours.js';

export const CLASSES = [
  ['maps', 'map', 'maps'],
  ['reduces', 'reduce', 'reduces'],
];

/**
 * What the ruling policy gives a queue: under capacity what it is guaranteed, under fair its share,
 * under fifo nothing (null).
 */
export function givenTo(slots) {
  if (typeof slots.lends === 'number') return {rule: 'guarantee', slots: slots.guaranteed};
  const thousandths = slots.share_thousandths;
  return typeof thousandths === 'number' ? {rule: 'share', slots: thousandths / 1000} : null;
}

/** By which of these all queues are measured: 'guarantee', 'share' or 'none'. */
export function ruleOf(queues) {
  for (const queue of queues) {
    const given = givenTo(queue.maps);
    if (given) return given.rule;
  }
  return 'none';
}

/** What stands beside a bar: running / what it is given, if it is given anything. */
export function barFigure(slots) {
  const given = givenTo(slots);
  return whole(slots.running) + (given ? '/' + share(given.slots) : '');
}

/** Every figure of a bar, each with its word. */
export function barParts(slots, kind) {
  const given = givenTo(slots);
  const parts = [`runs ${counted(slots.running, kind + ' slot')}`];
  const over = given ? slots.running - given.slots : 0;
  if (given?.rule === 'guarantee') {
    if (over > 0) parts[0] += `, ${whole(over)} of them borrowed`;
    parts.push(`allocated ${whole(slots.allocated)}`, `guaranteed ${whole(slots.guaranteed)}`);
  } else if (given) {
    parts.push(`its fair share is ${share(given.slots)}`);
  }
  if (slots.maximum !== null && slots.maximum !== undefined)
    parts.push(`at most ${whole(slots.maximum)}`);
  parts.push(`${whole(slots.pending)} pending`);
  if (slots.lends) parts.push(`lends ${whole(slots.lends)} to others`);
  if (slots.copying) parts.push(`${whole(slots.copying)} of reduces that copy`);
  return parts;
}

/** The sentence of a bar. */
export function barSentence(queue, slots, kind) {
  return `${queue}: ${barParts(slots, kind).join('; ')}.`;
}

export function makeBar() {
  const bar = h(
    'div',
    {class: 'bar', role: 'img'},
    h('i', {class: 'b-track'}),
    h('i', {class: 'b-pending'}),
    h('i', {class: 'b-own'}),
    h('i', {class: 'b-over'}),
    h('i', {class: 'b-alloc'}),
    h('i', {class: 'b-g'}),
    h('i', {class: 'b-m'}),
  );
  return bar;
}

/** Draws a bar's figures; `scale` is how many slots the whole width is. */
export function setBar(bar, queue, slots, kind, scale) {
  const signature = [
    queue.name,
    queue.leaf,
    scale,
    slots.running,
    slots.pending,
    slots.guaranteed,
    slots.allocated,
    slots.maximum,
    slots.lends,
    slots.share_thousandths,
  ].join();
  if (bar.signature === signature) return;
  bar.signature = signature;
  const of = (n) => Math.max(0, Math.min(1, scale ? n / scale : 0)).toFixed(4);
  const maximum = slots.maximum ?? scale;
  const given = givenTo(slots);
  const least = given ? given.slots : slots.running;
  setVars(bar, {
    r: of(slots.running),
    own: of(Math.min(slots.running, least)),
    g: of(least),
    a: of(slots.allocated),
    m: of(maximum),
    p: of(Math.min(slots.running + slots.pending, maximum)),
  });
  bar.className =
    `bar ${colourClass(queue.name, queue.leaf)}` +
    (slots.running > least ? ' over' : '') +
    (given ? '' : ' no-given') +
    (given?.rule === 'guarantee' ? '' : ' no-alloc') +
    (slots.pending ? ' wants' : '') +
    (slots.maximum === null || slots.maximum >= scale ? ' no-max' : '') +
    (slots.pending && given && slots.running < Math.floor(least) ? ' short' : '');
  const sentence = barSentence(queue.name, slots, kind);
  bar.dataset.tip = sentence;
  bar.setAttribute('aria-label', sentence);
}

/** How many slots of each class the bars' whole width is. */
export function scales(queues, cluster) {
  const out = {};
  for (const [view] of CLASSES) {
    const tops = queues.filter((queue) => !queue.name.includes('.'));
    const total = cluster?.slots?.[view]?.total ?? 0;
    const given = tops.reduce((sum, queue) => sum + (givenTo(queue[view])?.slots ?? 0), 0);
    out[view] = Math.max(1, total, given);
  }
  return out;
}

/** A job's tasks of one class: done, running, left. */
export function setProgress(cell, tasks, queue) {
  if (!tasks.total) return void (cell.firstChild && fill(cell));
  const signature = [
    tasks.total,
    tasks.succeeded,
    tasks.running,
    tasks.pending,
    queue,
    tasks.failed_attempts,
  ].join();
  if (cell.signature === signature && cell.firstChild) return;
  cell.signature = signature;
  let box = cell.firstChild;
  if (!box) {
    box = h(
      'div',
      {class: 'progress'},
      h('i', {class: 'p-done'}),
      h('i', {class: 'p-run'}),
      h('span', {}),
    );
    cell.append(box);
  }
  box.className = 'progress ' + colourClass(queue);
  setVars(box, {
    d: (tasks.succeeded / tasks.total).toFixed(4),
    u: ((tasks.succeeded + tasks.running) / tasks.total).toFixed(4),
  });
  box.lastChild.textContent = `${whole(tasks.succeeded)}/${whole(tasks.total)}`;
  box.dataset.tip =
    `${whole(tasks.succeeded)} of ${whole(tasks.total)} done, ${whole(tasks.running)} ` +
    `running, ${whole(tasks.pending)} pending; ${counted(tasks.failed_attempts, 'attempt')} ` +
    `failed, ` +
    `${whole(tasks.killed_attempts)} killed.`;
}

const LEGENDS = {
  guarantee: [
    [
      's-own',
      'running',
      "Solid: slots that the queue runs within its guarantee, in the queue's colour.",
    ],
    [
      's-over',
      'borrowed',
      'Striped: slots that it runs above its guarantee. They are lent by others, and taken ' +
        'back when those want them.',
    ],
    ['s-pending', 'pending', 'Outlined: slots of tasks that could be launched now.'],
    ['s-alloc', 'allocated', 'The line below: its part of the cluster as it is now.'],
    ['s-g', 'guaranteed', 'The tall mark: what the queue can have whenever it wants it.'],
  ],
  share: [
    [
      's-own',
      'running',
      "Solid: slots that the queue runs within its fair share, in the queue's colour.",
    ],
    ['s-over', 'above its share', 'Striped: slots that it runs above its fair share.'],
    ['s-pending', 'pending', 'Outlined: slots of tasks that could be launched now.'],
    [
      's-g',
      'fair share',
      'The tall mark: the fair share of the pool of this name, as it was dealt last.',
    ],
  ],
  none: [
    ['s-own', 'running', "Solid: slots that the queue runs, in the queue's colour."],
    ['s-pending', 'pending', 'Outlined: slots of tasks that could be launched now.'],
  ],
};
const MAXIMUM = [
  's-m',
  'maximum',
  'The bracket: the queue never has more. Without one it may have the whole cluster.',
];

/** What the bars show; `set(rule)` says by what all are measured. */
export function legend() {
  const element = h('div', {class: 'legend', 'aria-label': 'What the bars show'});
  let shown = null;
  const set = (rule) => {
    if (rule === shown) return;
    shown = rule;
    fill(
      element,
      [...LEGENDS[rule], MAXIMUM].map(([cls, text, tip]) =>
        h('span', {class: 'legend-item', tabindex: 0, tip}, h('i', {class: 'sample ' + cls}), text),
      ),
    );
  };
  set('guarantee');
  return {element, set};
}
