// The settings: an editor that checks while one types and shows what a change would do;
// apply, which refuses to overwrite what another has applied meanwhile; and the former versions,
// each with its difference and a way back.
import {h, fill, panelOf, setText, visible} from '../dom.js';
import {get, read, send, withMine} from '../api.js';
import {drawTabs} from '../tabs.js';
import {YamlEditor, diffElement} from '../yaml_editor.js';
import {confirm, notice, openDialog, refusal} from '../dialogs.js';
import {whole, fullMoment, counted} from '../format.js';
import {labelOf} from '../measure.js';
import {href} from '../router.js';
import {failure, loading} from '../states.js';
import {drawHistory, drawInForce} from '../settings_versions.js';
import {wideTable} from '../plain_table.js';
import {changeList, claimsForeseen} from '../outlook_change.js';

const CHECK_AFTER_MS = 350;
const SLOTS = ['maps', 'reduces', 'maps_maximum', 'reduces_maximum'];

function headsOf(amounts) {
  const tip = 'Now → with these settings.';
  const heads = amounts
    ? ['Guaranteed', 'Max']
    : ['Guar. maps', 'Guar. reduces', 'Max maps', 'Max reduces'];
  const first = amounts ? ['Queue', 'Change', 'Dimension'] : ['Queue', 'Change'];
  return [...first, ...heads.map((head) => [head, tip, 'right'])];
}

/** Where a finding is: its line and column, of the allocations file with the file's name. */
function placeOf(one) {
  if (!one.line) return '–';
  return `${one.elsewhere ? visible(one.elsewhere) + ':' : ''}${one.line}:${one.column}`;
}

function effect(diff) {
  const changed = diff.queues.filter((queue) => queue.change !== 'unchanged');
  const was = (before, after) =>
    before === after
      ? h('td', {class: 'right muted'}, whole(after))
      : h(
          'td',
          {class: 'right ' + (after > before ? 'gain' : 'loss')},
          `${whole(before)} → ${whole(after)}`,
        );
  const pair = (of, what) => was(of[what + '_before'], of[what + '_after']);
  const item = (line) => h('li', {}, visible(line));
  const lines = (title, list, cls) =>
    list?.length
      ? h('div', {}, h('h3', {class: cls}, title), h('ul', {class: 'bare'}, list.map(item)))
      : null;
  const nothing = !changed.length && !diff.changes.length && !diff.at_restart.length;
  return h(
    'div',
    {class: 'effect'},
    lines('Would be refused as the cluster is now', diff.refusals, 'loss'),
    nothing ? h('p', {class: 'muted'}, 'It changes nothing.') : null,
    changed.length
      ? wideTable(
          headsOf(changed[0].amounts.length),
          changed.flatMap((queue) => {
            const name = h('a', {href: href.queue(queue.queue)}, visible(queue.queue));
            const jobs = counted(queue.jobs ?? 0, 'job');
            const change = queue.change + (queue.moves_to ? `, ${jobs} to ${queue.moves_to}` : '');
            if (!queue.amounts.length)
              return [[name, change, ...SLOTS.map((what) => pair(queue, what))]];
            return queue.amounts.map((of, i) => [
              ...(i ? ['', ''] : [name, change]),
              labelOf(of.dimension),
              ...['guaranteed', 'maximum'].map((what) => pair(of, what)),
            ]);
          }),
        )
      : null,
    !nothing && diff.preview ? foreseen(diff.preview) : null,
    lines('Other settings', diff.changes),
    lines('At the next start of the JobTracker', diff.at_restart),
    lines('Warnings', diff.warnings),
  );
}

/** What a switch of the policy says beforehand, too. */
function foreseen({now, then, claims}) {
  return h(
    'div',
    {class: 'foreseen'},
    h('h3', {}, 'Who gains and who loses, as the cluster is now'),
    h('div', {class: 'columns'}, changeList(now, then)),
    h('h3', {}, 'Claims then'),
    claimsForeseen(claims),
  );
}

function drawEditor(page, place) {
  const status = h('span', {class: 'muted', role: 'status'});
  const findings = h('div', {class: 'findings'});
  const effectPlace = h('div', {});
  const stale = h('div', {});
  const back = h('button', {on: {click: () => takeTheirs()}}, 'Discard changes');
  const press = {class: 'primary', disabled: true, on: {click: () => askApply()}};
  const apply = h('button', press, 'Apply…');
  let inForce = null;
  let base = null; // what is edited here: it is applied onto that alone
  let over = null; // what others have applied since, and is to be taken back knowingly
  let timer = 0;
  let asked = 0;
  let known = null;
  const editor = new YamlEditor(() => {
    setText(status, 'Checking');
    apply.disabled = true;
    clearTimeout(timer);
    timer = setTimeout(changed, CHECK_AFTER_MS);
  });
  const isStale = () => base.number !== inForce.number;
  const whoOf = ({by, number}) => `${visible(by || 'the settings file')} (number ${whole(number)})`;
  const takeTheirs = () => {
    editor.value = inForce.text;
    [base, over] = [inForce, null];
    showStale();
    changed();
  };
  const keepMine = () => {
    [base, over] = [inForce, inForce];
    showStale();
    changed();
  };
  const showStale = () => {
    const button = (text, click) => h('button', {on: {click}}, text);
    const differs = () =>
      openDialog('What differs', diffElement(inForce.text, editor.value), null, 'wide');
    fill(
      stale,
      isStale()
        ? h(
            'p',
            {class: 'banner warn'},
            h('span', {}, `These settings were changed by ${whoOf(inForce)} while you edit.`),
            button('What differs', differs),
            button('Take theirs', takeTheirs),
            button('Keep mine', keepMine),
          )
        : over &&
            h(
              'p',
              {class: 'banner warn'},
              h('span', {}, `Your text takes back what was changed by ${whoOf(over)}.`),
              button('What differs', differs),
              button('Take theirs', takeTheirs),
            ),
    );
  };
  const changed = async () => {
    const text = editor.value;
    const mine = ++asked;
    back.disabled = text === inForce.text;
    try {
      const checked = await send('POST', '/settings/check', text);
      if (mine !== asked) return;
      const list = checked.findings.map((one) => ({
        ...one,
        warning: one.severity === 'warning',
        elsewhere: one.file && one.file !== checked.file ? one.file : null,
      }));
      const errors = list.filter((one) => !one.warning);
      editor.mark(list);
      fill(
        findings,
        list.map((one) =>
          h(
            'button',
            {
              class: 'finding' + (one.warning ? ' warning' : ''),
              on: {click: () => one.line && !one.elsewhere && editor.goTo(one)},
            },
            h('span', {class: 'mono'}, placeOf(one)),
            h('span', {}, visible(one.message)),
          ),
        ),
      );
      setText(
        status,
        errors.length
          ? counted(errors.length, 'error')
          : text === inForce.text
            ? 'As in force'
            : 'Sound',
      );
      if (errors.length)
        return fill(effectPlace, h('p', {class: 'muted'}, 'What it would do is shown once it is sound.'));
      const diff = await send('POST', '/settings/diff', text);
      if (mine !== asked) return;
      known = diff;
      fill(effectPlace, effect(diff));
      apply.disabled = text === inForce.text || (diff.refusals ?? []).length > 0 || isStale();
    } catch (error) {
      if (mine === asked) {
        setText(status, error.status ? 'Not sound' : 'No answer');
        fill(effectPlace, h('p', {class: 'problem'}, refusal(error)));
      }
    }
  };
  const askApply = () =>
    confirm({
      title: 'Apply these settings',
      action: 'Apply',
      wide: true,
      body: h(
        'div',
        {},
        over &&
          h('p', {class: 'loss'}, `It takes back what was changed by ${whoOf(over)} meanwhile.`),
        effect(known),
        h('details', {}, h('summary', {}, 'The text'), diffElement(inForce.text, editor.value)),
      ),
      run: async () => {
        const before = base;
        try {
          await send('PUT', '/settings', editor.value, {headers: {'If-Match': before.etag}});
        } catch (error) {
          if (error.status !== 412) throw error;
          const now = await load();
          throw Object.assign(error, {
            message:
              `${now.by || 'The settings file'} has changed the settings meanwhile ` +
              `(number ${now.number}). Your text is kept: close this, and look at what differs.`,
          });
        }
        const now = await load();
        const file = await get('/settings/file');
        notice('The settings are in force.' + (file.says ? ` ${file.says}.` : ''), {
          undo: async () => {
            await send('PUT', '/settings', before.text, {headers: {'If-Match': now.etag}});
            editor.value = before.text;
            await load();
          },
        });
      },
    });
  const load = async () => {
    const {value, headers} = await read(withMine('/settings'), {signal: page.signal});
    const mine = {...value, etag: headers.get('ETag') ?? `"${value.number}"`};
    const untouched = !base || editor.value === base.text;
    inForce = mine;
    if (untouched) editor.value = mine.text;
    if (editor.value === mine.text) [base, over] = [mine, null];
    else if (base.text === mine.text) base = mine; // the policy was switched, or the same applied
    setText(
      title,
      [
        `Number ${whole(mine.number)}`,
        visible(mine.source),
        mine.by ? `applied by ${visible(mine.by)}` : 'read from the file',
        mine.at_ms ? fullMoment(mine.at_ms) : null,
      ]
        .filter(Boolean)
        .join(', '),
    );
    showStale();
    changed();
    showFile().catch(() => {});
    return mine;
  };
  // Where the file that the JobTracker follows is another than what is in force.
  const showFile = async () => {
    const file = await get('/settings/file', {signal: page.signal});
    fill(
      filePlace,
      file.says
        ? h(
            'p',
            {class: 'banner warn'},
            visible(file.says) + '. ',
            h(
              'button',
              {
                on: {
                  click: () =>
                    openDialog(
                      'From what is in force to the file',
                      h('ul', {class: 'bare mono'}, file.changes.map((one) => h('li', {}, visible(one)))),
                      null,
                      'wide',
                    ),
                },
              },
              'What differs',
            ),
          )
        : null,
    );
  };
  const filePlace = h('div', {});
  const title = h('span', {class: 'muted'});
  const note = h('div', {}, loading());
  const body = h(
    'div',
    {hidden: true},
    h('div', {class: 'panel-head'}, title, status),
    filePlace,
    stale,
    h(
      'div',
      {class: 'edit'},
      editor.element,
      h(
        'div',
        {class: 'edit-side'},
        h('div', {class: 'buttons left'}, apply, back),
        findings,
        h('h2', {}, 'What it would do'),
        effectPlace,
      ),
    ),
  );
  place.append(panelOf(note, body));
  const first = () =>
    load()
      .then(() => {
        fill(note);
        body.hidden = false;
      })
      .catch((error) => error.name !== 'AbortError' && fill(note, failure(error, first)));
  first();
  page.on('settings', () => inForce && load().catch(() => {}));
  window.addEventListener(
    'beforeunload',
    (event) => {
      if (inForce && editor.value !== inForce.text) event.preventDefault();
    },
    {signal: page.signal},
  );
}

export function draw(page) {
  page.title('Settings');
  page.root.append(page.heading('Settings'));
  drawTabs(page.root, [
    ['edit', 'Edit', (place) => drawEditor(page, place)],
    ['history', 'Former versions', (place) => drawHistory(page, place)],
    ['in_force', 'All in force', (place) => drawInForce(page, place)],
  ]);
}
