// Why a job waits: every reason with its numbers, what would mend it and the buttons that do, and
// beside it who comes before it and who has what its queue is guaranteed.
import {h, fill, oneLine, panelOf, visible} from './dom.js';
import {get, withQuery} from './api.js';
import {href} from './router.js';
import {MENDS, MEND_ACTIONS, WORDS} from './words.js';
import {showFacts} from './plain_table.js';
import {PRIORITIES, askMove, askPriority, askRelease, move} from './actions.js';
import {confirm, notice} from './dialogs.js';
import {colourClass, knowQueues} from './colours.js';
import {areSlots, classesOf, figuresOf, measureOfAll, roomOf} from './measure.js';
import {slotsText, sumOfTasks} from './measure.js';
import {failure, loading} from './states.js';
import {PRIORITY, isOver, mayChange, openTo, priorityCounts} from './rights.js';

const muted = (text) => h('p', {class: 'muted'}, text);
const head = (text) => h('div', {class: 'panel-head'}, h('h2', {}, text));

/** What helps this job, of what whoever acts may do. */
function remedies(job, {policy, queue, queues}) {
  const may = mayChange(job, queue);
  const targets = may ? openTo(queues, [job.queue]) : [];
  const counts = priorityCounts(policy, queue);
  return {may, targets, counts, higher: may && counts && job.priority !== 'VERY_HIGH'};
}

function mends(reason, job, {may, targets, higher}) {
  const all = {
    move: () => targets.length && h('button', {on: {click: () => askMove(job)}}, 'Move…'),
    release: () => may && h('button', {on: {click: () => askRelease(job)}}, 'Release…'),
    priority: () => higher && h('button', {on: {click: () => askPriority(job)}}, 'Priority…'),
    owners: () =>
      h('a', {href: href.queue(job.queue)}, `Who uses the slots of ${visible(job.queue)}`),
    settings: () => h('a', {href: '/settings'}, 'Settings'),
    trackers: () => h('a', {href: '/trackers'}, 'Trackers'),
  };
  const buttons = (MEND_ACTIONS[reason.code] ?? []).map((key) => all[key]()).filter(Boolean);
  return buttons.length ? h('div', {class: 'buttons left'}, buttons) : null;
}

const rank = (job) => PRIORITIES.indexOf(job.priority);
const needs = (job) => (job.maps.pending ? 'maps' : 'reduces');

/** The jobs that are served before it, in order, of those that want slots of its class. */
async function jobsBefore(job, policy, signal) {
  const kind = needs(job);
  const asked =
    policy === 'fifo' // all queues in one line
      ? {state: 'RUNNING,PENDING', sort: 'submitted', limit: 2000}
      : {queue: job.queue, sort: 'service', class: kind.slice(0, -1), limit: 1000};
  const jobs = await get(withQuery('/jobs', asked), {signal});
  if (policy === 'fifo')
    jobs.sort((a, b) => rank(a) - rank(b) || a.number - b.number);
  const at = jobs.findIndex((one) => one.number === job.number);
  return jobs
    .slice(0, Math.max(0, at))
    .filter((one) => (one.groups.length ? sumOfTasks(one, 'pending') : one[kind].pending) > 0);
}

function named(job) {
  return [
    h('a', {href: href.job(job.number)}, job.job, ' ', h('bdi', {}, visible(job.name))),
    ` of ${visible(job.user)} (${job.priority.toLowerCase().replace('_', ' ')} priority)`,
  ];
}

function beforeLine(before) {
  if (!before?.length) return null;
  const last = before.at(-1);
  return h(
    'p',
    {class: 'before'},
    'Right before it: ',
    named(last),
    before.length > 1 ? ['; first of all: ', named(before[0])] : null,
    '.',
  );
}

function advice(reason, {counts}) {
  const more =
    reason.code === 'jobs_before' && counts
      ? ' A higher priority puts it before those of a lower one.'
      : '';
  return MENDS[reason.code] && muted(MENDS[reason.code] + more);
}

/** What its next task asks for, or its gang: [view, amount] of each. */
function nextOf(job, asked, slots) {
  const kind = needs(job).slice(0, -1);
  if (slots) return [[needs(job), asked[`slots_per_${kind}`]]];
  const at = job.groups.findIndex((one) => one.tasks.pending);
  const group = asked.groups?.[at];
  const tasks = (!job.groups[at]?.tasks.running && group?.gang) || 1;
  const of = (key) => [key, tasks * ((group ? group[key] : asked[`${kind}_${key}`]) || 1)];
  const named = Object.entries(group?.resources ?? {});
  return [of('memory_mb'), of('vcores'), ...named.map(([name, one]) => [name, tasks * one])];
}

function suggestion(job, {may, targets}, asked) {
  if (!may) return muted('Its owner, or who administers its queue, may change it.');
  if (job.state === 'HELD')
    return h('p', {}, 'It would start in no queue while it is held: release it first.');
  const next = nextOf(job, asked, areSlots(classesOf(targets)));
  const [view] = next[0];
  const to = targets
    .filter((queue) => next.every(([of, amount]) => roomOf(queue, of) >= amount))
    .sort((a, b) => roomOf(b, view) - roomOf(a, view))[0]?.name;
  if (!to) return muted('No other queue to which it may go has room for it now.');
  const body = h('p', {}, `${job.job} goes from ${job.queue} to ${to}; what it runs goes on.`);
  const ask = () =>
    confirm({title: 'Move the job', action: 'Move', body, run: () => move(job, to)}).catch(
      (error) => notice(error.message, {bad: true}),
    );
  return h(
    'p',
    {},
    'Queue ',
    h('a', {href: href.queue(to)}, visible(to)),
    ' has room for it now. ',
    h('button', {on: {click: ask}}, `Move it to ${to}`),
  );
}

function priorityLine(policy, {counts}) {
  const text =
    PRIORITY[policy] ??
    (counts
      ? 'This queue goes by priority.'
      : 'This queue goes by submit time: under capacity, priority does not count in it.');
  return muted(text);
}

const BEFORE_KEPT_MS = 15_000;
const DUE = {guarantee: 'guaranteed', share: 'fairShare', none: 'maximum'};
const ENDS = {SUCCEEDED: 'It has succeeded', FAILED: 'It has failed', KILLED: 'It was killed'};

export function drawWhy(page, place, path, whenJob) {
  const reasonsPlace = panelOf(loading());
  const side = panelOf(h('h2', {}, 'What could be done'), loading());
  place.append(h('div', {class: 'with-side'}, reasonsPlace, h('div', {class: 'side'}, side)));
  let over = false;
  let known = {text: '', at: 0, jobs: null};
  // Who comes first is read anew where the reasons have changed, and now and then.
  const beforeIt = async ({reasons, status}, policy) => {
    if (!reasons.some((reason) => reason.code === 'jobs_before')) return null;
    const text = JSON.stringify([reasons, status.queue, status.priority, policy]);
    if (text !== known.text || Date.now() - known.at > BEFORE_KEPT_MS) {
      const jobs = await jobsBefore(status, policy, page.signal).catch(() => null);
      known = {text, at: Date.now(), jobs};
    }
    return known.jobs;
  };
  const read = async () => {
    if (over || !reasonsPlace.isConnected) return;
    try {
      const paths = [path + '/explain', '/queues', '/cluster', path + '/submission'];
      const all = paths.map((one) => get(one, {signal: page.signal}));
      const [explained, queues, {policy}, asked] = await Promise.all(all);
      const job = explained.status;
      const before = await beforeIt(explained, policy);
      if (over) return;
      knowQueues(queues);
      const queue = queues.find((one) => one.name === job.queue);
      show(explained.reasons, job, {policy, queue, queues, before, asked});
    } catch (error) {
      if (error.name !== 'AbortError' && error.status) fill(reasonsPlace, failure(error, read));
    }
  };
  const show = (reasons, job, {policy, queue, queues, before, asked}) => {
    const helps = remedies(job, {policy, queue, queues});
    const signature = JSON.stringify([
      reasons,
      job.queue,
      job.priority,
      helps.may && helps.targets.map((one) => one.name),
      helps.higher,
      [before?.[0], before?.at(-1)].map((one) => one?.number),
    ]);
    if (signature !== reasonsPlace.signature) {
      reasonsPlace.signature = signature;
      fill(
        reasonsPlace,
        head(job.state === 'RUNNING' ? 'Why more of it does not run' : 'Why it waits'),
        reasons.length
          ? h(
              'ol',
              {class: 'reasons'},
              reasons.map((reason, i) =>
                h(
                  'li',
                  {class: i ? '' : 'first'},
                  h('p', {class: 'why'}, visible(reason.message)),
                  reason.code === 'jobs_before' && beforeLine(before),
                  advice(reason, helps),
                  mends(reason, job, helps),
                ),
              ),
            )
          : h('p', {}, 'Nothing holds it back: all its tasks that may run are running.'),
      );
    }
    const rows = queue
      ? classesOf([queue]).map(([view, , label]) => [
          label,
          slotsText(figuresOf(queue, view)),
          `${WORDS.running} ${WORDS[DUE[measureOfAll(queues)]]} ${WORDS.pending}`,
        ])
      : [];
    const figures = h('div', {});
    showFacts(figures, rows);
    fill(
      side,
      h('h2', {}, 'What could be done'),
      reasons.length > 0 && suggestion(job, helps, asked),
      queue
        ? [
            h(
              'h3',
              {},
              h('i', {class: 'dot ' + colourClass(queue.name)}),
              ' ',
              h('a', {href: href.queue(queue.name)}, visible(queue.name)),
            ),
            figures,
          ]
        : null,
      priorityLine(policy, helps),
    );
  };
  const stop = whenJob((job) => {
    over = isOver(job);
    if (!over) return;
    side.hidden = true;
    fill(
      reasonsPlace,
      head(ENDS[job.state]),
      h(
        'p',
        {class: 'why'},
        visible(
          oneLine(job.diagnostics) ??
            (job.state === 'SUCCEEDED'
              ? `Its output is in ${job.output}.`
              : 'No cause was recorded.'),
        ),
      ),
    );
  });
  page.on('queues', read);
  page.every(4000, read);
  read();
  return stop;
}
