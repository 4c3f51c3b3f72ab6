// Several jobs of a list at a time: which are selected, and kill, move and priority of all of them
// by one dialog. Each is a call of its own, and what is refused is told by job.
import {get, send} from './api.js';
import {h, setText, visible} from './dom.js';
import {confirm, notice, openDialog, refusal} from './dialogs.js';
import {counted, whole} from './format.js';
import {PRIORITIES, priorityNote, queueOptions} from './actions.js';
import {mayBeChanged, openTo} from './rights.js';
import {sumOfTasks} from './measure.js';

const NAMED = 5;
const AT_A_TIME = 4;
const TRIES = 6; // of a call that the server has no room for now
const HINT = 'Boxes, or Space in a row, select jobs to change together.';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function call(one) {
  for (let tries = 1; ; tries++) {
    try {
      return await one();
    } catch (error) {
      if (tries === TRIES || ![429, 503].includes(error.status)) throw error;
      await pause(500 * tries);
    }
  }
}

/** Calls for each of the jobs, a few at a time; `told` hears how many are through. */
async function each(jobs, change, told) {
  const done = [];
  const failed = [];
  const left = [...jobs];
  const worker = async () => {
    for (let job = left.shift(); job; job = left.shift()) {
      try {
        await call(() => change(job));
        done.push(job);
      } catch (error) {
        failed.push({job, error});
      }
      told(done.length + failed.length);
    }
  };
  await Promise.all(Array.from({length: AT_A_TIME}, worker));
  return {done, failed};
}

function firstFew(jobs) {
  return h(
    'ul',
    {class: 'bare few'},
    jobs
      .slice(0, NAMED)
      .map((job) =>
        h(
          'li',
          {},
          h('span', {class: 'mono'}, job.job),
          ' ',
          h('bdi', {}, visible(job.name)),
          h('span', {class: 'muted'}, `, of ${visible(job.user)} in ${visible(job.queue)}`),
        ),
      ),
    jobs.length > NAMED
      ? h('li', {class: 'muted'}, `and ${whole(jobs.length - NAMED)} more`)
      : null,
  );
}

function tellFailures({done, failed}, are) {
  openDialog(
    `${whole(done.length)} of ${whole(done.length + failed.length)} jobs ${are}`,
    h(
      'div',
      {},
      h('p', {}, `${counted(failed.length, 'job')} could not be changed, and stay selected:`),
      h(
        'ul',
        {class: 'bare failures'},
        failed.map(({job, error}) =>
          h('li', {}, h('a', {href: `/jobs/${job.number}`}, job.job), ' ', refusal(error)),
        ),
      ),
    ),
  );
}

/** `change(job)` of each after one question; `back(job)`, if it can be undone. */
async function ask(selection, {title, action, danger, before, after, are, change, back}) {
  const jobs = selection.jobs();
  const progress = h('p', {class: 'muted', role: 'status'});
  const result = await confirm({
    title: `${title} ${counted(jobs.length, 'job')}`,
    action: `${action} ${counted(jobs.length, 'job')}`,
    danger,
    body: h('div', {}, before, firstFew(jobs), after, progress),
    run: () =>
      each(jobs, change, (count) =>
        setText(progress, `${whole(count)} of ${whole(jobs.length)} done`),
      ),
  });
  if (!result) return;
  selection.keep(new Set(result.failed.map(({job}) => job.number)));
  if (result.failed.length) return tellFailures(result, are());
  notice(`${counted(jobs.length, 'job')} ${are()}.`, {
    undo: back && (() => each(jobs, back, () => {}).then(failuresOfUndo)),
  });
}

function failuresOfUndo({failed}) {
  if (failed.length) throw new Error(`${counted(failed.length, 'job')} stayed as they were`);
}

const path = (job) => `/jobs/${job.number}`;
const sum = (jobs, key) => jobs.reduce((all, job) => all + sumOfTasks(job, key), 0);

function askKill(selection) {
  const jobs = selection.jobs();
  return ask(selection, {
    title: 'Kill',
    action: 'Kill',
    danger: true,
    after: h(
      'p',
      {},
      `${counted(sum(jobs, 'running'), 'running attempt')} will be killed, the ` +
        `work of ${counted(sum(jobs, 'succeeded'), 'finished task')} and what ` +
        'they have written is removed. There is no way back.',
    ),
    are: () => (jobs.length === 1 ? 'is killed' : 'are killed'),
    change: (job) => send('DELETE', path(job)),
  });
}

async function askMove(selection) {
  const jobs = selection.jobs();
  const own = new Set(jobs.map((job) => job.queue));
  const queues = openTo(await get('/queues'), own.size === 1 ? [...own] : []);
  if (!queues.length)
    return notice('There is no other queue that takes jobs of yours.', {bad: true});
  const select = h('select', {autofocus: true, 'aria-label': 'Queue'}, queueOptions(queues));
  return ask(selection, {
    title: 'Move',
    action: 'Move',
    before: [h('p', {}, 'What they run goes on and counts in the new queue. To:'), select],
    are: () => `${jobs.length === 1 ? 'is' : 'are'} in queue ${select.value}`,
    change: (job) => job.queue !== select.value && send('PATCH', path(job), {queue: select.value}),
    back: (job) => job.queue !== select.value && send('PATCH', path(job), {queue: job.queue}),
  });
}

async function askPriority(selection) {
  const jobs = selection.jobs();
  const note = await priorityNote(jobs).catch(() => null);
  const select = h(
    'select',
    {autofocus: true, 'aria-label': 'Priority'},
    PRIORITIES.map((name) => h('option', {value: name, selected: name === 'NORMAL'}, name)),
  );
  return ask(selection, {
    title: 'Priority of',
    action: 'Set priority of',
    before: [select, note],
    are: () => `${jobs.length === 1 ? 'has' : 'have'} priority ${select.value}`,
    change: (job) => send('PATCH', path(job), {priority: select.value}),
    back: (job) => send('PATCH', path(job), {priority: job.priority}),
  });
}

const ASKS = {x: askKill, m: askMove, p: askPriority};

/** The selected jobs of a list, its column of boxes, and the line of what can be done with them. */
export class Selection {
  /** `all()` reads and gives every job of the list; `changed()` draws the boxes anew. */
  constructor({all, changed}) {
    Object.assign(this, {all, changed});
    this.chosen = new Map(); // number -> job
    this.items = [];
    this.box = h('input', {
      type: 'checkbox',
      'aria-label': 'Select all jobs that the filter shows',
      tip: 'Selects all jobs that the filter shows and that are not over.',
      on: {change: () => (this.box.checked ? this.selectAll() : this.keep(new Set()))},
    });
    const act = (text, key) =>
      h('button', {on: {click: () => ASKS[key](this)}}, text);
    this.text = h('span', {class: 'muted', role: 'status'}, HINT);
    this.acts = h(
      'div',
      {class: 'buttons left', hidden: true},
      act('Kill…', 'x'),
      act('Move…', 'm'),
      act('Priority…', 'p'),
      h('button', {on: {click: () => this.keep(new Set())}}, 'Select none'),
    );
    this.element = h('div', {class: 'bulk'}, this.text, this.acts);
    this.column = {
      key: 'select',
      label: '',
      width: '18px',
      className: 'select',
      head: this.box,
      draw: (cell, job) => this.draw(cell, job),
    };
  }

  draw(cell, job) {
    if (!cell.box) {
      cell.box = h('input', {type: 'checkbox', on: {change: () => this.toggle(cell.job)}});
      cell.append(cell.box);
    }
    cell.job = job;
    cell.box.checked = this.chosen.has(job.number);
    cell.box.hidden = !mayBeChanged(job);
    cell.box.setAttribute('aria-label', `Select ${job.job}`);
  }

  jobs() {
    return [...this.chosen.values()].sort((a, b) => a.number - b.number);
  }

  toggle(job) {
    if (!this.chosen.delete(job.number) && mayBeChanged(job)) this.chosen.set(job.number, job);
    this.show();
  }

  async selectAll() {
    setText(this.text, 'Reading all of them');
    for (const job of await this.all())
      if (mayBeChanged(job)) this.chosen.set(job.number, job);
    this.show();
  }

  /** Only those stay selected. */
  keep(numbers) {
    for (const number of this.chosen.keys()) if (!numbers.has(number)) this.chosen.delete(number);
    this.show();
  }

  /** What the list shows now; `whole`: there are no others. What is gone or over is not selected. */
  listed(items, isWhole) {
    this.items = items;
    const now = new Map(items.map((job) => [job.number, job]));
    for (const number of this.chosen.keys()) {
      const job = now.get(number);
      if (job && mayBeChanged(job)) this.chosen.set(number, job);
      else if (job || isWhole) this.chosen.delete(number);
    }
    this.show(false);
  }

  show(redraw = true) {
    const may = this.items.filter(mayBeChanged).length;
    const count = this.chosen.size;
    setText(this.text, count ? `${whole(count)} of ${counted(may, 'job')} selected` : HINT);
    this.acts.hidden = !count;
    this.box.checked = count > 0 && count >= may;
    this.box.indeterminate = count > 0 && count < may;
    if (redraw) this.changed();
  }

  /** The letters of a job are those of all that are selected. */
  pressed(event, job) {
    if (event.key === ' ') this.toggle(job);
    else if (event.key === 'Escape' && this.chosen.size) this.keep(new Set());
    else if (ASKS[event.key] && this.chosen.size) ASKS[event.key](this);
    else return false;
    return true;
  }
}
