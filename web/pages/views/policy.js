// The policies side by side: what each would give every queue now. Switching says first who gains,
// who loses, and how many attempts might be killed.
import {h, fill, panelOf, visible} from '../dom.js';
import {send} from '../api.js';
import {unitOf, whole, share, fullMoment, DASH} from '../format.js';
import {areSlots, classesOf, figuresOf} from '../measure.js';
import {href, query, setQuery} from '../router.js';
import {colourClass, knowQueues} from '../colours.js';
import {confirm, notice} from '../dialogs.js';
import {changeList, pooled, rowsOf, sharesOf, wouldRun} from '../outlook_change.js';
import {POLICIES, ofAmounts} from '../words.js';
import {empty, loading} from '../states.js';

const outlookOf = (policy, name) => policy.outlooks.find((one) => one.policy === name);
const changesTo = (policy, to) =>
  changeList(outlookOf(policy, policy.current), outlookOf(policy, to));

function askSwitch(policy, to) {
  return confirm({
    title: `Switch from ${policy.current} to ${to}`,
    action: `Switch to ${to}`,
    body: h(
      'div',
      {},
      h('p', {}, POLICIES[to] ?? ''),
      h(
        'p',
        {},
        'No job and no running attempt is lost by the switch itself. As the cluster is now, ' +
          'this would move:',
      ),
      h('div', {class: 'columns'}, changesTo(policy, to)),
    ),
    run: async () => {
      const before = policy.current;
      await send('PUT', '/policy', {name: to});
      notice(`The policy is ${to} now.`, {undo: () => send('PUT', '/policy', {name: before})});
    },
  });
}

function cell(figures, scale, name, under, kind) {
  if (!figures) return h('td', {class: 'muted', 'data-of': under}, DASH);
  const then = wouldRun(figures);
  const has = [];
  if (figures.share !== undefined) has.push(`share ${share(figures.share)}`);
  if (figures.min_share) has.push(`min ${whole(figures.min_share)}`);
  if (figures.allocated !== undefined) has.push(`alloc. ${whole(figures.allocated)}`);
  if (figures.guaranteed !== undefined) has.push(`guar. ${whole(figures.guaranteed)}`);
  if (!has.length && figures.maximum !== undefined) has.push(`at most ${whole(figures.maximum)}`);
  const of = (n) => Math.min(1, n / scale).toFixed(4);
  return h(
    'td',
    {'data-of': under},
    h(
      'div',
      {class: `delta ${unitOf(kind) === 'slots' ? '' : 'amounts '}` + colourClass(name)},
      then === null
        ? h('span', {class: 'muted'}, 'in the order of jobs')
        : h(
            'div',
            {
              class: 'twin',
              role: 'img',
              'aria-label': `runs ${figures.running}, would have ${share(then)}`,
              vars: {now: of(figures.running), then: of(then)},
              tip:
                `${visible(name)} runs ${whole(figures.running)} ${unitOf(kind)} now (above) and ` +
                `would have ${share(then)} under this policy (below), of ` +
                `${whole(figures.running + figures.pending)} that it wants.`,
            },
            h('i'),
            h('i'),
          ),
      h('span', {class: 'num muted'}, has.join(', ')),
    ),
  );
}

function compare(policy, [view, kind, label]) {
  const outlooks = pooled(policy.outlooks);
  const names = rowsOf(outlooks);
  const by = outlooks.map((one) => [one, sharesOf(one)]);
  const rules = outlooks.findIndex((one) => one.policy === policy.current);
  const scale = Math.max(
    1,
    ...by.flatMap(([, shares]) =>
      names.map((name) => {
        const figures = figuresOf(shares.get(name), view);
        return Math.max(figures?.running ?? 0, wouldRun(figures) ?? 0);
      }),
    ),
  );
  const shown = names.slice(0, 300);
  const titleOf = (one) =>
    one.policy +
    (one.of === 'pools' ? ' (pools)' : '') +
    (one.policy === policy.current ? ', rules' : '');
  const row = (name) => {
    const figures = by.map(([, shares]) => figuresOf(shares.get(name), view));
    const any = figures[rules] ?? figures.find(Boolean);
    const to = name.startsWith('pool ') ? '/pools' : href.queue(name);
    const link = h('a', {href: to}, visible(name));
    const runs = any ? `${whole(any.running)}, +${whole(any.pending)}` : DASH;
    return h(
      'tr',
      {},
      h('td', {class: 'nowrap'}, h('i', {class: 'dot ' + colourClass(name)}), ' ', link),
      h('td', {class: 'right', 'data-of': 'Runs, pending'}, runs),
      by.map(([one], i) => cell(figures[i], scale, name, titleOf(one), kind)),
    );
  };
  const tip = 'Slots that it runs now, and those of tasks that could be launched.';
  const heads = [
    h('th', {}, 'Queue or pool'),
    h('th', {class: 'right'}, h('span', {tabindex: 0, tip}, 'Runs, pending')),
    by.map(([one]) => h('th', {}, titleOf(one))),
  ];
  const head = h('thead', {}, h('tr', {}, heads));
  const table = h('table', {class: 'plain compare'}, head, h('tbody', {}, shown.map(row)));
  return panelOf(
    h(
      'div',
      {class: 'panel-head'},
      h('h2', {}, label),
      h(
        'span',
        {class: 'legend-item muted'},
        h('i', {class: 'sample s-now'}),
        'runs now',
        h('i', {class: 'sample s-then'}),
        'would have',
      ),
    ),
    h('div', {class: 'scroll-x'}, table),
    names.length > shown.length
      ? h('p', {class: 'muted'}, `The first ${shown.length} of ${names.length}.`)
      : null,
  );
}

export function draw(page) {
  page.title('Policy');
  const place = h('div', {}, loading());
  page.root.append(page.heading('Policy'), place);
  page.use('/queues', {}, (value) => {
    if (value) knowQueues(value);
  });
  let signature = '';
  page.show(place, '/policy', {topic: 'policy', every: 4000}, (policy) => {
    const now = JSON.stringify(policy);
    if (now === signature) return;
    signature = now;
    const focused = place.contains(document.activeElement)
      ? document.activeElement.dataset.policy
      : null;
    const classes = classesOf(policy.outlooks.flatMap((one) => one.shares));
    const words = areSlots(classes) ? (text) => text : ofAmounts;
    if (!policy.outlooks.length) fill(place, empty('There are no figures yet.'));
    else
      fill(
        place,
        policy.notices.map((text) => h('p', {class: 'banner warn'}, visible(text))),
        h(
          'div',
          {class: 'columns policies'},
          policy.available.map((name) =>
            h(
              'section',
              {class: 'panel' + (name === policy.current ? ' rules' : '')},
              h(
                'div',
                {class: 'panel-head'},
                h('h2', {}, name),
                name === policy.current
                  ? h('span', {class: 'badge ok'}, 'rules')
                  : h(
                      'button',
                      {'data-policy': name, on: {click: () => askSwitch(policy, name)}},
                      `Switch to ${name}…`,
                    ),
              ),
              h('p', {class: 'muted'}, words(POLICIES[name] ?? '')),
              name === policy.current
                ? h('p', {}, `Since ${fullMoment(policy.since_ms)}.`)
                : details(policy, name),
            ),
          ),
        ),
        classes.map((one) => compare(policy, one)),
      );
    if (focused) place.querySelector(`[data-policy="${CSS.escape(focused)}"]`)?.focus();
  });
}

function details(policy, name) {
  const open = query().get('to') === name;
  const box = h(
    'details',
    {open, on: {toggle: () => setQuery({to: box.open ? name : null})}},
    h('summary', {}, 'Who would gain, who would lose'),
    changesTo(policy, name),
  );
  return box;
}
