// One queue: its bars and figures, who uses what it is guaranteed, its history, its jobs in the
// order in which they are served, users with limits, claims, kills, settings.
import {h, fill, panelOf, setText, visible} from '../dom.js';
import {drawTabs} from '../tabs.js';
import {JobList} from '../job_list.js';
import {makeBar, setBar, scales, legend} from '../bars.js';
import {knowQueues} from '../colours.js';
import {counted, thousandths} from '../format.js';
import {href} from '../router.js';
import {askQueueState} from '../actions.js';
import {areSlots, classesOf, figuresOf, measureOfAll} from '../measure.js';
import {showQueues, slotsText, waitsAtMaximum} from '../measure.js';
import {empty, loading} from '../states.js';
import {stateBadge} from '../job_cells.js';
import {WORDS} from '../words.js';
import {claimTable, killTable, userTable, settingsList} from '../queue_parts.js';
import {takers} from '../queue_takers.js';
import {history} from '../queue_history.js';

export function draw(page) {
  const name = page.params.name;
  page.title(visible(name));
  const badge = h('span', {});
  const means = legend();
  const stateButton = h('button', {hidden: true});
  const barsPlace = h('div', {});
  let classes = null;
  let bars = [];
  const dominant = h('p', {class: 'muted', tabindex: 0, tip: WORDS.dominant, hidden: true});
  const makeBars = (wanted) => {
    if (String(wanted) === String(classes)) return;
    classes = wanted;
    bars = classes.map(([view, kind]) => ({view, kind, bar: makeBar(), text: h('span', {class: 'num'})}));
    const line = ([, , label], i) =>
      h('div', {class: 'wide-bar'}, h('span', {class: 'muted'}, label), bars[i].bar, bars[i].text);
    fill(barsPlace, classes.map(line));
  };
  makeBars(classesOf([]));
  const takersTitle = h('h2', {}, 'Who uses its slots');
  const takersPlace = h('div', {class: 'columns'}, loading());
  const parts = {
    claims: h('div', {}),
    kills: h('div', {}),
    users: h('div', {}),
    settings: h('div', {}),
  };
  const crumbs = name
    .split('.')
    .slice(0, -1)
    .map((part, i, all) => [h('a', {href: href.queue(all.slice(0, i + 1).join('.'))}, visible(part)), ' / ']);
  const trouble = h('div', {});
  const rest = h('div', {});
  page.root.append(
    page.heading(
      [h('a', {href: '/queues'}, 'Queues'), ' / ', crumbs, visible(name.split('.').pop())],
      badge,
      h('span', {class: 'space'}),
      stateButton,
    ),
    trouble,
    panelOf(means.element, barsPlace, dominant),
    rest,
  );
  rest.append(panelOf(h('div', {class: 'panel-head'}, takersTitle), takersPlace));
  let queue = null;
  let cluster = null;
  let measure = null;
  const waiting = [];
  const whenQueue = (call) => (queue ? call() : waiting.push(call));
  const show = (queues) => {
    knowQueues(queues);
    queue = queues.find((one) => one.name === name);
    rest.hidden = stateButton.hidden = !queue;
    if (!queue) {
      return fill(trouble, empty(`There is no queue “${visible(name)}” now.`, h('a', {href: '/queues'}, 'All queues')));
    }
    fill(trouble);
    const scale = scales(queues, cluster);
    makeBars(classesOf(queues));
    setText(takersTitle, areSlots(classes) ? 'Who uses its slots' : 'Who uses its part');
    dominant.hidden = areSlots(classes);
    setText(dominant, `dominant share ${thousandths(queue.dominant_thousandths)}`);
    for (const one of bars) {
      const slots = figuresOf(queue, one.view);
      setBar(one.bar, queue, slots, one.kind, scale[one.view]);
      setText(
        one.text,
        slotsText(slots) +
          (waitsAtMaximum(queue, one.view)
            ? ' as it runs its maximum, with ' +
              `${counted(queue.jobs_pending, 'job')} waiting`
            : ''),
      );
    }
    if (badge.state !== queue.state) fill(badge, stateBadge(queue.state));
    badge.state = queue.state;
    setText(stateButton, queue.state === 'STOPPED' ? 'Start…' : 'Stop…');
    means.show(queues);
    measure = measureOfAll(queues);
    takers(takersPlace, queue, queues);
    for (const call of waiting.splice(0)) call();
    fill(parts.claims, claimTable(queue));
    fill(parts.kills, killTable(queue));
    fill(parts.users, userTable(queue));
    fill(parts.settings, settingsList(queue, cluster?.policy));
  };
  stateButton.addEventListener('click', () => queue && askQueueState(queue));
  page.use('/cluster', {topic: 'cluster', every: 10_000}, (value) => {
    cluster = value ?? cluster;
    if (queue) fill(parts.settings, settingsList(queue, cluster?.policy));
  });
  showQueues(page, trouble, show);
  const panel = (title, element) =>
    panelOf(title ? h('div', {class: 'panel-head'}, h('h2', {}, title)) : null, element);
  const jobs = (place) => {
    const count = h('span', {class: 'muted'});
    const box = panel('In the order in which they are served', null);
    box.firstChild.firstChild.tabIndex = 0;
    box.firstChild.firstChild.dataset.tip = WORDS.served;
    box.firstChild.append(count);
    place.append(box);
    const list = new JobList(page, box, {
      queue: false,
      empty: () => empty('It has no jobs that are not over.'),
      onCount: (shown, total) => setText(count, counted(total ?? shown, 'job')),
    });
    // Where only reduces wait their order is of interest.
    const served = () => (!queue.maps.pending && queue.reduces.pending ? 'reduce' : 'map');
    whenQueue(() => list.ask({queue: name, sort: 'service', class: served()}));
  };
  const past = (place) => {
    const box = panel(null, null);
    place.append(box);
    whenQueue(() => history(page, box, name, () => measure));
  };
  const panels = (...list) => (place) => place.append(...list.map((one) => panel(...one)));
  const claims = ['Open claims', parts.claims];
  const kills = ['Last kills for it or of its tasks', parts.kills];
  drawTabs(rest, [
    ['jobs', 'Jobs', jobs],
    ['history', 'History', past],
    ['users', 'Users', panels(['Users and their limits', parts.users])],
    ['claims', 'Claims and kills', panels(claims, kills)],
    ['settings', 'Settings', panels(['Settings and totals', parts.settings])],
  ]);
}
