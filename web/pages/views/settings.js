// The settings: an editor that checks while one types and shows what a change would do in slots;
// apply, which refuses to overwrite what another has applied meanwhile; and the former versions, each
// with its difference and a way back.
import {h, fill, setText, visible} from '../dom.js';
import {get, read, send} from '../api.js';
import {drawTabs} from '../tabs.js';
import {YamlEditor, diffElement, finding} from '../yaml_editor.js';
import {confirm, notice, openDialog, refusal} from '../dialogs.js';
import {whole, fullMoment, counted} from '../format.js';
import {href} from '../router.js';
import {empty, failure, loading} from '../states.js';

const CHECK_AFTER_MS = 350;

function effect(diff) {
  const changed = diff.queues.filter((queue) => queue.change !== 'unchanged');
  const was = (before, after) => (before === after ? h('td', {class: 'right muted'}, whole(after))
    : h('td', {class: 'right ' + (after > before ? 'gain' : 'loss')}, `${whole(before)} → ${whole(after)}`));
  const lines = (title, list, cls) => (list?.length ? h('div', {}, h('h3', {class: cls}, title), h('ul', {class: 'bare'}, list.map((line) => h('li', {}, visible(line))))) : null);
  const nothing = !changed.length && !diff.changes.length && !diff.at_restart.length;
  return h('div', {class: 'effect'}, lines('Would be refused as the cluster is now', diff.refusals, 'loss'),
    nothing ? h('p', {class: 'muted'}, 'It changes nothing.') : null,
    changed.length ? h('div', {class: 'scroll-x'}, h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, h('th', {}, 'Queue'), h('th', {}, 'Change'),
      h('th', {class: 'right'}, 'Guar. maps'), h('th', {class: 'right'}, 'Guar. reduces'), h('th', {class: 'right'}, 'Max maps'), h('th', {class: 'right'}, 'Max reduces'))),
    h('tbody', {}, changed.map((queue) => h('tr', {}, h('td', {}, h('a', {href: href.queue(queue.queue)}, visible(queue.queue))),
      h('td', {}, queue.change + (queue.moves_to ? `, ${counted(queue.jobs ?? 0, 'job')} to ${queue.moves_to}` : '')),
      was(queue.maps_before, queue.maps_after), was(queue.reduces_before, queue.reduces_after),
      was(queue.maps_maximum_before, queue.maps_maximum_after), was(queue.reduces_maximum_before, queue.reduces_maximum_after)))))) : null,
    lines('Other settings', diff.changes), lines('At the next start of the JobTracker', diff.at_restart), lines('Warnings', diff.warnings));
}

function drawEditor(page, place) {
  const status = h('span', {class: 'muted', role: 'status'});
  const findings = h('div', {class: 'findings'});
  const effectPlace = h('div', {});
  const stale = h('div', {});
  const back = h('button', {on: {click: () => { editor.value = inForce.text; changed(); }}}, 'Discard changes');
  const apply = h('button', {class: 'primary', disabled: true, on: {click: () => askApply()}}, 'Apply…');
  let inForce = null;
  let timer = 0;
  let asked = 0;
  let known = null;
  const editor = new YamlEditor(() => {
    setText(status, 'Checking');
    apply.disabled = true;
    clearTimeout(timer);
    timer = setTimeout(changed, CHECK_AFTER_MS);
  });
  const changed = async () => {
    const text = editor.value;
    const mine = ++asked;
    back.disabled = text === inForce.text;
    try {
      const checked = await send('POST', '/settings/check', text);
      if (mine !== asked) return;
      const list = [...(checked.errors ?? []).map((one) => finding(one, 'error')), ...(checked.warnings ?? []).map((one) => finding(one, 'warning')),
        ...(checked.diagnostics ?? []).map((one) => finding(one, one.severity ?? 'error'))];
      const errors = list.filter((one) => one.severity !== 'warning');
      editor.mark(list);
      fill(findings, list.map((one) => h('button', {class: 'finding ' + one.severity, on: {click: () => one.line && editor.goTo(one)}},
        h('span', {class: 'mono'}, one.line ? `${one.line}:${one.column}` : '–'), h('span', {}, visible(one.message)))));
      setText(status, errors.length ? counted(errors.length, 'error') : text === inForce.text ? 'As in force' : 'Sound');
      if (errors.length) return fill(effectPlace, h('p', {class: 'muted'}, 'What it would do is shown once it is sound.'));
      const diff = await send('POST', '/settings/diff', text);
      if (mine !== asked) return;
      known = diff;
      fill(effectPlace, effect(diff));
      apply.disabled = text === inForce.text || (diff.refusals ?? []).length > 0;
    } catch (error) {
      if (mine === asked) {
        setText(status, error.status ? 'Not sound' : 'No answer');
        fill(effectPlace, h('p', {class: 'problem'}, refusal(error)));
      }
    }
  };
  const askApply = () => confirm({title: 'Apply these settings', action: 'Apply',
    body: h('div', {}, effect(known), h('details', {}, h('summary', {}, 'The text'), diffElement(inForce.text, editor.value))),
    run: async () => {
      const before = inForce;
      try {
        await send('PUT', '/settings', editor.value, {headers: {'If-Match': before.etag}});
      } catch (error) {
        if (error.status !== 412) throw error;
        const now = await load();
        throw Object.assign(error, {message: `${now.by || 'The settings file'} has changed the settings meanwhile (number ${now.number}). Your text is kept; look at what differs, then apply again.`});
      }
      const now = await load();
      notice('The settings are in force.', {undo: async () => {
        await send('PUT', '/settings', before.text, {headers: {'If-Match': now.etag}});
        editor.value = before.text;
        await load();
      }});
    }});
  const load = async () => {
    const {value, headers} = await read('/settings', {signal: page.signal});
    const mine = {...value, etag: headers.get('ETag') ?? `"${value.number}"`};
    const untouched = !inForce || editor.value === inForce.text;
    const other = inForce && inForce.number !== mine.number && !untouched && editor.value !== mine.text;
    inForce = mine;
    if (untouched) editor.value = mine.text;
    setText(title, `Number ${mine.number}, ${visible(mine.name ?? '')}, ${mine.by ? 'applied by ' + visible(mine.by) : 'read from the file'}, ${fullMoment(mine.at_ms)}`);
    fill(stale, other ? h('p', {class: 'banner warn'}, `These settings were changed by ${visible(mine.by || 'the settings file')} while you edit. `,
      h('button', {on: {click: () => openDialog('What differs', diffElement(mine.text, editor.value), null, 'wide')}}, 'What differs'),
      h('button', {on: {click: () => { editor.value = mine.text; fill(stale); changed(); }}}, 'Take theirs')) : null);
    changed();
    return mine;
  };
  const title = h('span', {class: 'muted'});
  const note = h('div', {}, loading());
  const body = h('div', {hidden: true}, h('div', {class: 'panel-head'}, title, status), stale, h('div', {class: 'edit'}, editor.element,
    h('div', {class: 'edit-side'}, h('div', {class: 'buttons left'}, apply, back), findings, h('h2', {}, 'What it would do'), effectPlace)));
  place.append(h('section', {class: 'panel'}, note, body));
  const first = () => load().then(() => { fill(note); body.hidden = false; })
    .catch((error) => error.name !== 'AbortError' && fill(note, failure(error, first)));
  first();
  page.on('settings', () => inForce && load().catch(() => {}));
  window.addEventListener('beforeunload', (event) => { if (inForce && editor.value !== inForce.text) event.preventDefault(); }, {signal: page.signal});
}

async function showVersion(page, record, history) {
  const at = history.findIndex((one) => one.number === record.number);
  const older = history.slice(at + 1).find((one) => one.source);
  try {
    const [mine, before, now] = await Promise.all([get(`/settings/history/${record.number}`), older ? get(`/settings/history/${older.number}`) : null, read('/settings')]);
    const isNow = mine.text === now.value.text;
    openDialog(`Settings number ${record.number}`, h('div', {}, h('p', {class: 'muted'}, `${record.by ? visible(record.by) : 'the settings file'}, ${fullMoment(record.at_ms)}`),
      h('h3', {}, before ? `Against number ${older.number}, before it` : 'The first'), diffElement(before?.text ?? '', mine.text),
      isNow ? h('p', {class: 'muted'}, 'It is in force.') : [h('h3', {}, 'Against what is in force'), diffElement(now.value.text, mine.text)]), (close) =>
      h('div', {class: 'buttons'}, h('button', {on: {click: () => close()}}, 'Close'), isNow ? null : h('button', {class: 'primary', on: {click: () => {
        close();
        confirm({title: `Back to number ${record.number}`, action: 'Apply it again', body: diffElement(now.value.text, mine.text), run: async () => {
          await send('PUT', '/settings', mine.text, {headers: {'If-Match': now.headers.get('ETag')}});
          notice(`Settings number ${record.number} are in force again.`);
          page.refresh();
        }});
      }}}, 'Back to this…')), 'wide');
  } catch (error) {
    notice(error.message, {bad: true});
  }
}

function drawHistory(page, place) {
  const panel = h('section', {class: 'panel'}, loading());
  place.append(panel);
  const resource = page.show(panel, '/settings/history', {topic: 'settings', every: 10_000}, (history) => {
    fill(panel, history.length ? h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, ['Number', 'When', 'By', 'Policy', 'What', ''].map((text) => h('th', {}, text)))),
      h('tbody', {}, history.map((one) => h('tr', {}, h('td', {}, whole(one.number)), h('td', {class: 'num'}, fullMoment(one.at_ms)), h('td', {}, visible(one.by) || 'the settings file'),
        h('td', {}, one.policy), h('td', {class: 'wrap'}, one.source ? visible(one.source) : 'the policy was set'),
        h('td', {class: 'right'}, one.source ? h('button', {on: {click: () => showVersion(page, one, history)}}, 'Difference…') : null))))) : empty('There is no history of settings.'));
  });
  return () => page.drop(resource);
}

function drawInForce(page, place) {
  const panel = h('section', {class: 'panel'}, loading());
  const filter = h('input', {type: 'search', placeholder: 'Setting or value', 'aria-label': 'Filter settings', on: {input: () => show()}});
  const rows = h('tbody', {});
  place.append(h('div', {class: 'filters'}, filter), panel);
  let all = [];
  const show = () => {
    const text = filter.value.trim().toLowerCase();
    fill(rows, all.filter((one) => (one.name + ' ' + one.value).toLowerCase().includes(text)).slice(0, 1000).map((one) =>
      h('tr', {}, h('td', {class: 'mono wrap'}, visible(one.name)), h('td', {class: 'wrap'}, visible(one.value)), h('td', {class: one.origin === 'default' ? 'muted' : ''}, one.origin))));
  };
  const resource = page.show(panel, '/settings/in_force', {topic: 'settings'}, (list) => {
    all = Array.isArray(list) ? list : list.settings ?? [];
    fill(panel, h('table', {class: 'plain'}, h('thead', {}, h('tr', {}, h('th', {}, 'Setting'), h('th', {}, 'Value'), h('th', {}, 'From'))), rows));
    show();
  });
  return () => page.drop(resource);
}

export function draw(page) {
  page.title('Settings');
  page.root.append(page.heading('Settings'));
  drawTabs(page.root, [['edit', 'Edit', (place) => drawEditor(page, place)], ['history', 'Former versions', (place) => drawHistory(page, place)],
    ['in_force', 'All in force', (place) => drawInForce(page, place)]]);
}
