// Who would run more or less under another policy or other settings, as things are now, and which
// claims would be open.
import {h, visible} from './dom.js';
import {colourClass} from './colours.js';
import {amountOf, counted, duration, share, whole} from './format.js';
import {areSlots, classesOf, figuresOf} from './measure.js';
import {plainTable} from './plain_table.js';
import {WORDS} from './words.js';

/** What a policy would have a queue run now: no more than it wants. */
export function wouldRun(figures) {
  if (!figures) return null;
  const wants = figures.running + figures.pending;
  const due = figures.share ?? figures.allocated ?? null;
  if (due === null) return null;
  return Math.min(wants, Math.max(due, Math.min(figures.guaranteed ?? 0, wants)), figures.maximum ?? Infinity);
}

const isBranch = (name, names) => names.some((other) => other.startsWith(name + '.'));

const any = (one, keys) => keys.some((key) => one[key] > 0);
const isUsed = (one) => {
  const all = classesOf([one]).map(([view]) => figuresOf(one, view));
  return any(all[0], ['guaranteed', 'maximum']) || all.some((of) => any(of, ['running', 'pending']));
};

/** Pools that have other jobs than the queues of their names are named as what they are. */
export function pooled(outlooks) {
  const queues = sharesOf(outlooks.find((one) => one.of !== 'pools') ?? {shares: []});
  const told = (of) => of && [of.running, of.running || of.pending];
  const jobs = (one) => String(classesOf(outlooks[0].shares).map(([view]) => told(figuresOf(one, view))));
  const named = (one) => (jobs(one) === jobs(queues.get(one.name)) ? one : {...one, name: 'pool ' + one.name});
  return outlooks.map((one) => (one.of === 'pools' ? {...one, shares: one.shares.map(named)} : one));
}

/** Every queue or pool that any policy names, leaves only. */
export function rowsOf(outlooks) {
  const shares = outlooks.flatMap((one) => one.shares);
  const names = [...new Set(shares.map((one) => one.name))];
  const used = new Set(shares.filter(isUsed).map((one) => one.name));
  return names.filter((name) => used.has(name) && !isBranch(name, names));
}

export const sharesOf = (outlook) => new Map(outlook.shares.map((one) => [one.name, one]));

/** Of its gain: what the policy may kill others for. */
const owed = (figures, then) =>
  Math.max(0, Math.min(figures.guaranteed ?? Infinity, then) - figures.running);

/** Who would have more or less after, as that policy counts; of settings what they change. */
function change(before, after, view) {
  const now = before.policy === after.policy ? sharesOf(before) : new Map();
  const names = after.shares.map((one) => one.name);
  const rows = after.shares
    .filter((one) => !isBranch(one.name, names) && wouldRun(figuresOf(one, view)) !== null)
    .map((one) => {
      const figures = figuresOf(one, view);
      const {running} = figures;
      const then = wouldRun(figures);
      const known = figuresOf(now.get(one.name), view);
      const same = known?.running === running && wouldRun(known) === then;
      return {name: one.name, running, then, by: same ? 0 : then - running, figures};
    });
  const gains = rows.filter((row) => row.by >= 0.5).sort((a, b) => b.by - a.by);
  const loses = rows.filter((row) => row.by <= -0.5).sort((a, b) => a.by - b.by);
  const lack = gains.reduce((sum, row) => sum + owed(row.figures, row.then), 0);
  const excess = loses.reduce((sum, row) => sum + Math.floor(-row.by), 0);
  return {rows, gains, loses, kills: Math.min(Math.ceil(lack), excess)};
}

/** What each class of slots would gain and lose from one outlook to another. */
export function changeList(before, after) {
  const to = after.policy;
  const classes = classesOf([...before.shares, ...after.shares]);
  return classes.map(([view, , label]) => {
    const {gains, loses, kills, rows} = change(before, after, view);
    const line = (row, cls) =>
      h(
        'li',
        {},
        h('span', {}, h('i', {class: 'dot ' + colourClass(row.name)}), ' ', visible(row.name)),
        h('span', {class: 'num'}, `${whole(row.running)} → ${share(row.then)}`),
        h('span', {class: `num ${cls}`}, (row.by > 0 ? '+' : '−') + share(Math.abs(row.by))),
      );
    const said = (text) => h('p', {class: 'muted'}, text);
    const head = h('h3', {}, label);
    if (!gains.length && !loses.length) {
      const why = rows.length
        ? 'Nobody would gain or lose as things are now.'
        : `${to} gives queues no share of their own: jobs run in their order. Nobody is killed.`;
      return h('div', {}, head, said(why));
    }
    // How many containers that would be depends on which.
    const who = areSlots(classes)
      ? `At most ${counted(kills, 'running attempt')}`
      : 'Running attempts';
    const most = `${who} may be killed for it, where ${to} preempts and its time limits are over; else as tasks end.`;
    const list = [gains.map((row) => line(row, 'gain')), loses.map((row) => line(row, 'loss'))];
    const none = 'No kills are expected for it; open claims may kill once their time is over.';
    const end = said(kills ? most : none);
    return h('div', {}, head, h('ul', {class: 'lines'}, list), end);
  });
}

const CLAIM_HEADS = [
  'Queue',
  ['Owed', 'Slots that it would be owed: of its guarantee, and with tasks for them.', 'right'],
  ['As now', 'Slots of these that it is owed already.', 'right'],
  ['Kills in', WORDS.killsIn, 'right'],
];

/** Claims under the settings, and when they kill. */
export function claimsForeseen(claims) {
  if (!claims.length) return h('p', {class: 'muted'}, 'No claim would be open.');
  return plainTable(
    CLAIM_HEADS,
    claims.map((claim) => [
      visible(claim.queue),
      amountOf(claim.slots, claim.kind),
      whole(claim.open),
      claim.milliseconds_left < 0 ? 'never' : duration(claim.milliseconds_left),
    ]),
  );
}
