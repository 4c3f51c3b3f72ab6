// The tables of a queue's page: users, claims, kills, settings.
import {h, visible} from './dom.js';
import {queueLink} from './job_cells.js';
import {plainTable, showFacts, wideTable} from './plain_table.js';
import {DASH, amountOf, clock, duration, moment, seconds} from './format.js';
import {slotTime, timeOf, whole} from './format.js';
import {href} from './router.js';
import {classesOf, figuresOf, measureOf} from './measure.js';
import {killLines} from './queue_tree.js';
import {empty} from './states.js';
import {WORDS} from './words.js';

export function claimTable(queue) {
  if (!queue.claims.length) return empty('It is owed nothing.');
  const heads = [
    'Class',
    [queue.claims[0].dimension ? 'Owed' : 'Slots owed', WORDS.owed],
    ['Opened', WORDS.opened, 'num'],
    ['Kills in', WORDS.killsIn, 'num'],
    'State',
  ];
  const killsIn = (claim) => {
    if (claim.state === 'paused') return DASH;
    if (claim.milliseconds_left < 0) return 'never';
    return claim.overdue_ms
      ? `overdue since ${duration(claim.overdue_ms)}`
      : seconds(claim.milliseconds_left);
  };
  return plainTable(
    heads,
    queue.claims.map((claim) => [
      claim.dimension ?? claim.kind,
      claim.dimension ? amountOf(claim.slots, claim.dimension) : whole(claim.slots),
      claim.opened_at_ms ? clock(claim.opened_at_ms) : DASH,
      killsIn(claim),
      (claim.state ?? DASH).replaceAll('_', ' '),
    ]),
  );
}

export function killTable(queue) {
  if (!queue.kills.length) return empty('No attempt was killed for it or of it.');
  const heads = [
    ['When', WORDS.killedAt, 'num'],
    'For',
    'Of',
    'User',
    'Job',
    [queue.kills.some((kill) => kill.container) ? 'Containers' : 'Slots', WORDS.killed],
    ['Lost', WORDS.waste, 'num'],
    ['Outcome', WORDS.outcome],
  ];
  return wideTable(
    heads,
    killLines([queue]).map((kill) => [
      clock(kill.at_ms),
      queueLink(kill.claimant),
      queueLink(kill.victim),
      visible(kill.user),
      h('a', {href: '/jobs/' + kill.job}, kill.job),
      kill.least + whole(kill.slots),
      kill.least + timeOf(kill.lost, kill.lost_ms),
      kill.outcome,
    ]),
  );
}

const limit = (n) => (n === null ? '' : ` / ${whole(n)}`);

/** What a user holds and may hold of what is counted here: heads, and cells of one user. */
function held(queue) {
  const dimensions = Object.keys(queue.dimensions);
  if (dimensions.length) {
    const tip = (name) => `Of ${visible(name)} that the user has / how much one user may hold now.`;
    const cell = (one) => (name) =>
      whole(one.dimensions[name]?.running) + limit(one.dimensions[name]?.limit ?? null);
    return {
      heads: dimensions.map((name) => [visible(name), tip(name)]),
      cells: (one) => dimensions.map(cell(one)),
    };
  }
  return {
    heads: [
      ['Map slots', 'Running map slots of the user / how many one user may hold now.'],
      ['Reduce slots', 'Running reduce slots of the user / how many one user may hold now.'],
    ],
    cells: (one) => [
      whole(one.running_maps) + limit(one.limit_maps),
      whole(one.running_reduces) + limit(one.limit_reduces),
    ],
  };
}

/** What a user has used, or lost, since the totals count. */
function had(one, what) {
  const amounts = Object.entries(one.dimensions).map(([name, its]) => [name, its[what + '_ms']]);
  const slots = (one[what + '_map_slot_ms'] ?? 0) + (one[what + '_reduce_slot_ms'] ?? 0);
  return timeOf(slots, amounts.length ? Object.fromEntries(amounts) : null);
}

export function userTable(queue) {
  const since = moment(queue.totals_since_ms);
  if (!queue.users.length) return empty(`Nobody has or had jobs here since ${since}.`);
  const {heads: heldHeads, cells} = held(queue);
  const heads = [
    'User',
    ...heldHeads,
    ['Jobs', WORDS.jobs],
    ['Used', `What attempts that have ended had, since ${since}.`, 'num'],
    ['Lost', WORDS.waste, 'num'],
  ];
  return wideTable(
    heads,
    queue.users.map((one) => [
      h('a', {href: href.jobs({queue: queue.name, user: one.user})}, h('bdi', {}, visible(one.user))),
      ...cells(one),
      `${one.jobs_running ?? 0}/${one.jobs_pending ?? 0}/${one.jobs_waiting ?? 0}`,
      had(one, 'used'),
      had(one, 'lost'),
    ]),
  );
}

const IDLE_GUARANTEE =
  'Guaranteed slots (GC): what the queue can have whenever it wants them, while capacity rules.';

function maximumOf(queue) {
  const dimensions = Object.entries(queue.dimensions);
  if (dimensions.length)
    return dimensions.map(([name, its]) => amountOf(its.maximum, name)).join(', ');
  return `${whole(queue.maps.maximum)} map, ${whole(queue.reduces.maximum)} reduce slots`;
}

/** Facts of what the queue has had: of maps and reduces, or a line a dimension. */
function totals(queue, idle) {
  const when = idle ? ' Lent and borrowed: while capacity ruled.' : '';
  const tip = `${WORDS.slotTime}${when} Since ${moment(queue.totals_since_ms)}.`;
  const fact = (name, time, text) => [
    `used, lent, borrowed (${name})`,
    time ? ['used', 'lent', 'borrowed'].map((key) => text(time[key + '_ms'])).join(', ') : DASH,
    tip,
  ];
  const dimensions = Object.entries(queue.dimensions);
  if (dimensions.length)
    return dimensions.map(([name, its]) =>
      fact(visible(name), its.time, (ms) => timeOf(0, {[name]: ms})),
    );
  return [fact('maps', queue.map_slot_time, slotTime), fact('reduces', queue.reduce_slot_time, slotTime)];
}

/** `policy` rules now: guarantees, and what they are defended by, count under capacity alone. */
export function settingsList(queue, policy) {
  const time = (ms) => (ms === null ? DASH : ms < 0 ? 'never' : duration(ms));
  const named = (names) =>
    names === null
      ? 'everybody'
      : names.length
        ? names.map(visible).join(', ')
        : 'administrators alone';
  const slots = classesOf([queue]).map(([view]) => figuresOf(queue, view));
  const idle = !slots.some((one) => measureOf(one) === 'guarantee');
  const not = idle ? `; does not count while ${policy ?? 'another policy'} rules` : '';
  const facts = [
    ['guaranteed', queue.guaranteed + not, idle ? IDLE_GUARANTEE : WORDS.guaranteed],
    ['maximum', maximumOf(queue), WORDS.maximum],
    [
      'reclaim after',
      (Object.keys(queue.dimensions).length
        ? time(queue.reclaim_after_map_ms)
        : `map ${time(queue.reclaim_after_map_ms)}, reduce ${time(queue.reclaim_after_reduce_ms)}`) +
        not,
      'How long a claim of the queue waits until tasks of others are killed for it.',
    ],
    [
      'kill budget',
      (queue.kill_budget === null
        ? 'unlimited'
        : `${whole(queue.kill_budget)} slot-seconds an hour`) + not,
      'Slot-time of its tasks that may be lost to kills for other queues within an hour.',
    ],
    ['goes by priority', queue.priorities === null ? DASH : queue.priorities ? 'yes' : 'no, by submit time'],
    ['submit', named(queue.submit)],
    ['administer', named(queue.administer)],
    ...totals(queue, idle),
  ];
  const list = h('div', {});
  showFacts(list, facts);
  return h('div', {}, list, h('p', {}, h('a', {href: '/settings'}, 'Change the settings')));
}
