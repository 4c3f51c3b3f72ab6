// Who would run more and who less under another policy or other settings, as the cluster is now, and
// which claims would be open then.
import {h, visible} from './dom.js';
import {colourClass} from './colours.js';
import {amountOf, counted, duration, share, whole} from './format.js';
import {areSlots, classesOf, figuresOf} from './measure.js';
import {plainTable} from './plain_table.js';
import {WORDS} from './words.js';

/** What a policy would have a queue run now, in slots: no more than it wants. */
export function wouldRun(figures) {
  if (!figures) return null;
  const wants = figures.running + figures.pending;
  const due = figures.share ?? figures.allocated ?? null;
  if (due === null) return null;
  return Math.min(
    wants,
    Math.max(due, Math.min(figures.guaranteed ?? 0, wants)),
    figures.maximum ?? Infinity,
  );
}

const isBranch = (name, names) => names.some((other) => other.startsWith(name + '.'));

/** Rows for every queue or pool that any policy names, leaves only. */
export function rowsOf(outlooks) {
  const names = [...new Set(outlooks.flatMap((one) => one.shares.map((s) => s.name)))];
  const any = (one, keys) => keys.some((key) => one[key] > 0);
  const used = new Set(
    outlooks.flatMap((one) =>
      one.shares
        .filter((s) => {
          const all = classesOf([s]).map(([view]) => figuresOf(s, view));
          return (
            any(all[0], ['guaranteed', 'maximum']) ||
            all.some((of) => any(of, ['running', 'pending']))
          );
        })
        .map((s) => s.name),
    ),
  );
  return names.filter((name) => used.has(name) && !isBranch(name, names));
}

export const sharesOf = (outlook) => new Map(outlook.shares.map((one) => [one.name, one]));

/** Of what it would gain: what the policy may kill others for. */
const owed = (figures, then) =>
  Math.max(0, Math.min(figures.guaranteed ?? Infinity, then) - figures.running);

/** Who would have more or less after, as that policy counts; of settings what they change. */
function change(before, after, view) {
  const now = before.policy === after.policy ? sharesOf(before) : new Map();
  const then = sharesOf(after);
  const rows = rowsOf([before, after])
    .map((name) => {
      const figures = figuresOf(then.get(name), view);
      const known = figuresOf(now.get(name), view);
      const would = wouldRun(figures);
      const running = figures?.running ?? 0;
      const same = known?.running === running && wouldRun(known) === would;
      return {name, running, then: would, by: same ? 0 : would - running, figures};
    })
    .filter((row) => row.then !== null);
  const gains = rows.filter((row) => row.by >= 0.5).sort((a, b) => b.by - a.by);
  const loses = rows.filter((row) => row.by <= -0.5).sort((a, b) => a.by - b.by);
  const lack = gains.reduce((sum, row) => sum + owed(row.figures, row.then), 0);
  const excess = loses.reduce((sum, row) => sum + Math.floor(-row.by), 0);
  return {rows, gains, loses, kills: Math.min(Math.ceil(lack), excess)};
}

/** What each class of slots would gain and lose from one outlook to another: policies, or settings. */
export function changeList(before, after) {
  const to = after.policy;
  const classes = classesOf([...before.shares, ...after.shares]);
  return classes.map(([view, , label]) => {
    const {gains, loses, kills, rows} = change(before, after, view);
    const line = (row, cls) => {
      const by = share(Math.abs(Math.round(row.by * 100) / 100));
      return h(
        'li',
        {},
        h('span', {}, h('i', {class: 'dot ' + colourClass(row.name)}), ' ', visible(row.name)),
        h('span', {class: 'num'}, `${whole(row.running)} → ${share(row.then)}`),
        h('span', {class: `num ${cls}`}, (row.by > 0 ? '+' : '−') + by),
      );
    };
    const said = (text) => h('p', {class: 'muted'}, text);
    const head = h('h3', {}, label);
    if (!rows.length) {
      const words = 'gives queues no share of their own: jobs run in their order. Nobody is killed.';
      return h('div', {}, head, said(`${to} ${words}`));
    }
    if (!gains.length && !loses.length)
      return h('div', {}, head, said('Nobody would gain or lose as things are now.'));
    const where = `where ${to} preempts and its time limits are over; else as tasks end.`;
    // How many containers that would be depends on which.
    const most = areSlots(classes)
      ? `At most ${counted(kills, 'running attempt')} may be killed for it, ${where}`
      : `Running attempts may be killed for it, ${where}`;
    const list = [gains.map((row) => line(row, 'gain')), loses.map((row) => line(row, 'loss'))];
    return h(
      'div',
      {},
      head,
      h('ul', {class: 'lines'}, list),
      said(kills ? most : 'No kills are expected.'),
    );
  });
}

const CLAIM_HEADS = [
  'Queue',
  ['Owed', 'Slots that it would be owed: of its guarantee, and with tasks for them.', 'right'],
  ['As now', 'Slots of these that it is owed already.', 'right'],
  ['Kills in', WORDS.killsIn, 'right'],
];

/** The claims under the settings, each with when it kills. */
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
