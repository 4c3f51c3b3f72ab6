// What is counted of queues, and what the policy that rules holds them against: capacity what they
// are guaranteed, fair the shares that it deals (with minimums), fifo nothing.
import {amountOf, tenths, whole} from './format.js';

const SHARES = '/pools';
const SLOTS = [['maps', 'map', 'Map slots'], ['reduces', 'reduce', 'Reduce slots']];
const LABELS = {memory_mb: 'Memory, MB', vcores: 'Vcores'};
export const labelOf = (dimension) => LABELS[dimension] ?? dimension;

/** What is counted of these: [view, kind, label] of each class of slots, or where containers count of
 * each dimension. */
export function classesOf(things) {
  const names = Object.keys(things[0]?.dimensions ?? {});
  return names.length ? names.map((name) => [name, name, labelOf(name)]) : SLOTS;
}

export const areSlots = (classes) => classes === SLOTS;

/** Its figures in one of them. */
export const figuresOf = (thing, view) => thing?.dimensions?.[view] ?? thing?.[view];

/** What there is of any of them: 2,048 MB and 1 vcore. */
export function amountsOf(thing, of) {
  return classesOf([thing])
    .map(([view, kind]) => [of(figuresOf(thing, view)) ?? 0, kind])
    .filter(([amount]) => amount)
    .map(([amount, kind]) => amountOf(amount, kind));
}

/** Its tasks, of maps and reduces or of the groups of an application: [name, tasks] of each. */
export function tasksOf(job) {
  if (job.groups?.length) return job.groups.map(({name, tasks}) => [name, tasks]);
  return [['maps', job.maps], ['reduces', job.reduces]];
}

export const sumOfTasks = (job, key) => tasksOf(job).reduce((sum, [, of]) => sum + of[key], 0);

/** Of the cluster: total, used, free, withheld, lost, awaited. */
export const clusterOf = (cluster, view) => figuresOf({...cluster, ...cluster?.slots}, view);

/** Of one queue's slots in a class: 'guarantee', 'share' or 'none'. */
export function measureOf(slots) {
  if (slots.lends !== null && slots.lends !== undefined) return 'guarantee';
  return slots.share_thousandths === null || slots.share_thousandths === undefined
    ? 'none'
    : 'share';
}

/** Of all queues: under fair some of them may be no pools. */
export function measureOfAll(queues) {
  const classes = classesOf(queues);
  const all = new Set(queues.flatMap((queue) => classes.map(([view]) => measureOf(figuresOf(queue, view)))));
  return ['guarantee', 'share'].find((one) => all.has(one)) ?? 'none';
}

/** The slots that it is held against: what a queue above it has of others' or of nobody's. */
export function dueOf(slots) {
  const measure = measureOf(slots);
  if (measure === 'guarantee') return slots.guaranteed;
  return measure === 'share' ? slots.share_thousandths / 1000 : 0;
}

/** A share as the command line writes it: 2.7 slots. */
export function shareText(slots) {
  return measureOf(slots) === 'share' ? tenths(dueOf(slots)) : '–';
}

export function minimumText(slots) {
  return measureOf(slots) === 'share' ? whole(slots.min_share ?? 0) : '–';
}

/** What it runs and could launch, up to its maximum. */
export function demandOf(slots) {
  return Math.min(slots.maximum ?? Infinity, slots.running + slots.pending);
}

/** It runs its maximum, and so nothing of its pending jobs counts as pending. */
export function waitsAtMaximum(queue, kind) {
  const {pending, running, maximum} = figuresOf(queue, kind);
  const full = running > 0 && running >= (maximum ?? Infinity);
  return full && !pending && queue.jobs_pending > 0;
}

/** Running, and beside it what the queue is held against. */
export function runningText(slots) {
  const measure = measureOf(slots);
  if (measure === 'guarantee') return `${whole(slots.running)}/${whole(slots.guaranteed)}`;
  return measure === 'share'
    ? `${whole(slots.running)}/${shareText(slots)}`
    : whole(slots.running);
}

export const RUNNING_MEANS = {
  guarantee: 'running / guaranteed',
  share: 'running / fair share',
  none: 'running',
};

/** What a queue's slots are, in a line: the figures that the ruling policy has. */
export function slotsText(slots) {
  const measure = measureOf(slots);
  const parts = [`${whole(slots.running)} running`];
  if (measure === 'guarantee')
    parts.push(`${whole(slots.allocated)} allocated`, `${whole(slots.guaranteed)} guaranteed`);
  if (measure === 'share') {
    parts.push(`a fair share of ${shareText(slots)}`);
    if (slots.min_share) parts.push(`a minimum of ${whole(slots.min_share)}`);
    parts.push(`a demand of ${whole(demandOf(slots))}`);
  }
  if (slots.maximum !== null) parts.push(`at most ${whole(slots.maximum)}`);
  return [`${parts.join(', ')}; ${whole(slots.pending)} pending`, ...keptText(slots)].join('; ');
}

/** Of containers: what waits for room on a tracker keeps meanwhile, and what is never lent. */
export function keptText({reserved, kept}) {
  return [reserved && `${whole(reserved)} reserved`, kept && `${whole(kept)} never lent`].filter(Boolean);
}

/** How many more slots of a class a queue could run at once, by what it may have. */
export function roomOf(queue, kind = classesOf([queue])[0][0]) {
  const slots = figuresOf(queue, kind);
  const most = {
    guarantee: Math.max(slots.guaranteed, slots.allocated),
    share: Math.floor(dueOf(slots)),
    none: slots.maximum ?? 0,
  }[measureOf(slots)];
  return Math.max(0, Math.min(most, slots.maximum ?? most) - slots.running - slots.pending);
}

/** Queues as `Page.show` gives them; where shares rule with the minimums of their pools, and `apart`
 * without shares where a pool is no queue: they are for other jobs. */
export function showQueues(page, place, shown) {
  const minimums = new Map();
  let pools = null;
  const draw = (queues) => {
    const left = new Map(minimums);
    for (const {name} of queues) left.delete(name);
    const apart = [...left.values()].some((one) => one.jobs_running);
    const of = (queue, kind) => ({
      ...queue[kind],
      ...(apart
        ? {share_thousandths: null}
        : {min_share: minimums.get(queue.name)?.[kind].min_share ?? 0}),
    });
    shown(pools ? queues.map((one) => ({...one, apart, maps: of(one, 'maps'), reduces: of(one, 'reduces')})) : queues);
  };
  const list = page.show(place, '/queues', {topic: 'queues', merge: true}, (queues) => {
    const share = measureOfAll(queues) === 'share' && areSlots(classesOf(queues));
    if (share && !pools) {
      pools = page.use(SHARES, {topic: 'queues', every: 5000, least: 3000}, (value) => {
        if (value) minimums.clear();
        for (const pool of value?.pools ?? []) minimums.set(pool.name, pool);
        if (list.value) draw(list.value);
      });
    } else if (!share && pools) {
      page.drop(pools);
      pools = null;
      minimums.clear();
    }
    draw(queues);
  });
  return list;
}
