// One job: why it waits and what would mend it, its progress over time on the trackers, counters,
// failed attempts with their last lines, logs, and what can be changed.
import {h, fill, panelOf, setText, visible} from '../dom.js';
import {drawTabs} from '../tabs.js';
import {duration, fullMoment, millionths, whole, DASH} from '../format.js';
import {href} from '../router.js';
import {stateBadge} from '../job_cells.js';
import {setProgress} from '../bars.js';
import {colourClass, knowQueues} from '../colours.js';
import {askMove, askPriority, askRelease, askKill, jobKey} from '../actions.js';
import {drawWhy} from '../job_why.js';
import {drawAttempts, drawFailures, drawCounters} from '../job_parts.js';
import {drawLogs} from '../job_log.js';
import {drawSubmission} from '../job_submission.js';
import {isOver} from '../rights.js';
import {typing} from '../keyboard.js';
import {loading} from '../states.js';
import {tasksOf} from '../measure.js';
import {showFacts} from '../plain_table.js';

function facts(job) {
  const list = [
    ['queue', h('a', {href: href.queue(job.queue)}, visible(job.queue))],
    ['user', h('a', {href: href.jobs({user: job.user})}, h('bdi', {}, visible(job.user)))],
    ['priority', job.priority],
    ['submitted', fullMoment(job.submitted_at_ms)],
    ['first task', fullMoment(job.started_at_ms)],
    ['ended', fullMoment(job.finished_at_ms)],
    ['output', h('span', {class: 'mono'}, visible(job.output) || DASH)],
  ];
  if (job.pool) list.splice(1, 0, ['pool', h('a', {href: '/pools'}, visible(job.pool))]);
  if (job.time_limit_ms)
    list.push(
      ['time limit', duration(job.time_limit_ms), 'It is killed if it takes longer than this.'],
      ['over at', fullMoment(job.deadline_ms)],
    );
  if (job.status) list.push(['status', visible(job.status)]);
  return list;
}

function progressText(tasks) {
  const parts = [
    `${whole(tasks.succeeded)} of ${whole(tasks.total)} done ` +
      `(${millionths(tasks.progress_millionths)})`,
    `${whole(tasks.running)} running`,
    `${whole(tasks.pending)} pending`,
  ];
  if (tasks.failed_attempts) parts.push(`${whole(tasks.failed_attempts)} failed`);
  if (tasks.killed_attempts) parts.push(`${whole(tasks.killed_attempts)} killed`);
  if (tasks.copying || tasks.copied)
    parts.push(`${whole(tasks.copying ?? 0)} copying, ${whole(tasks.copied ?? 0)} copied`);
  if (tasks.speculative)
    parts.push(`${whole(tasks.speculative)} speculative, ${whole(tasks.speculative_won)} of them first`);
  return parts.join(', ');
}

function progress(label) {
  const bar = h('div', {});
  const text = h('span', {class: 'num'});
  const element = h(
    'div',
    {class: 'wide-bar', hidden: true},
    h('span', {class: 'muted path', title: label}, label),
    bar,
    text,
  );
  return {
    element,
    set(tasks, queue) {
      element.hidden = !tasks.total;
      setProgress(bar, tasks, queue);
      setText(text, progressText(tasks));
    },
  };
}

export function draw(page) {
  const id = page.params.id;
  const number = Number(id.replace(/^job_/, ''));
  page.title(`job ${id.replace(/^job_0*/, '')}`);
  page.jobs = Number.isSafeInteger(number) ? [number] : [];
  const path = '/jobs/' + encodeURIComponent(id);
  let job = null;
  const trouble = h('div', {}, loading());
  const name = h('bdi', {class: 'user-text'});
  const badge = h('span', {});
  const title = h('span', {}, id);
  const act = (text, ask, className = '') =>
    h('button', {class: className, on: {click: () => job && ask(job)}}, text);
  const release = act('Release…', askRelease, 'primary');
  const acts = h(
    'div',
    {class: 'buttons'},
    release,
    act('Move…', askMove),
    act('Priority…', askPriority),
    act('Kill…', askKill),
  );
  const progressPlace = h('div', {});
  const bars = new Map();
  const showProgress = (value) => {
    const names = value.groups.length ? {} : {maps: 'Maps', reduces: 'Reduces'};
    for (const [key, tasks] of tasksOf(value)) {
      if (!bars.has(key)) {
        bars.set(key, progress(names[key] ?? visible(key)));
        progressPlace.append(bars.get(key).element);
      }
      bars.get(key).set(tasks, value.queue);
    }
  };
  const about = h('p', {class: 'muted'});
  const factsPlace = h('div', {});
  const rest = h('div', {hidden: true});
  page.root.append(
    page.heading([h('a', {href: '/jobs'}, 'Jobs'), ' / ', title], badge, name, h('span', {class: 'space'}), acts),
    trouble,
    rest,
  );
  rest.append(panelOf(progressPlace, about));
  document.addEventListener(
    'keydown',
    (event) => {
      if (
        !job ||
        typing(event) ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        document.querySelector('dialog[open]')
      )
        return;
      jobKey(event, job);
    },
    {signal: page.signal},
  );
  const watchers = new Set();
  const whenJob = (watcher) => {
    watchers.add(watcher);
    if (job) watcher(job);
    return () => watchers.delete(watcher);
  };
  let begun = false;
  const show = (value) => {
    job = value;
    page.title(`${job.job} ${visible(job.name).slice(0, 60)}`);
    fill(trouble);
    rest.hidden = false;
    setText(title, job.job);
    setText(name, visible(job.name));
    if (badge.state !== job.state) fill(badge, stateBadge(job.state));
    badge.state = job.state;
    acts.hidden = isOver(job);
    release.hidden = job.state !== 'HELD';
    const end = job.finished_at_ms ?? Date.now();
    showProgress(job);
    fill(
      about,
      h('i', {class: 'dot ' + colourClass(job.queue)}),
      ' ',
      h('a', {href: href.queue(job.queue)}, visible(job.queue)),
      `, ${job.priority.toLowerCase().replace('_', ' ')} priority, by `,
      h('bdi', {}, visible(job.user)),
      `, submitted ${duration(Math.max(0, Date.now() - job.submitted_at_ms))} ago` +
        (job.started_at_ms
          ? `, ${isOver(job) ? 'ran' : 'runs for'} ${duration(end - job.started_at_ms)}`
          : ''),
    );
    showFacts(factsPlace, facts(job));
    for (const watcher of watchers) watcher(job);
    if (!begun) {
      begun = true;
      begin();
    }
  };
  // A colour is a queue's wherever it is shown: which there are is known first.
  const known = new Promise((resolve) => {
    page.use('/queues', {}, (queues) => {
      if (queues) knowQueues(queues);
      resolve();
    });
  });
  known.then(() => page.show(trouble, path, {topic: 'jobs', every: 4000, beside: [acts]}, show));
  const begin = () =>
    drawTabs(
      rest,
      [
        ['why', isOver(job) ? 'How it ended' : 'Why it waits', (place) => drawWhy(page, place, path, whenJob)],
        ['attempts', 'Attempts', (place) => drawAttempts(page, place, path, () => job.groups.map((one) => one.name))],
        ['failures', 'Failures', (place) => drawFailures(page, place, path)],
        ['logs', 'Logs', (place) => drawLogs(page, place, path)],
        ['counters', 'Counters', (place) => drawCounters(page, place, path, () => isOver(job))],
        [
          'settings',
          'Settings',
          (place) => {
            place.append(panelOf(factsPlace));
            return drawSubmission(page, place, path);
          },
        ],
      ],
      {label: 'Views of the job'},
    );
}
