// Dialogs and short notices. Dialogs are the browser's own: they keep the focus and close on Esc.
import {h, fill, visible} from './dom.js';
import {user, setUser} from './api.js';

const NOTICE_MS = 9000;

/** Shows the content; resolves with what `close(value)` was given, or undefined. */
export function openDialog(title, content, buttons = null, className = '') {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const close = (value) => {
      dialog.close();
      dialog.remove();
      if (before?.isConnected) before.focus({preventScroll: true});
      resolve(value);
    };
    const dialog = h(
      'dialog',
      {
        class: className,
        'aria-labelledby': 'dialog-title',
        on: {
          cancel: (event) => {
            event.preventDefault();
            close(undefined);
          },
          click: (event) => {
            if (event.target === dialog) close(undefined);
          },
        },
      },
      h(
        'div',
        {class: 'dialog-box'},
        h('h2', {id: 'dialog-title'}, title),
        typeof content === 'function' ? content(close) : content,
        buttons
          ? buttons(close)
          : h('div', {class: 'buttons'}, h('button', {on: {click: () => close()}}, 'Close')),
      ),
    );
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector('[autofocus]')?.focus();
  });
}

/** Asks before something is done. `run` does it; what fails is said in the dialog. */
export function confirm({title, body, action, danger = false, wide = false, run}) {
  const problem = h('p', {class: 'problem', role: 'alert'});
  const buttons = (close) => {
    const yes = h(
      'button',
      {
        class: danger ? 'danger' : 'primary',
        autofocus: !danger,
        on: {
          click: async () => {
            yes.disabled = true;
            fill(problem);
            try {
              if (!(await actingAs())) return;
              close((await run()) ?? true);
            } catch (error) {
              fill(problem, refusal(error));
            } finally {
              yes.disabled = false;
            }
          },
        },
      },
      action,
    );
    return h(
      'div',
      {class: 'buttons'},
      h('button', {autofocus: danger, on: {click: () => close()}}, 'Cancel'),
      yes,
    );
  };
  return openDialog(title, h('div', {}, body, problem), buttons, wide ? 'wide' : '');
}

/** The server's refusal in its own words. */
export function refusal(error) {
  const title = error.status === 403 ? 'Not allowed: ' : '';
  return [
    title + visible(error.status ? error.message : 'the JobTracker does not answer'),
    error.hint ? [h('br'), visible(error.hint)] : null,
    (error.diagnostics ?? []).map((line) => [h('br'), visible(line.message ?? line)]),
  ];
}

/** Who acts; asks once if nobody has said so. */
export async function actingAs() {
  if (user()) return user();
  const input = h('input', {
    type: 'text',
    autofocus: true,
    maxlength: 100,
    autocomplete: 'username',
    'aria-label': 'User name',
  });
  const name = await openDialog(
    'Who are you?',
    h(
      'div',
      {},
      h(
        'p',
        {},
        'Changes are made under a user name, which the JobTracker holds against the rights ' +
          'of queues. This browser remembers it.',
      ),
      input,
    ),
    (close) => {
      input.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && input.value.trim()) close(input.value.trim());
      });
      return h(
        'div',
        {class: 'buttons'},
        h('button', {on: {click: () => close()}}, 'Cancel'),
        h('button', {class: 'primary', on: {click: () => close(input.value.trim())}}, 'Go on'),
      );
    },
  );
  if (name) setUser(name);
  return name;
}

/** A notice that goes by itself; with `undo`, a button that takes back what was done. */
export function notice(text, {undo = null, bad = false} = {}) {
  const list = document.getElementById('toasts');
  const gone = () => item.remove();
  const item = h(
    'div',
    {class: 'toast' + (bad ? ' bad' : '')},
    h('span', {}, visible(text)),
    undo
      ? h(
          'button',
          {
            on: {
              click: async () => {
                gone();
                try {
                  await undo();
                  notice('Taken back.');
                } catch (error) {
                  notice(`Could not be taken back: ${error.message}`, {bad: true});
                }
              },
            },
          },
          'Undo',
        )
      : null,
    h('button', {class: 'icon', 'aria-label': 'Dismiss', on: {click: gone}}, '×'),
  );
  list.append(item);
  while (list.children.length > 3) list.firstChild.remove();
  setTimeout(gone, bad ? NOTICE_MS * 2 : NOTICE_MS);
}
