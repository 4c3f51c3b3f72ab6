// Former versions of the settings, each with its difference and a way back; and every setting in
// force, with where it comes from.
import {h, fill, panelOf, visible} from './dom.js';
import {get, read, send, withMine} from './api.js';
import {diffElement} from './yaml_editor.js';
import {confirm, notice, openDialog} from './dialogs.js';
import {whole, fullMoment} from './format.js';
import {empty, loading} from './states.js';
import {plainRows, plainTable, wideTable} from './plain_table.js';
import {WORDS} from './words.js';

const HEADS = [
  ['Number', WORDS.version],
  ['When', "When they came in force, by this browser's clock.", 'num'],
  'By',
  'Policy',
  ['What', '', 'wrap'],
  ['', '', 'right'],
];

async function showVersion(page, record, history) {
  const at = history.findIndex((one) => one.number === record.number);
  const older = history.slice(at + 1).find((one) => one.source);
  try {
    const [mine, before, now] = await Promise.all([
      get(`/settings/history/${record.number}`),
      older ? get(`/settings/history/${older.number}`) : null,
      read(withMine('/settings')),
    ]);
    const isNow = mine.text === now.value.text;
    openDialog(
      `Settings number ${record.number}`,
      h(
        'div',
        {},
        h(
          'p',
          {class: 'muted'},
          `${record.by ? visible(record.by) : 'the settings file'}, ${fullMoment(record.at_ms)}`,
        ),
        h('h3', {}, before ? `Against number ${older.number}, before it` : 'The first'),
        diffElement(before?.text ?? '', mine.text),
        isNow
          ? h('p', {class: 'muted'}, 'It is in force.')
          : [h('h3', {}, 'Against what is in force'), diffElement(now.value.text, mine.text)],
      ),
      (close) =>
        h(
          'div',
          {class: 'buttons'},
          h('button', {on: {click: () => close()}}, 'Close'),
          isNow
            ? null
            : h(
                'button',
                {
                  class: 'primary',
                  on: {
                    click: () => {
                      close();
                      confirm({
                        title: `Back to number ${record.number}`,
                        action: 'Apply it again',
                        body: diffElement(now.value.text, mine.text),
                        run: async () => {
                          await send('PUT', '/settings', mine.text, {
                            headers: {'If-Match': now.headers.get('ETag')},
                          });
                          notice(`Settings number ${record.number} are in force again.`);
                          page.refresh();
                        },
                      });
                    },
                  },
                },
                'Back to this…',
              ),
        ),
      'wide',
    );
  } catch (error) {
    notice(error.message, {bad: true});
  }
}

export function drawHistory(page, place) {
  const panel = panelOf(loading());
  place.append(panel);
  const resource = page.show(
    panel,
    '/settings/history',
    {topic: 'settings', every: 10_000},
    (history) => {
      fill(
        panel,
        history.length
          ? wideTable(
              HEADS,
              history.map((one) => [
                whole(one.number),
                fullMoment(one.at_ms),
                visible(one.by) || 'the settings file',
                one.policy,
                one.source ? visible(one.source) : 'the policy was set',
                one.source
                  ? h('button', {on: {click: () => showVersion(page, one, history)}}, 'Difference…')
                  : null,
              ]),
            )
          : empty('There is no history of settings.'),
      );
    },
  );
  return () => page.drop(resource);
}

export function drawInForce(page, place) {
  const panel = panelOf(loading());
  const filter = h('input', {
    type: 'search',
    placeholder: 'Setting or value',
    'aria-label': 'Filter settings',
    on: {input: () => show()},
  });
  const heads = [['Setting', '', 'mono wrap'], ['Value', 'What is in force, with its unit.', 'wrap'], 'From'];
  const table = plainTable(heads, []);
  place.append(h('div', {class: 'filters'}, filter), panel);
  let all = [];
  const show = () => {
    const text = filter.value.trim().toLowerCase();
    fill(
      table.tBodies[0],
      plainRows(
        heads,
        all
          .filter((one) => (one.name + ' ' + one.value).toLowerCase().includes(text))
          .slice(0, 1000)
          .map((one) => [
            visible(one.name),
            visible(one.value),
            h('td', {class: one.origin === 'default' ? 'muted' : ''}, one.origin),
          ]),
      ),
    );
  };
  const resource = page.show(panel, '/settings/in_force', {topic: 'settings'}, (list) => {
    all = Array.isArray(list) ? list : (list.settings ?? []);
    fill(panel, table);
    show();
  });
  return () => page.drop(resource);
}
