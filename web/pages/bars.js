// The bar of a queue in one class, on a scale that all queues of the page share: what it runs
// (solid; beyond its guarantee striped: borrowed), what is pending (outlined), and marks for what
// the ruling policy holds it against: guaranteed and allocated, or share and minimum; and at most.
import {h, setVars, fill} from './dom.js';
import {amountOf, whole, counted} from './format.js';
import {areSlots, classesOf, clusterOf, figuresOf, keptText} from './measure.js';
import {measureOf, measureOfAll, dueOf, demandOf, shareText, minimumText} from './measure.js';
import {colourClass} from './colours.js';
import {ofAmounts} from './words.js';

/** The sentence of a bar: every figure in it. */
export function barSentence(queue, slots, kind) {
  const measure = measureOf(slots);
  const parts = [`runs ${amountOf(slots.running, kind)}`];
  if (slots.borrows) parts[0] += `, ${whole(slots.borrows)} of them borrowed`;
  if (measure === 'guarantee')
    parts.push(`allocated ${whole(slots.allocated)}`, `guaranteed ${whole(slots.guaranteed)}`);
  if (measure === 'share') {
    parts.push(`fair share ${shareText(slots)}`, `minimum ${minimumText(slots)}`);
    parts.push(`demand ${whole(demandOf(slots))}`);
  }
  if (slots.maximum !== null && slots.maximum !== undefined)
    parts.push(`at most ${whole(slots.maximum)}`);
  parts.push(`${whole(slots.pending)} pending`);
  if (slots.lends) parts.push(`lends ${whole(slots.lends)} to others`);
  if (slots.copying) parts.push(`${whole(slots.copying)} of reduces that copy`);
  return `${queue}: ${parts.concat(keptText(slots)).join('; ')}.`;
}

export function makeBar() {
  const parts = ['track', 'pending', 'own', 'over', 'alloc', 'g', 'm'];
  const of = (part) => h('i', {class: 'b-' + part});
  return h('div', {class: 'bar', role: 'img'}, parts.map(of));
}

/** Draws a bar's figures; `scale` is how many slots the whole width is. */
export function setBar(bar, queue, slots, kind, scale) {
  const signature = JSON.stringify([queue.name, queue.leaf, scale, {...slots, time: 0}]);
  if (bar.signature === signature) return;
  bar.signature = signature;
  const of = (n) => Math.max(0, Math.min(1, scale ? n / scale : 0)).toFixed(4);
  const maximum = slots.maximum ?? scale;
  const measure = measureOf(slots);
  const due = dueOf(slots);
  const over = measure === 'guarantee' && slots.running > due;
  const lacks = measure === 'guarantee' ? slots.running < due : slots.running + 1 <= due;
  setVars(bar, {
    r: of(slots.running),
    own: of(over ? due : slots.running),
    g: of(due),
    a: of(measure === 'share' ? (slots.min_share ?? 0) : slots.allocated),
    m: of(maximum),
    p: of(Math.min(slots.running + slots.pending, maximum)),
  });
  bar.className =
    `bar by-${measure} ${colourClass(queue.name, queue.leaf)}` +
    (over ? ' over' : '') +
    (slots.pending ? ' wants' : '') +
    (slots.maximum === null || slots.maximum >= scale ? ' no-max' : '') +
    (slots.pending && lacks ? ' short' : '');
  const sentence = barSentence(queue.name, slots, kind);
  bar.dataset.tip = sentence;
  bar.setAttribute('aria-label', sentence);
}

/** How much of each class the bars' whole width is. */
export function scales(queues, cluster) {
  const out = {};
  for (const [view] of classesOf(queues)) {
    const tops = queues.filter((queue) => !queue.name.includes('.'));
    const total = clusterOf(cluster, view)?.total ?? 0;
    const due = tops.reduce((sum, queue) => sum + Math.floor(dueOf(figuresOf(queue, view))), 0);
    out[view] = Math.max(1, total, due);
  }
  return out;
}

/** A scale of a queue's own: the most that it has, is due, or would have of what it wants. */
export function ownScale(slots, scale) {
  const wants = Math.min(slots.maximum ?? Infinity, slots.running + slots.pending);
  const most = Math.max(1, slots.running, wants, dueOf(slots), slots.allocated ?? 0);
  return Math.min(scale, most * 1.05);
}

/** A job's tasks of one class: done, running, left. */
export function setProgress(cell, tasks, queue) {
  if (!tasks.total) return void (cell.firstChild && fill(cell));
  const signature = JSON.stringify([tasks, queue]);
  if (cell.signature === signature && cell.firstChild) return;
  cell.signature = signature;
  let box = cell.firstChild;
  if (!box) {
    box = h('div', {class: 'progress'}, h('i', {class: 'p-done'}), h('i', {class: 'p-run'}), h('span', {}));
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

const PENDING = [
  's-pending',
  'pending',
  'Outlined: slots of tasks that could be launched now, if they were free.',
];
const MAXIMUM = [
  's-m',
  'maximum',
  'The bracket: the queue never has more. Without one it may have the whole cluster.',
];
const RUNNING = ['s-own', 'running', "Solid: slots that the queue runs, in the queue's colour."];
const WITHIN = "Solid: slots that the queue runs within its guarantee, in the queue's colour.";
const BORROWED =
  'Striped: slots that it runs above its guarantee. They are lent by others, and taken back when ' +
  'those want them.';
const DUE = 'The tall mark: what fair deals to it now; red while it has less and wants more.';
const LEGENDS = {
  guarantee: [
    ['s-own', 'running', WITHIN],
    ['s-over', 'borrowed', BORROWED],
    PENDING,
    ['s-alloc', 'allocated', 'The line below: its part of the cluster as it is now.'],
    ['s-g', 'guaranteed', 'The tall mark: what the queue can have whenever it wants it.'],
    MAXIMUM,
  ],
  share: [
    RUNNING,
    PENDING,
    ['s-alloc', 'minimum', 'The line below: its minimum share, which it gets first.'],
    ['s-g', 'fair share', DUE],
    MAXIMUM,
  ],
  none: [RUNNING, PENDING, MAXIMUM],
};

/** What the bars show, under the policy that rules: `show(queues)` says which. */
export function legend() {
  const element = h('div', {class: 'legend', 'aria-label': 'What the bars show'});
  let shown = null;
  const draw = (measure, slots) => {
    if (measure + slots === shown) return;
    shown = measure + slots;
    fill(
      element,
      LEGENDS[measure].map(([cls, text, words]) => {
        const tip = slots ? words : ofAmounts(words);
        const sample = h('i', {class: 'sample ' + cls});
        return h('span', {class: 'legend-item', tabindex: 0, tip}, sample, text);
      }),
    );
  };
  draw('guarantee', true);
  return {
    element,
    show: (queues) => draw(measureOfAll(queues), areSlots(classesOf(queues))),
  };
}
