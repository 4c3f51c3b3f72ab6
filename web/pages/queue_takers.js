// Who uses a queue's slots, by what the policy that rules holds it against.
import {h, fill} from './dom.js';
import {queueLink} from './job_cells.js';
import {whole, counted, amountOf, nameOf, tenths} from './format.js';
import {
  RUNNING_MEANS,
  areSlots,
  classesOf,
  demandOf,
  dueOf,
  figuresOf,
  measureOf,
  measureOfAll,
  runningText,
  shareText,
  waitsAtMaximum,
} from './measure.js';

/** Who runs above its guarantee now, and so on what others are guaranteed. */
function borrowers(queues, view, but) {
  return queues
    .filter((one) => one.leaf && one.name !== but && (figuresOf(one, view).borrows ?? 0) > 0)
    .sort((a, b) => figuresOf(b, view).borrows - figuresOf(a, view).borrows);
}

/** Whose slots those are that others borrow: who lends, and who wants its own back. */
function lendersOf(queues, view, but) {
  const out = [];
  for (const one of queues) {
    if (!one.leaf || one.name === but) continue;
    const {guaranteed, running, pending, lends} = figuresOf(one, view);
    const short = Math.min(guaranteed, running + pending) - running;
    if (short > 0) out.push([one, `wants ${whole(short)} back`]);
    else if (lends > 0) out.push([one, `lends ${whole(lends)}`]);
  }
  return out;
}

/** So much more of it: 2 more map slots, 2,048 MB more. */
const moreOf = (n, kind) =>
  nameOf(kind) === `${kind} slots` ? counted(n, `more ${kind} slot`) : `${amountOf(n, kind)} more`;

/** Whatever the policy: what it wants beyond its maximum it cannot have. */
function atMaximum(queue, view, kind) {
  return (
    `It runs its maximum of ${amountOf(figuresOf(queue, view).maximum, kind)}, with ` +
    `${counted(queue.jobs_pending, 'job')} waiting.`
  );
}

/** Under capacity: what it lacks of its guarantee or has beyond, and of whom. */
function byGuarantee(queue, queues, view, kind) {
  const slots = figuresOf(queue, view);
  const wants = Math.min(slots.guaranteed, slots.running + slots.pending);
  const lacking = Math.max(0, wants - slots.running);
  const lent = slots.lends ?? 0;
  const guaranteed = amountOf(slots.guaranteed, kind);
  const over = slots.running > slots.guaranteed;
  const sentence = lacking
    ? `It wants ${moreOf(lacking, kind)} of its guaranteed ` +
      `${whole(slots.guaranteed)}.`
    : over
      ? `It runs ${whole(slots.running - slots.guaranteed)} above its guaranteed ` +
        `${guaranteed}, borrowed from others.`
      : slots.pending
        ? `It runs all its guaranteed ${guaranteed}; ${whole(slots.pending)} more ` +
          `${slots.pending === 1 ? 'is' : 'are'} pending, beyond its guarantee.`
        : lent
          ? `It lends ${whole(lent)} of its guaranteed ${guaranteed}, not wanted by it now.`
          : slots.running
            ? `It has the ${nameOf(kind)} that it wants.`
            : `It wants no ${nameOf(kind)} now.`;
  const rows = over
    ? lendersOf(queues, view, queue.name)
    : borrowers(queues, view, queue.name).map((one) => [one, `borrows ${whole(figuresOf(one, view).borrows)}`]);
  const none = over
    ? `No queue lends ${areSlots(classesOf([queue])) ? 'slots' : nameOf(kind)} or wants more than it has: they are shares that round up.`
    : 'No queue borrows now.';
  return {sentence, bad: lacking > 0, list: lacking || lent || over || slots.pending, rows, none};
}

/** Under fair: how far from its share it is, and who is on the other side of theirs. */
function byShare(queue, queues, view, kind) {
  const slots = figuresOf(queue, view);
  const demand = demandOf(slots);
  const beyond = slots.running - dueOf(slots);
  const short = beyond <= -1 && slots.pending > 0;
  const sentence =
    `It runs ${amountOf(slots.running, kind)} of a fair share of ${shareText(slots)}` +
    (slots.min_share ? ` (its minimum: ${whole(slots.min_share)})` : '') +
    (demand ? `, and wants ${whole(demand)}.` : ', and wants none.');
  const sides = queues
    .filter((one) => one.leaf && one.name !== queue.name && measureOf(figuresOf(one, view)) === 'share')
    .map((one) => [one, figuresOf(one, view).running - dueOf(figuresOf(one, view))]);
  const rows = short
    ? sides
        .filter(([, far]) => far >= 1)
        .sort((a, b) => b[1] - a[1])
        .map(([one, far]) => [one, `runs ${tenths(far)} above its share`])
    : sides
        .filter(([one, far]) => far <= -1 && figuresOf(one, view).pending)
        .sort((a, b) => a[1] - b[1])
        .map(([one, far]) => [one, `runs ${tenths(-far)} below its share`]);
  return {
    sentence,
    bad: short,
    list: short || beyond >= 1,
    rows,
    none: `No other queue runs ${areSlots(classesOf([queue])) ? 'a slot ' : ''}${short ? 'above' : 'below'} its share.`,
  };
}

/** Under fifo, and of a queue that is no pool: who runs. */
function byOrder(queue, queues, view, kind, orderly) {
  const slots = figuresOf(queue, view);
  const full = slots.maximum !== null && slots.running >= slots.maximum && slots.running > 0;
  const sentence =
    `It runs ${amountOf(slots.running, kind)}` +
    (full ? ', which is its maximum' : '') +
    (slots.pending ? `; ${whole(slots.pending)} more could be launched.` : '.') +
    (slots.pending && orderly ? ' Jobs of all queues come in one order.' : '');
  const rows = queues
    .filter((one) => one.leaf && one.name !== queue.name && figuresOf(one, view).running)
    .sort((a, b) => figuresOf(b, view).running - figuresOf(a, view).running)
    .map((one) => [one, `runs ${whole(figuresOf(one, view).running)}`]);
  return {sentence, bad: false, list: slots.pending, rows, none: 'No other queue runs tasks now.'};
}

export function takers(place, queue, queues) {
  const orderly = measureOfAll(queues) === 'none' && !queue.apart;
  const part = ([view, kind, label]) => {
    const measure = measureOf(figuresOf(queue, view));
    const by = {guarantee: byGuarantee, share: byShare, none: byOrder}[measure];
    const {sentence, bad, list, rows, none} = by(queue, queues, view, kind, orderly);
    const full = waitsAtMaximum(queue, view);
    const tip = `${nameOf(kind)}: ${RUNNING_MEANS[measure]}.`;
    const line = ([one, text]) =>
      h(
        'li',
        {},
        queueLink(one.name),
        h('span', {class: 'num'}, text),
        h('span', {class: 'num muted', tip}, runningText(figuresOf(one, view))),
      );
    const lines = rows.length ? rows.slice(0, 8).map(line) : h('li', {class: 'none'}, none);
    return h(
      'div',
      {},
      h('h3', {}, label),
      h('p', {class: bad ? 'loss' : ''}, full ? atMaximum(queue, view, kind) : sentence),
      list ? h('ul', {class: 'lines'}, lines) : null,
    );
  };
  fill(place, classesOf([queue]).map(part));
}
