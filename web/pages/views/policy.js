// The policies side by side: what each would give every queue now. Switching says first who gains,
// who loses, and how many attempts might be killed.
import {h, fill, visible} from '../dom.js';
import {send} from '../api.js';
import {whole, share, counted, fullMoment, DASH} from '../format.js';
import {href, query, setQuery} from '../router.js';
import {colourClass, knowQueues} from '../colours.js';
import {confirm, notice} from '../dialogs.js';
import {CLASSES} from '../bars.js';
import {POLICIES} from '../words.js';
import {empty, loading} from '../states.js';

/** What a policy would have a queue run now, in slots: no more than it wants. */
export function wouldRun(figures) {
  if (!figures) return null;
  const wants = figures.running + figures.pending;
  const due = figures.share ?? figures.allocated ?? null;
  if (due === null) return null;
  return Math.min(
    wants,
    Math.max(due, Math.min(figures.guaranteed ?? 0, wants)),
    figures.maximum ?? Infinity,
  );
}

const isBranch = (name, names) => names.some((other) => other.startsWith(name + '.'));

/** Rows for every queue or pool that any policy names, leaves only. */
function rowsOf(outlooks) {
  const names = [...new Set(outlooks.flatMap((one) => one.shares.map((s) => s.name)))];
  const used = new Set(
    outlooks.flatMap((one) =>
      one.shares
        .filter(
          (s) =>
            s.maps.running +
              s.maps.pending +
              s.reduces.running +
              s.reduces.pending +
              (s.maps.guaranteed ?? 0) +
              (s.maps.maximum ?? 0) >
            0,
        )
        .map((s) => s.name),
    ),
  );
  return names.filter((name) => used.has(name) && !isBranch(name, names));
}

const sharesOf = (outlook) => new Map(outlook.shares.map((one) => [one.name, one]));

/** Who would have more or less under `to`, and the most attempts that would have to die for it. */
export function change(policy, to, view) {
  const now = sharesOf(policy.outlooks.find((one) => one.policy === policy.current));
  const then = sharesOf(policy.outlooks.find((one) => one.policy === to));
  const rows = rowsOf(policy.outlooks)
    .map((name) => {
      const running = (now.get(name) ?? then.get(name))?.[view]?.running ?? 0;
      return {name, running, then: wouldRun(then.get(name)?.[view])};
    })
    .filter((row) => row.then !== null);
  const gains = rows
    .filter((row) => row.then - row.running >= 0.5)
    .sort((a, b) => b.then - b.running - a.then + a.running);
  const loses = rows
    .filter((row) => row.running - row.then >= 0.5)
    .sort((a, b) => a.then - a.running - b.then + b.running);
  const lack = gains.reduce((sum, row) => sum + row.then - row.running, 0);
  const excess = loses.reduce((sum, row) => sum + Math.floor(row.running - row.then), 0);
  return {rows, gains, loses, kills: Math.min(Math.ceil(lack), excess)};
}

function changeList(policy, to) {
  return CLASSES.map(([view, kind]) => {
    const {gains, loses, kills, rows} = change(policy, to, view);
    const line = (row, cls) =>
      h(
        'li',
        {},
        h('span', {}, h('i', {class: 'dot ' + colourClass(row.name)}), ' ', visible(row.name)),
        h('span', {class: 'num'}, `${whole(row.running)} → ${share(row.then)}`),
        h(
          'span',
          {class: `num ${cls}`},
          (row.then > row.running ? '+' : '−') +
            share(Math.abs(Math.round((row.then - row.running) * 100) / 100)),
        ),
      );
    const preempts =
      policy.outlooks.find((one) => one.policy === to)?.kills_expected?.[kind] ?? kills;
    return h(
      'div',
      {},
      h('h3', {}, kind === 'map' ? 'Map slots' : 'Reduce slots'),
      !rows.length
        ? h(
            'p',
            {class: 'muted'},
            `${to} gives queues no share of their own: jobs run in their order. Nobody is killed.`,
          )
        : gains.length + loses.length
          ? [
              h(
                'ul',
                {class: 'lines'},
                gains.map((row) => line(row, 'gain')),
                loses.map((row) => line(row, 'loss')),
              ),
              h(
                'p',
                {class: 'muted'},
                preempts
                  ? `At most ${counted(preempts, 'running attempt')} may be killed for it, ` +
                      `where ${to} preempts and its time limits are over; else as tasks end.`
                  : 'No kills are expected.',
              ),
            ]
          : h('p', {class: 'muted'}, 'Nobody would gain or lose as things are now.'),
    );
  });
}

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
      h('div', {class: 'columns'}, changeList(policy, to)),
    ),
    run: async () => {
      const before = policy.current;
      await send('PUT', '/policy', {name: to});
      notice(`The policy is ${to} now.`, {undo: () => send('PUT', '/policy', {name: before})});
    },
  });
}

function cell(figures, scale, name) {
  if (!figures) return h('td', {class: 'muted'}, DASH);
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
    {},
    h(
      'div',
      {class: 'delta ' + colourClass(name)},
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
                `${visible(name)} runs ${whole(figures.running)} slots now (above) and ` +
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

function compare(policy, view, kind) {
  const names = rowsOf(policy.outlooks);
  const by = policy.outlooks.map((one) => [one, sharesOf(one)]);
  const scale = Math.max(
    1,
    ...by.flatMap(([, shares]) =>
      names.map((name) => {
        const figures = shares.get(name)?.[view];
        return figures ? Math.max(figures.running, wouldRun(figures) ?? 0) : 0;
      }),
    ),
  );
  const shown = names.slice(0, 300);
  return h(
    'section',
    {class: 'panel'},
    h(
      'div',
      {class: 'panel-head'},
      h('h2', {}, kind === 'map' ? 'Map slots' : 'Reduce slots'),
      h(
        'span',
        {class: 'legend-item muted'},
        h('i', {class: 'sample s-now'}),
        'runs now',
        h('i', {class: 'sample s-then'}),
        'would have',
      ),
    ),
    h(
      'div',
      {class: 'scroll-x'},
      h(
        'table',
        {class: 'plain compare'},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', {}, 'Queue or pool'),
            h(
              'th',
              {class: 'right'},
              h(
                'span',
                {
                  tabindex: 0,
                  tip: 'Slots that it runs now, and those of tasks that could be launched.',
                },
                'Runs, pending',
              ),
            ),
            by.map(([one]) =>
              h(
                'th',
                {},
                one.policy +
                  (one.of === 'pools' ? ' (pools)' : '') +
                  (one.policy === policy.current ? ', rules' : ''),
              ),
            ),
          ),
        ),
        h(
          'tbody',
          {},
          shown.map((name) => {
            const any = by.map(([, shares]) => shares.get(name)?.[view]).find(Boolean);
            return h(
              'tr',
              {},
              h(
                'td',
                {class: 'nowrap'},
                h('i', {class: 'dot ' + colourClass(name)}),
                ' ',
                h('a', {href: href.queue(name)}, visible(name)),
              ),
              h(
                'td',
                {class: 'right'},
                any ? `${whole(any.running)}, +${whole(any.pending)}` : DASH,
              ),
              by.map(([, shares]) => cell(shares.get(name)?.[view], scale, name)),
            );
          }),
        ),
      ),
    ),
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
              h('p', {class: 'muted'}, POLICIES[name] ?? ''),
              name === policy.current
                ? h('p', {}, `Since ${fullMoment(policy.since_ms)}.`)
                : details(policy, name),
            ),
          ),
        ),
        CLASSES.map(([view, kind]) => compare(policy, view, kind)),
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
    changeList(policy, name),
  );
  return box;
}
