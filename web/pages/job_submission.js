// What a job was submitted with: its programs, its input, what its tasks may have, and from where.
import {h, fill, panelOf, visible} from './dom.js';
import {counted, duration, megabytes, whole} from './format.js';
import {showFacts} from './plain_table.js';
import {loading} from './states.js';

const PATHS_SHOWN = 10;

const bytes = (count) =>
  count < 1 << 20 ? counted(count, 'byte') : megabytes(Math.round(count / (1 << 20)));
const mono = (text) => h('span', {class: 'mono wrap'}, visible(text));
const lines = (list) => h('div', {}, list.map((one) => h('div', {}, mono(one))));
const values = (map) => lines(Object.entries(map).map(([key, value]) => `${key}=${value}`));

function inputOf(asked) {
  const shown = asked.input_files.slice(0, PATHS_SHOWN);
  const more = asked.input_files.length - shown.length;
  const what = [counted(asked.files_read, 'file'), counted(asked.maps, 'map')];
  if (asked.split_bytes) what.push(`${bytes(asked.split_bytes)} a map`);
  if (asked.combine_bytes) what.push(`small ones together up to ${bytes(asked.combine_bytes)}`);
  return h(
    'div',
    {},
    lines(shown),
    h('div', {class: 'muted'}, (more > 0 ? `and ${whole(more)} more; ` : '') + what.join(', ')),
  );
}

const memory = (mb) => (mb ? megabytes(mb) : 'as the tracker has it');

function mapReduceFacts(asked) {
  const list = [['mapper', mono(asked.mapper)]];
  if (asked.combiner) list.push(['combiner', mono(asked.combiner)]);
  if (asked.reduces) list.push(['reducer', mono(asked.reducer ?? '')]);
  list.push(['input', inputOf(asked)], ['memory of a map', memory(asked.map_memory_mb)]);
  if (asked.reduces) list.push(['of a reduce', memory(asked.reduce_memory_mb)]);
  list.push(
    ['sort buffer', memory(asked.sort_memory_mb)],
    ['attempts a task', whole(asked.max_attempts)],
    ['without progress', asked.task_timeout_ms ? duration(asked.task_timeout_ms) : 'for ever'],
  );
  return list;
}

function groupFacts(group) {
  const what = [`${whole(group.count)} x`];
  if (group.memory_mb) what.push(memory(group.memory_mb));
  if (group.vcores) what.push(counted(group.vcores, 'vcore'));
  for (const [name, amount] of Object.entries(group.resources)) what.push(`${amount} ${name}`);
  if (group.gang) what.push(`gang of ${whole(group.gang)}`);
  if (group.ports) what.push(counted(group.ports, 'port'));
  for (const one of group.require)
    what.push(`${one.label}=${one.none_of ? '!' : ''}${one.values.join(',')}`);
  const list = [
    [
      `group ${visible(group.name)}`,
      h('div', {}, mono(group.command), h('div', {class: 'muted'}, visible(what.join(', ')))),
    ],
  ];
  if (Object.keys(group.environment).length)
    list.push(['its environment', values(group.environment)]);
  return list;
}

function facts(asked) {
  const list = asked.groups ? asked.groups.flatMap(groupFacts) : mapReduceFacts(asked);
  if (Object.keys(asked.conf).length) list.push(['conf', values(asked.conf)]);
  if (Object.keys(asked.environment).length)
    list.push(['environment', values(asked.environment)]);
  if (asked.working_directory) list.push(['directory', mono(asked.working_directory)]);
  if (asked.files.length)
    list.push(['files', lines(asked.files.map((one) => `${one.name} (${bytes(one.bytes)})`))]);
  list.push(['submitted by', visible(asked.user) + (asked.address ? ` at ${visible(asked.address)}` : '')]);
  return list;
}

// It does not change, so it is asked for once.
export function drawSubmission(page, place, path) {
  const body = h('div', {}, loading());
  const number = h('span', {class: 'mono'});
  place.append(
    panelOf(
      h('div', {class: 'panel-head'}, h('h2', {}, 'What it runs')),
      body,
      h('p', {class: 'muted'}, 'The same again, with changes: ', number),
    ),
  );
  const resource = page.show(body, path + '/submission', {}, (asked) => {
    number.textContent = `weir job submit-again ${asked.number} --output DIR`;
    fill(body);
    showFacts(body, facts(asked));
  });
  return () => page.drop(resource);
}
