// Why a job waits: every reason with its numbers, what would mend it and the buttons that do, and
// beside it who comes before it and who has what its queue is guaranteed.
import {h, fill, oneLine, visible} from './dom.js';
import {get} from './api.js';
import {counted} from './format.js';
import {href} from './router.js';
import {MENDS, MEND_ACTIONS, WORDS} from './words.js';
import {showFacts} from './plain_table.js';
import {askMove, askPriority, askRelease, move} from './actions.js';
import {confirm, notice} from './dialogs.js';
import {colourClass, knowQueues} from './colours.js';
import {measureOfAll, roomOf, slotsText} from './measure.js';
import {failure, loading} from './states.js';

function mends(reason, job) {
  const all = {
    move: () => h('button', {on: {click: () => askMove(job)}}, 'Move…'),
    release: () => h('button', {on: {click: () => askRelease(job)}}, 'Release…'),
    priority: () => h('button', {on: {click: () => askPriority(job)}}, 'Priority…'),
    owners: () =>
      h('a', {href: href.queue(job.queue)}, `Who uses the slots of ${visible(job.queue)}`),
    settings: () => h('a', {href: '/settings'}, 'Settings'),
    trackers: () => h('a', {href: '/trackers'}, 'Trackers'),
  };
  const buttons = (MEND_ACTIONS[reason.code] ?? []).map((key) => all[key]());
  return buttons.length ? h('div', {class: 'buttons left'}, buttons) : null;
}

function suggestion(job, queues) {
  const needs = job.maps.pending ? 'maps' : 'reduces';
  const best = queues
    .filter((queue) => queue.leaf && queue.name !== job.queue && queue.state === 'RUNNING')
    .map((queue) => ({queue, room: roomOf(queue, needs)}))
    .sort((a, b) => b.room - a.room)[0];
  if (!best?.room) return h('p', {class: 'muted'}, 'No other queue has room for it now.');
  return h(
    'p',
    {},
    'Queue ',
    h('a', {href: href.queue(best.queue.name)}, visible(best.queue.name)),
    ` has room for ${counted(best.room, `${needs === 'maps' ? 'map' : 'reduce'} slot`)} now. `,
    h(
      'button',
      {
        on: {
          click: () =>
            confirm({
              title: 'Move the job',
              action: 'Move',
              body: h(
                'p',
                {},
                `${job.job} goes from ${job.queue} to ${best.queue.name}; what it runs goes on.`,
              ),
              run: () => move(job, best.queue.name),
            }).catch((error) => notice(error.message, {bad: true})),
        },
      },
      `Move it to ${best.queue.name}`,
    ),
  );
}

const DUE = {guarantee: 'guaranteed', share: 'fairShare', none: 'maximum'};
const ENDS = {SUCCEEDED: 'It has succeeded', FAILED: 'It has failed', KILLED: 'It was killed'};

export function drawWhy(page, place, path, whenJob) {
  const reasonsPlace = h('section', {class: 'panel'}, loading());
  const side = h('section', {class: 'panel'}, h('h2', {}, 'What could be done'), loading());
  place.append(h('div', {class: 'with-side'}, reasonsPlace, h('div', {class: 'side'}, side)));
  let over = false;
  const read = async () => {
    if (over || !reasonsPlace.isConnected) return;
    try {
      const [explained, queues] = await Promise.all([
        get(path + '/explain', {signal: page.signal}),
        get('/queues', {signal: page.signal}),
      ]);
      if (over) return;
      knowQueues(queues);
      show(explained, queues);
    } catch (error) {
      if (error.name !== 'AbortError' && error.status) fill(reasonsPlace, failure(error, read));
    }
  };
  const show = ({reasons, status: job}, queues) => {
    const queue = queues.find((one) => one.name === job.queue);
    const signature = JSON.stringify([reasons, job.queue, job.priority]);
    if (signature !== reasonsPlace.signature) {
      reasonsPlace.signature = signature;
      fill(
        reasonsPlace,
        h(
          'div',
          {class: 'panel-head'},
          h('h2', {}, job.state === 'RUNNING' ? 'Why more of it does not run' : 'Why it waits'),
        ),
        reasons.length
          ? h(
              'ol',
              {class: 'reasons'},
              reasons.map((reason, i) =>
                h(
                  'li',
                  {class: i ? '' : 'first'},
                  h('p', {class: 'why'}, visible(reason.message)),
                  MENDS[reason.code] ? h('p', {class: 'muted'}, MENDS[reason.code]) : null,
                  mends(reason, job),
                ),
              ),
            )
          : h('p', {}, 'Nothing holds it back: all its tasks that may run are running.'),
      );
    }
    const rows = queue
      ? [
          ['Map slots', queue.maps],
          ['Reduce slots', queue.reduces],
        ].map(([label, slots]) => [
          label,
          slotsText(slots),
          `${WORDS.running} ${WORDS[DUE[measureOfAll(queues)]]} ${WORDS.pending}`,
        ])
      : [];
    const figures = h('div', {});
    showFacts(figures, rows);
    fill(
      side,
      h('h2', {}, 'What could be done'),
      suggestion(job, queues),
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
      queue?.priorities
        ? h('p', {class: 'muted'}, 'This queue goes by priority.')
        : h(
            'p',
            {class: 'muted'},
            'This queue goes by submit time: under capacity, priority does not count in it.',
          ),
    );
  };
  const stop = whenJob((job) => {
    over = ['SUCCEEDED', 'FAILED', 'KILLED'].includes(job.state);
    if (!over) return;
    side.hidden = true;
    fill(
      reasonsPlace,
      h('div', {class: 'panel-head'}, h('h2', {}, ENDS[job.state])),
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
