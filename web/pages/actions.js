// What can be changed from the pages: each asks first, says what it will do, and offers a way back
// where there is one.
import {get, send} from './api.js';
import {h, visible} from './dom.js';
import {confirm, notice} from './dialogs.js';
import {amountOf, counted, whole} from './format.js';
import {areSlots, classesOf, figuresOf, roomOf, sumOfTasks} from './measure.js';
import {mayBeChanged, openTo, priorityMeans} from './rights.js';

export const PRIORITIES = ['VERY_HIGH', 'HIGH', 'NORMAL', 'LOW', 'VERY_LOW'];

const job = (one) => `/jobs/${one.number}`;
const named = (one) => h('strong', {}, `${one.job} `, h('bdi', {}, visible(one.name)));

export async function setPriority(one, priority) {
  const before = one.priority;
  await send('PATCH', job(one), {priority});
  notice(`${one.job} has priority ${priority}, before ${before}.`, {
    undo: () => send('PATCH', job(one), {priority: before}),
  });
}

/** What a priority does for these jobs, for the dialog that sets it. */
export async function priorityNote(jobs) {
  const [queues, {policy}] = await Promise.all([get('/queues'), get('/cluster')]);
  const names = [...new Set(jobs.map((one) => one.queue))];
  const {text, counts} = priorityMeans(policy, queues, names);
  return h('p', {class: counts ? 'muted' : 'loss'}, visible(text));
}

export async function askPriority(one) {
  const note = await priorityNote([one]).catch(() => null);
  const select = h(
    'select',
    {autofocus: true, 'aria-label': 'Priority'},
    PRIORITIES.map((name) => h('option', {value: name, selected: name === one.priority}, name)),
  );
  return confirm({
    title: 'Change the priority',
    action: 'Set priority',
    body: h('div', {}, h('p', {}, named(one), ` has priority ${one.priority}.`), select, note),
    run: () => setPriority(one, select.value),
  });
}

/** Moves to a queue, or where the policy has pools into a pool. */
export async function move(one, where, kind = 'queue') {
  const before = kind === 'pool' ? one.pool : one.queue;
  await send('PATCH', job(one), {[kind]: where});
  notice(
    `${one.job} is in ${kind} ${where} now, before in ${before}.`,
    before ? {undo: () => send('PATCH', job(one), {[kind]: before})} : {},
  );
}

/** Queues to choose from, those with most room first. */
export function queueOptions(queues) {
  const classes = classesOf(queues);
  const pending = (queue) => figuresOf(queue, classes[0][0]).pending;
  const room = (queue) =>
    areSlots(classes)
      ? `${whole(roomOf(queue))} map and ${whole(roomOf(queue, 'reduces'))} reduce slots`
      : classes.map(([view, kind]) => amountOf(roomOf(queue, view), kind)).join(', ');
  const waits = (queue) =>
    areSlots(classes) ? whole(pending(queue)) : amountOf(pending(queue), classes[0][1]);
  return queues
    .sort((a, b) => roomOf(b) - roomOf(a) || pending(a) - pending(b))
    .map((queue) =>
      h('option', {value: queue.name}, `${queue.name}: room for ${room(queue)}, ${waits(queue)} pending`),
    );
}

/** Asks where to, of the leaves that take jobs of whoever acts. */
export async function askMove(one) {
  const queues = openTo(await get('/queues'), [one.queue]);
  if (!queues.length)
    return notice('There is no other queue that takes jobs of yours.', {bad: true});
  const select = h('select', {autofocus: true, 'aria-label': 'Queue'}, queueOptions(queues));
  return confirm({
    title: 'Move the job',
    action: 'Move',
    body: h(
      'div',
      {},
      h('p', {}, named(one), ` is in queue ${one.queue}. To:`),
      select,
      h(
        'p',
        {class: 'muted'},
        'What it runs goes on and counts in the new queue. You need the right to ' +
          'submit there, and to administer it here unless it is your own.',
      ),
    ),
    run: () => move(one, select.value),
  });
}

/** It was submitted held: nothing of it starts before somebody lets it. */
export function askRelease(one) {
  return confirm({
    title: 'Release the job',
    action: 'Release',
    body: h(
      'div',
      {},
      h('p', {}, named(one), ` of ${visible(one.user)} was submitted held.`),
      h(
        'p',
        {},
        `Once released it takes its place in ${visible(one.queue)} like any other job; ` +
          'it cannot be held again.',
      ),
    ),
    run: async () => {
      await send('PATCH', job(one), {held: false});
      notice(`${one.job} is released.`);
    },
  });
}

export function askKill(one) {
  const running = sumOfTasks(one, 'running');
  const done = sumOfTasks(one, 'succeeded');
  return confirm({
    title: 'Kill the job',
    action: 'Kill the job',
    danger: true,
    body: h(
      'div',
      {},
      h('p', {}, named(one), ` of ${visible(one.user)} ends as KILLED.`),
      h(
        'p',
        {},
        `${counted(running, 'running attempt')} will be killed, the work of ` +
          `${counted(done, 'finished task')} and what it has written is removed. There is no ` +
          `way back.`,
      ),
    ),
    run: async () => {
      await send('DELETE', job(one));
      notice(`${one.job} is killed.`);
    },
  });
}

const ORDERS = {
  drain: [
    'Drain',
    'It gets no new tasks; what runs goes on, and its map outputs are served. Resume takes ' +
      'it back.',
  ],
  resume: ['Resume', 'It takes tasks again; drain and stop are taken back, and its faults forgiven.'],
  stop: ['Stop', 'It drains, and its process ends once nothing runs there and no output it holds is needed.'],
  'stop now': ['Stop now', 'What it runs is killed and runs elsewhere; maps whose output is needed run again.'],
  lost: [
    'Declare lost',
    'It is given up: what it ran starts elsewhere at once, and maps whose output it held and ' +
      'that is needed run again. Do so if you know that it will not come back; if it does it ' +
      'registers anew.',
  ],
  forget: ['Forget', 'It leaves the lists, until it comes back.'],
};

const ORDERED = {lost: ' is lost', forget: ' is forgotten'};

export function askOrder(tracker, order) {
  const [title, what] = ORDERS[order];
  const reason = h('input', {
    type: 'text',
    maxlength: 200,
    placeholder: 'reason, shown to others',
    'aria-label': 'Reason',
  });
  const path = '/trackers/' + encodeURIComponent(tracker.name);
  return confirm({
    title: `${title} ${visible(tracker.name)}`,
    action: title,
    danger: order === 'stop now' || order === 'lost',
    body: h(
      'div',
      {},
      h('p', {}, what),
      h('p', {class: 'muted'}, `It runs ${counted(tracker.attempts, 'attempt')} now.`),
      ['resume', 'forget'].includes(order) ? null : reason,
    ),
    run: async () => {
      await send('PATCH', path, reason.value ? {order, reason: reason.value} : {order});
      const back = order === 'drain' ? 'resume' : null;
      notice(
        `${tracker.name}${ORDERED[order] ?? `: ${order} is ordered`}.`,
        back ? {undo: () => send('PATCH', path, {order: back})} : {},
      );
    },
  });
}

export function askQueueState(queue) {
  const to = queue.state === 'STOPPED' ? 'RUNNING' : 'STOPPED';
  const path = '/queues/' + encodeURIComponent(queue.name);
  return confirm({
    title: `${to === 'STOPPED' ? 'Stop' : 'Start'} queue ${queue.name}`,
    action: to === 'STOPPED' ? 'Stop the queue' : 'Start the queue',
    body: h(
      'p',
      {},
      to === 'STOPPED'
        ? 'It takes no new jobs, and runs those it has to their end.'
        : 'It takes new jobs again.',
    ),
    run: async () => {
      await send('PATCH', path, {state: to});
      notice(`Queue ${queue.name} is ${to}.`, {
        undo: () => send('PATCH', path, {state: queue.state}),
      });
    },
  });
}

/** `m`, `p`, `x` on a job, and `r` on one that is held. */
export function jobKey(event, one) {
  const ask = {
    m: askMove,
    p: askPriority,
    x: askKill,
    r: one.state === 'HELD' ? askRelease : null,
  }[event.key];
  if (!ask || !mayBeChanged(one)) return false;
  ask(one);
  return true;
}
