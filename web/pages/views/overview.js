// The overview: what the cluster has and does, the tree of queues, who is owed slots, and which
// jobs wait for what.
import {h, fill, panelOf, setText, setVars, visible} from '../dom.js';
import {QueueTree, firstKill, killLines} from '../queue_tree.js';
import {legend} from '../bars.js';
import {whole, timeOf, clock, duration, counted, amountOf, nameOf} from '../format.js';
import {href} from '../router.js';
import {WORDS} from '../words.js';
import {queueLink, stateBadge} from '../job_cells.js';
import {areSlots, classesOf, clusterOf, showQueues} from '../measure.js';
import {loading} from '../states.js';
import {followFailures} from '../failures.js';
import {history} from '../queue_history.js';

const WAITING = 'WAITING,PENDING,HELD';
const SHOWN = 9;
const FEW_QUEUES = 12;

function stat(label, tip, href = null) {
  const value = h('span', {class: 'stat-value'}, '–');
  const note = h('span', {class: 'stat-note'});
  const element = h(
    href ? 'a' : 'div',
    {class: 'stat', href, tip, tabindex: href ? null : 0},
    h('span', {class: 'stat-label'}, label),
    value,
    note,
  );
  return {
    element,
    value,
    note,
    set(text, more = '') {
      setText(value, text);
      setText(note, more);
    },
  };
}

function panel(head, ...content) {
  return panelOf(h('div', {class: 'panel-head'}, head), content);
}

/** What comes last where there is room for one column only. */
function late(...content) {
  const element = panel(...content);
  element.classList.add('late');
  return element;
}

function explained(title, tip) {
  return h('h2', {tabindex: 0, tip}, title);
}

function classStat([view, kind, label], slots) {
  const one = stat(
    label,
    `${slots ? label : `The ${nameOf(kind)}`} of all trackers that are not lost: used by ` +
      `attempts / all. Free: of live ones, which may get tasks; withheld: of the others.`,
    '/trackers',
  );
  const meter = h('span', {class: 'meter'}, h('i'));
  one.element.append(meter);
  return {
    ...one,
    show(cluster) {
      const slots = clusterOf(cluster, view);
      const text = `${whole(slots.used)} / ${whole(slots.total)}`;
      one.value.classList.toggle('long', text.length > 15);
      one.set(
        text,
        ['free', 'withheld', 'awaited', 'lost']
          .filter((name, i) => !i || slots[name])
          .map((name) => `${whole(slots[name])} ${name}`)
          .join(', '),
      );
      meter.style.setProperty('--part', slots.total ? slots.used / slots.total : 0);
    },
  };
}

/** What is owed: slots, or so much of each dimension. */
function owedInAll({claims, dimensions}) {
  const sum = (of) => of.reduce((all, claim) => all + claim.slots, 0);
  if (!claims.some((claim) => claim.dimension)) return sum(claims) && counted(sum(claims), 'slot');
  const of = (name) => sum(claims.filter((claim) => claim.dimension === name));
  return Object.keys(dimensions)
    .filter(of)
    .map((name) => amountOf(of(name), name))
    .join(', ');
}

/** Claims of a queue that say the same are shown as one. */
function claimRows(list, claims, readAt) {
  const ago = Date.now() - readAt;
  const lines = new Map();
  for (const {queue, slots, ...claim} of claims) {
    const kind = claim.dimension ?? claim.kind;
    const when = firstKill([claim], ago) || 'never';
    const key = [queue, kind, when].join();
    lines.set(key, {queue, kind, when, slots: slots + (lines.get(key)?.slots ?? 0)});
  }
  const shown = [...lines.values()];
  const rows = shown.map(({queue, kind}) => queue + kind).join('\n');
  if (list.rows !== rows || !shown.length) {
    list.rows = rows;
    fill(
      list,
      shown.length
        ? shown.map(({queue}) =>
            h('li', {}, queueLink(queue), h('span', {tip: WORDS.owed}), h('span', {class: 'num', tip: WORDS.killsIn})),
          )
        : h('li', {class: 'none'}, 'Nobody is owed anything.'),
    );
  }
  shown.forEach(({kind, when, slots}, i) => {
    const [, owed, left] = list.children[i].children;
    setText(owed, amountOf(slots, kind));
    setText(left, when);
  });
}

function killRow(kill) {
  const by = visible(kill.claimant || 'a queue that is gone');
  return h(
    'li',
    {class: 'kill'},
    h('span', {class: 'num muted', tip: WORDS.killedAt}, clock(kill.at_ms)),
    h(
      'span',
      {},
      h('a', {href: href.queue(kill.claimant)}, by),
      kill.logged ? ' would have taken ' : ' took ',
      `${kill.least}${counted(kill.slots, kill.container ? 'container' : 'slot')} back from `,
      h('a', {href: href.queue(kill.victim)}, visible(kill.victim)),
      ` (${visible(kill.user)}, ${kill.job})`,
    ),
    h('span', {class: 'num', tip: WORDS.waste}, kill.least + timeOf(kill.lost, kill.lost_ms)),
  );
}

function killRows(list, queues) {
  const lines = killLines(queues).slice(0, 6);
  const none = () => h('li', {class: 'none'}, 'No attempt was killed for another queue.');
  fill(list, lines.length ? lines.map(killRow) : none());
}

function waitingRow(job) {
  const since = duration(Date.now() - job.submitted_at_ms);
  return h(
    'li',
    {class: 'waits'},
    h(
      'a',
      {href: href.job(job.number) + '?tab=why', class: 'waits-job'},
      h('span', {class: 'mono'}, job.job),
      h('bdi', {class: 'user-text'}, visible(job.name)),
    ),
    stateBadge(job.state),
    h('span', {class: 'muted num', tip: 'How long ago it was submitted.'}, since),
    h('p', {}, visible(job.reason ?? 'It is about to start.')),
  );
}

function waitingRows(list, jobs) {
  const none = () => h('li', {class: 'none'}, 'No job waits.');
  fill(list, jobs.length ? jobs.slice(0, SHOWN).map(waitingRow) : none());
}

export function draw(page) {
  page.title('Overview');
  let counts = classesOf([]).map((one) => classStat(one, true));
  let shownCounts = String(classesOf([]));
  const policy = stat('Policy', 'The scheduling policy that rules, and for how long.', '/policy');
  const jobs = stat(
    'Jobs',
    'Jobs that run; below, those of which no task has started (pending) and those over a ' +
      'limit on running jobs (waiting).',
    '/jobs',
  );
  const claims = stat('Claims open', 'Slots that queues are owed now; below, when the first of them kills.');
  const kills = stat(
    'Kills, last hour',
    'Attempts that were killed for other queues in the last hour; below, the slot-time they ' +
      'had run, which is lost.',
    '/events?kind=kill',
  );
  const trackers = stat(
    'Trackers',
    'Trackers that are known; below, those that are not live, by their state.',
    '/trackers',
  );
  const failures = stat(
    'Failures, last hour',
    'Jobs that failed in the last hour; below, the attempts that did, of these and other jobs.',
    '/events?kind=fail',
  );
  const takenBack = explained(
    'Slots taken back',
    'Attempts of one queue that were killed so that another got the slots it was owed, newest first.',
  );
  const stats = [...counts, jobs, claims, kills, failures, policy, trackers];
  const tree = new QueueTree({});
  const failureList = h('ul', {class: 'lines'}, h('li', {class: 'none'}, 'Loading'));
  const use = h('section', {class: 'panel late'});
  const place = h('div', {}, loading());
  const means = legend();
  const claimList = h('ul', {class: 'lines'});
  const killList = h('ul', {class: 'lines'});
  const waitList = h('ul', {class: 'lines'}, h('li', {class: 'none'}, 'Loading'));
  const all = h('a', {href: href.jobs({state: WAITING})}, 'all');
  const alarm = h('div', {});
  page.root.append(
    h('h1', {class: 'unseen'}, 'Overview'),
    alarm,
    h('div', {class: 'stats'}, stats.map((one) => one.element)),
    h(
      'div',
      {class: 'with-side'},
      h(
        'div',
        {class: 'stack'},
        panel([h('h2', {}, 'Queues'), tree.scaleButton, tree.input], means.element, place),
        late(
          [
            takenBack,
            h('span', {class: 'muted'}, 'the newest of each queue'),
            h('a', {href: '/events?kind=kill'}, 'all'),
          ],
          killList,
        ),
      ),
      h(
        'div',
        {class: 'stack side'},
        panel([explained('Open claims', WORDS.claims)], claimList),
        panel(
          [
            explained(
              'Failures',
              'Jobs that failed in the last hour, and jobs that go on of which attempts did, ' +
                'newest first. Follow one to see the last lines of its attempts.',
            ),
            h('a', {href: href.jobs({state: 'FAILED'})}, 'all'),
          ],
          failureList,
        ),
        panel(
          [
            explained(
              'Waiting jobs',
              'Jobs that run nothing yet, the one that waits longest first, ' +
                'each with its first reason. Follow one to see all its reasons and to mend it.',
            ),
            all,
          ],
          waitList,
        ),
      ),
    ),
  );
  const showCounts = (value) => {
    const classes = classesOf([value]);
    if (shownCounts !== String(classes)) {
      shownCounts = String(classes);
      for (const one of counts) one.element.remove();
      counts = classes.map((one) => classStat(one, areSlots(classes)));
      jobs.element.before(...counts.map((one) => one.element));
      const all = jobs.element.parentElement;
      const rows = Math.ceil(all.children.length / 8);
      setVars(all, {stats: Math.ceil(all.children.length / rows)});
      setText(takenBack, 'Taken back');
    }
    for (const one of counts) one.show(value);
  };
  let cluster = null;
  let clusterAt = 0;
  const showClaims = () => cluster && claimRows(claimList, cluster.claims, clusterAt);
  page.show(alarm, '/cluster', {topic: 'cluster', every: 3000}, (value) => {
    cluster = value;
    clusterAt = Date.now();
    fill(
      alarm,
      value.store_error
        ? h('p', {class: 'banner bad'}, `The store refuses writes: ${visible(value.store_error)}`)
        : null,
    );
    showCounts(value);
    policy.set(value.policy, value.policy_since_ms ? `for ${duration(value.now_ms - value.policy_since_ms)}` : '');
    jobs.set(
      `${whole(value.jobs.running)} running`,
      `${whole(value.jobs.pending)} pending, ${whole(value.jobs.waiting)} waiting`,
    );
    const owed = owedInAll(value);
    const first = firstKill(value.claims);
    const when = first && (/\d/.test(first) ? 'first in ' : '') + first;
    claims.set(whole(value.claims.length), [owed || 'nobody is owed', when].filter(Boolean).join(', '));
    const hour = value.kills_last_hour ?? {};
    kills.set(
      whole(hour.attempts),
      hour.attempts ? `${timeOf(hour.waste_slot_ms, hour.waste_ms)} lost` : 'nothing lost',
    );
    const away = Object.entries(value.trackers_by_state).filter(([state]) => state !== 'LIVE');
    trackers.set(
      whole(value.trackers),
      away.map(([state, count]) => `${whole(count)} ${state.toLowerCase()}`).join(', ') || 'all live',
    );
    trackers.element.classList.toggle('alarming', away.length > 0);
    tree.set(null, value);
    showClaims();
  });
  page.every(1000, showClaims);
  followFailures(page, failureList, (failedJobs, attempts, any) => {
    failures.set(failedJobs, attempts);
    failures.element.classList.toggle('alarming', any > 0);
  });
  showQueues(page, place, (queues) => {
    if (!tree.mounted) {
      fill(place);
      tree.mounted = tree.table.mount(page, place);
      // Where there is room: below few queues, beside many.
      const [main, side] = page.root.querySelectorAll('.with-side > .stack');
      if (queues.length > FEW_QUEUES) side.append(use);
      else main.lastChild.before(use);
      history(page, use, 'root', () => 'cluster', 'Use over time');
    }
    means.show(queues);
    tree.set(queues);
    killRows(killList, queues);
  });
  page.show(
    waitList,
    `/jobs?state=${WAITING}&sort=submitted&limit=200`,
    {topic: 'jobs', every: 5000, least: 3000},
    (waiting) => {
      waitingRows(waitList, waiting);
      setText(all, waiting.length > SHOWN ? `all ${waiting.length === 200 ? '200+' : waiting.length}` : 'all');
    },
  );
}
