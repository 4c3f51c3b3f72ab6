// What rows of jobs are made of, wherever jobs are listed.
import {h, fill, oneLine, setText, visible} from './dom.js';
import {setPath} from './names.js';
import {tone, duration, whole} from './format.js';
import {colourClass} from './colours.js';
import {setProgress} from './bars.js';
import {href} from './router.js';
import {WORDS} from './words.js';
import {sumOfTasks, tasksOf} from './measure.js';
import {Table} from './table.js';
import {jobKey} from './actions.js';

export function stateBadge(state) {
  return h('span', {class: 'badge ' + tone(state)}, state.toLowerCase());
}

const isApplication = (job) => Boolean(job.groups?.length);

function tasksText(job) {
  if (isApplication(job))
    return `${whole(sumOfTasks(job, 'succeeded'))}/${whole(sumOfTasks(job, 'total'))} tasks`;
  return `${whole(job.maps.succeeded)}/${whole(job.maps.total)} maps`;
}

/** Of an application all its tasks, and what each group has. */
function tasksCell(cell, job) {
  if (!isApplication(job)) return setProgress(cell, job.maps, job.queue);
  const all = {};
  for (const key of Object.keys(job.groups[0].tasks)) all[key] = sumOfTasks(job, key);
  setProgress(cell, all, job.queue);
  const line = ([name, of]) =>
    `${visible(name)} ${whole(of.succeeded)}/${whole(of.total)} done, ${whole(of.running)} running`;
  cell.firstChild.dataset.tip = `${tasksOf(job).map(line).join('; ')}.`;
}

/** What the column of maps is called where there are applications among the jobs. */
export const tasksLabel = (jobs) => (jobs.some(isApplication) ? 'Maps, tasks' : 'Maps');

function nameCell(cell, job) {
  if (!cell.link) {
    cell.link = h('a', {});
    cell.name = h('bdi', {class: 'user-text'});
    cell.where = h('span', {});
    cell.rest = h('span', {});
    cell.sub = h('span', {class: 'sub'}, cell.where, cell.rest);
    cell.append(cell.link, cell.name, cell.sub);
  }
  cell.link.href = href.job(job.number);
  setText(cell.link, job.job);
  setText(cell.name, visible(job.name));
  cell.name.title = visible(job.name);
  const why = job.reason ?? oneLine(job.diagnostics);
  cell.where.hidden = Boolean(why);
  setPath(cell.where, job.queue ?? '');
  setText(cell.rest, visible(why ?? `, ${tasksText(job)}`));
}

function stateCell(cell, job) {
  if (cell.state === job.state) return;
  cell.state = job.state;
  fill(cell, stateBadge(job.state));
}

export const DOT = 17; // pixels of the mark in a queue's colour, and beside it

/** A queue as a link in its colour. */
export function queueLink(name) {
  const text = h('span', {});
  setPath(text, name);
  return h('a', {href: href.queue(name), class: 'with-dot'}, h('i', {class: 'dot ' + colourClass(name)}), text);
}

function queueCell(cell, {queue}) {
  if (!cell.link) {
    cell.dot = h('i', {});
    cell.link = h('a', {});
    cell.append(cell.dot, cell.link);
  }
  cell.dot.className = 'dot ' + colourClass(queue);
  cell.dot.hidden = cell.link.hidden = !queue;
  cell.link.href = href.queue(queue ?? '');
  setPath(cell.link, queue ?? '');
}

/** The column of what has a queue, or has none: as wide as the longest, where there is room. */
export function queueColumn(options) {
  return {
    key: 'queue',
    label: 'Queue',
    least: 118,
    names: {of: ({queue}) => queue ?? '', beside: () => DOT, part: 0.2},
    className: 'with-dot',
    draw: queueCell,
    ...options,
  };
}

function reasonCell(cell, job) {
  const text = visible(job.reason ?? oneLine(job.diagnostics) ?? job.status ?? '');
  setText(cell, text);
  if (text) cell.dataset.tip = text;
  else delete cell.dataset.tip;
}

function textCell(of) {
  return (cell, job) => {
    const text = visible(of(job));
    if (!cell.firstChild) cell.append(h('bdi', {}));
    setText(cell.firstChild, text);
    if (cell.title !== text) cell.title = text;
  };
}

export function age(job, now = Date.now()) {
  if (job.finished_at_ms && job.started_at_ms)
    return duration(job.finished_at_ms - job.started_at_ms);
  return duration(Math.max(0, (job.finished_at_ms ?? now) - job.submitted_at_ms));
}

/** The columns of jobs; without `queue` where all are of one, with `select` where some may be. */
export function jobColumns({queue = true, select = null} = {}) {
  return [
    ...(select ? [select] : []),
    {
      key: 'job',
      label: 'Job',
      width: 'minmax(150px, 1.3fr)',
      sort: 'submitted',
      descending: true,
      className: 'job-name',
      draw: nameCell,
    },
    {key: 'state', label: 'State', width: '92px', sort: 'state', draw: stateCell},
    ...(queue
      ? [queueColumn({from: 620, sort: 'queue'})]
      : []),
    {
      key: 'user',
      label: 'User',
      width: 'minmax(70px, 0.4fr)',
      from: 760,
      sort: 'user',
      draw: textCell((job) => job.user),
    },
    {
      key: 'maps',
      label: 'Maps',
      width: 'minmax(80px, 110px)',
      from: 480,
      tip: WORDS.maps,
      draw: tasksCell,
    },
    {
      key: 'reduces',
      label: 'Reduces',
      width: 'minmax(80px, 110px)',
      from: 860,
      tip: WORDS.reduces,
      draw: (cell, job) => setProgress(cell, job.reduces, job.queue),
    },
    {
      key: 'running',
      label: 'Running',
      width: '68px',
      from: 1500,
      right: true,
      tip: 'Tasks of the job that run now, maps and reduces together.',
      text: (job) => whole(sumOfTasks(job, 'running')),
    },
    {
      key: 'priority',
      label: 'Priority',
      width: '88px',
      from: 1340,
      tip: WORDS.priority,
      sort: 'priority',
      descending: true,
      text: (job) => job.priority.toLowerCase().replace('_', ' '),
    },
    {
      key: 'age',
      label: 'Time',
      width: '68px',
      from: 680,
      right: true,
      tip: 'Since it was submitted; of a job that is over, from its first task to its end.',
      text: (job) => age(job),
    },
    {
      key: 'reason',
      label: 'Why it waits',
      width: 'minmax(160px, 2.8fr)',
      from: 940,
      tip: WORDS.reason,
      className: 'reason',
      draw: reasonCell,
    },
  ];
}

export function jobTable(options) {
  return new Table({
    columns: jobColumns(options),
    keyOf: (job) => job.number,
    narrow: {below: 620, rowHeight: 58},
    hrefOf: (job) => href.job(job.number),
    onKey: jobKey,
    ...options,
  });
}
