// The parts of a queue's page: who uses its slots, its history, users, claims, kills, settings.
import {h, fill, setText, visible} from './dom.js';
import {CLASSES, givenTo} from './bars.js';
import {queueLink} from './job_cells.js';
import {plainTable, showFacts, wideTable} from './plain_table.js';
import {timeChart} from './chart.js';
import {withQuery, get} from './api.js';
import {whole, share, counted, duration, seconds, slotTime, clock, DASH} from './format.js';
import {href, query, setQuery} from './router.js';
import {killLines} from './queue_tree.js';
import {empty} from './states.js';
import {WORDS} from './words.js';

const SPANS = [
  ['10m', 600_000, '1s'],
  ['3h', 10_800_000, '10s'],
  ['2d', 172_800_000, '1m'],
  ['60d', 5_184_000_000, '15m'],
];
/** Who runs above its guarantee now, and so on what others are guaranteed. */
function borrowers(queues, view, but) {
  return queues
    .filter((one) => one.leaf && one.name !== but && (one[view].borrows ?? 0) > 0)
    .sort((a, b) => b[view].borrows - a[view].borrows);
}

/** Whose slots those are that others borrow: who lends, and who wants its own back. */
function lendersOf(queues, view, but) {
  const out = [];
  for (const one of queues) {
    if (!one.leaf || one.name === but) continue;
    const {guaranteed, running, pending, lends} = one[view];
    const short = Math.min(guaranteed, running + pending) - running;
    if (short > 0) out.push([one, `wants ${whole(short)} back`]);
    else if (lends > 0) out.push([one, `lends ${whole(lends)}`]);
  }
  return out;
}

function slotsOf(kind, sentence, list = null, lacks = false) {
  return h(
    'div',
    {},
    h('h3', {}, kind === 'map' ? 'Map slots' : 'Reduce slots'),
    h('p', {class: lacks ? 'loss' : ''}, sentence),
    list,
  );
}

/** Under fair: its share, and who runs above theirs. */
function withShare(queue, queues, view, kind) {
  const {running, pending} = queue[view];
  const own = givenTo(queue[view]).slots;
  const lacks = pending > 0 && running < Math.floor(own);
  const sentence = lacks
    ? `It runs ${whole(running)} of its fair share of ${share(own)} ${kind} slots, and is among ` +
      `the next that get one.`
    : running > own
      ? `It runs ${counted(running, `${kind} slot`)}, above its fair share of ${share(own)}.`
      : pending
        ? `It runs ${counted(running, `${kind} slot`)}, its fair share; ${whole(pending)} more ` +
          `are pending.`
        : running
          ? `It has the ${kind} slots that it wants.`
          : `It wants no ${kind} slots now.`;
  if (!pending) return slotsOf(kind, sentence);
  const above = queues.filter(
    (one) => one.leaf && one.name !== queue.name && one[view].running > (givenTo(one[view])?.slots ?? Infinity),
  );
  const lines = above.slice(0, 8).map((one) =>
    h(
      'li',
      {},
      queueLink(one.name),
      h('span', {class: 'num'}, 'above its share'),
      h(
        'span',
        {class: 'num muted', tip: `${kind} slots: running / fair share.`},
        `${whole(one[view].running)}/${share(givenTo(one[view]).slots)}`,
      ),
    ),
  );
  const none = h('li', {class: 'none'}, 'No queue runs above its fair share.');
  return slotsOf(kind, sentence, h('ul', {class: 'lines'}, lines.length ? lines : none), lacks);
}

/** Under fifo, or where pools are no queues: no queue is given a part. */
function withoutPart(queue, view, kind) {
  const {running, pending} = queue[view];
  const runs = `It runs ${counted(running, `${kind} slot`)}`;
  return slotsOf(
    kind,
    pending ? `${runs}; ${whole(pending)} more are pending, in the order of jobs.` : `${runs}.`,
  );
}

export function takers(place, queue, queues) {
  fill(
    place,
    CLASSES.map(([view, kind]) => {
      const slots = queue[view];
      const rule = givenTo(slots)?.rule;
      if (rule === 'share') return withShare(queue, queues, view, kind);
      if (!rule) return withoutPart(queue, view, kind);
      const lacking = Math.max(
        0,
        Math.min(slots.guaranteed, slots.running + slots.pending) - slots.running,
      );
      const lent = slots.lends ?? 0;
      const others = borrowers(queues, view, queue.name);
      const all = `all its guaranteed ${whole(slots.guaranteed)} ${kind} slots`;
      const sentence = lacking
        ? `It wants ${counted(lacking, `more ${kind} slot`)} of its guaranteed ` +
          `${whole(slots.guaranteed)}.`
        : slots.running > slots.guaranteed
          ? `It runs ${whole(slots.running - slots.guaranteed)} above its guaranteed ` +
            `${whole(slots.guaranteed)} ${kind} slots, borrowed from others.`
          : slots.pending
            ? `It runs ${all}; ${whole(slots.pending)} more are pending, beyond its guarantee.`
            : lent
              ? `It lends ${whole(lent)} of its guaranteed ${whole(slots.guaranteed)} ` +
                `${kind} slots, which it does not want now.`
              : slots.running
                ? `It has the ${kind} slots that it wants.`
                : `It wants no ${kind} slots now.`;
      const over = slots.running > slots.guaranteed;
      const rows = over
        ? lendersOf(queues, view, queue.name)
        : others.map((one) => [one, `borrows ${whole(one[view].borrows)}`]);
      const none = over
        ? 'No queue lends slots or wants more than it has: they are shares that round up.'
        : 'No queue borrows now.';
      return slotsOf(
        kind,
        sentence,
        lacking || lent || over || slots.pending
          ? h(
              'ul',
              {class: 'lines'},
              rows
                .slice(0, 8)
                .map(([one, text]) =>
                  h(
                    'li',
                    {},
                    queueLink(one.name),
                    h('span', {class: 'num'}, text),
                    h(
                      'span',
                      {class: 'num muted', tip: `${kind} slots: running / guaranteed.`},
                      `${whole(one[view].running)}/${whole(one[view].guaranteed)}`,
                    ),
                  ),
                ),
              rows.length ? null : h('li', {class: 'none'}, none),
            )
          : null,
        lacking > 0,
      );
    }),
  );
}

export function claimTable(queue) {
  if (!queue.claims.length) return empty('It is owed nothing.');
  const heads = [
    'Class',
    ['Slots owed', WORDS.owed],
    ['Opened', WORDS.opened, 'num'],
    ['Kills in', WORDS.killsIn, 'num'],
    'State',
  ];
  const killsIn = (claim) => {
    if (claim.milliseconds_left < 0) return 'never';
    return claim.overdue_ms
      ? `overdue since ${duration(claim.overdue_ms)}`
      : seconds(claim.milliseconds_left);
  };
  return plainTable(
    heads,
    queue.claims.map((claim) => [
      claim.kind,
      whole(claim.slots),
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
    ['Slots', WORDS.killed],
    ['Lost', WORDS.waste, 'num'],
    ['Outcome', WORDS.outcome],
  ];
  return wideTable(
    heads,
    killLines(queue.kills).map((kill) => [
      clock(kill.at_ms),
      queueLink(kill.claimant),
      queueLink(kill.victim),
      visible(kill.user),
      h('a', {href: '/jobs/' + kill.job}, kill.job),
      whole(kill.slots),
      slotTime(kill.lost),
      kill.outcome,
    ]),
  );
}

export function userTable(queue) {
  if (!queue.users.length)
    return empty('Nobody has or had jobs here since the JobTracker started.');
  const heads = [
    'User',
    ['Map slots', 'Running map slots of the user / how many one user may hold now.'],
    ['Reduce slots', 'Running reduce slots of the user / how many one user may hold now.'],
    ['Jobs', WORDS.jobs],
    ['Used', 'Slot-time of attempts that have ended, since the JobTracker started.', 'num'],
    ['Lost', WORDS.waste, 'num'],
  ];
  const limit = (n) => (n === null ? '' : ` / ${whole(n)}`);
  return wideTable(
    heads,
    queue.users.map((one) => [
      h(
        'a',
        {href: href.jobs({queue: queue.name, user: one.user})},
        h('bdi', {}, visible(one.user)),
      ),
      whole(one.running_maps) + limit(one.limit_maps),
      whole(one.running_reduces) + limit(one.limit_reduces),
      `${one.jobs_running ?? 0}/${one.jobs_pending ?? 0}/${one.jobs_waiting ?? 0}`,
      slotTime((one.used_map_slot_ms ?? 0) + (one.used_reduce_slot_ms ?? 0)),
      slotTime((one.lost_map_slot_ms ?? 0) + (one.lost_reduce_slot_ms ?? 0)),
    ]),
  );
}

export function settingsList(queue) {
  const time = (ms) => (ms === null ? DASH : ms < 0 ? 'never' : duration(ms));
  const named = (names) =>
    names === null
      ? 'everybody'
      : names.length
        ? names.map(visible).join(', ')
        : 'administrators alone';
  const facts = [
    ['guaranteed', queue.guaranteed, WORDS.guaranteed],
    [
      'maximum',
      `${whole(queue.maps.maximum)} map, ${whole(queue.reduces.maximum)} reduce slots`,
      WORDS.maximum,
    ],
    [
      'reclaim after',
      `map ${time(queue.reclaim_after_map_ms)}, reduce ${time(queue.reclaim_after_reduce_ms)}`,
      'How long a claim of the queue waits until tasks of others are killed for it.',
    ],
    [
      'kill budget',
      queue.kill_budget === null ? 'unlimited' : `${whole(queue.kill_budget)} slot-seconds an hour`,
      'Slot-time of its tasks that may be lost to kills for other queues within an hour.',
    ],
    [
      'goes by priority',
      queue.priorities === null ? DASH : queue.priorities ? 'yes' : 'no, by submit time',
    ],
    ['submit', named(queue.submit)],
    ['administer', named(queue.administer)],
    [
      'used, lent, borrowed (maps)',
      queue.map_slot_time
        ? ['used', 'lent', 'borrowed']
            .map((key) => slotTime(queue.map_slot_time[key + '_ms']))
            .join(', ')
        : DASH,
      WORDS.slotTime,
    ],
    [
      'used, lent, borrowed (reduces)',
      queue.reduce_slot_time
        ? ['used', 'lent', 'borrowed']
            .map((key) => slotTime(queue.reduce_slot_time[key + '_ms']))
            .join(', ')
        : DASH,
      WORDS.slotTime,
    ],
  ];
  const list = h('div', {});
  showFacts(list, facts);
  return h('div', {}, list, h('p', {}, h('a', {href: '/settings'}, 'Change the settings')));
}

/** Where fair ruled a queue had a share, and guarantees meant nothing. */
function shareAt(point, kind) {
  const thousandths = point[kind]?.share_thousandths;
  return typeof thousandths === 'number' ? thousandths / 1000 : null;
}

export function history(page, place, name) {
  const chartOf = (kind) =>
    timeChart({
      label: `${name}: ${kind} slots over time`,
      unit: `${kind} slots`,
      series: [
        {name: 'running', kind: 'area', className: 'c-running', of: (p) => p[kind]?.running},
        {
          name: 'guaranteed',
          kind: 'step',
          className: 'c-guaranteed',
          of: (p) => (shareAt(p, kind) === null ? p[kind]?.guaranteed : null),
        },
        {
          name: 'allocated',
          kind: 'step',
          className: 'c-allocated',
          of: (p) => (shareAt(p, kind) === null ? p[kind]?.allocated : null),
        },
        {
          name: 'fair share',
          kind: 'step',
          className: 'c-share',
          of: (p) => shareAt(p, kind),
        },
        {
          name: 'pending',
          kind: 'line',
          clip: true,
          className: 'c-pending',
          of: (p) => p[kind]?.pending,
        },
      ],
    });
  const charts = CLASSES.map(([, kind]) => [kind, chartOf(kind)]);
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
      for (const [, chart] of charts) chart.set(series.points, series.step_ms);
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
  place.append(
    h('div', {class: 'panel-head'}, h('h2', {}, 'History'), chips),
    problem,
    h(
      'div',
      {class: 'columns'},
      charts.map(([kind, chart]) =>
        h('div', {}, h('h3', {}, kind === 'map' ? 'Map slots' : 'Reduce slots'), chart.element),
      ),
    ),
  );
  read();
  page.every(5000, read);
}
