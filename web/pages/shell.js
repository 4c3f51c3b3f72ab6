// The frame: where one can go, who one acts as, whether what one sees is live.
import {h, fill, setText} from './dom.js';
import {user, setUser} from './api.js';
import {liveState} from './live.js';
import {showKeys} from './keyboard.js';

export const PLACES = [
  ['/', 'Overview', 'o'],
  ['/queues', 'Queues', 'q'],
  ['/pools', 'Pools', 'p'],
  ['/jobs', 'Jobs', 'j'],
  ['/trackers', 'Trackers', 't'],
  ['/policy', 'Policy', 'y'],
  ['/settings', 'Settings', 's'],
  ['/events', 'Events', 'e'],
];

const LIVE = {
  live: ['live', 'Changes arrive as they happen, about once a second.'],
  polling: ['polling', 'There is no stream of changes now: the page asks every 4 seconds.'],
  down: ['no answer', 'The JobTracker does not answer; the page tries again every 2 seconds.'],
};

function liveSign() {
  const words = h('span', {});
  const sign = h('span', {class: 'live', tabindex: '0'}, h('i', {'aria-hidden': 'true'}), words);
  const update = () => {
    const state = liveState();
    sign.className = 'live live-' + state;
    sign.dataset.tip = LIVE[state][1];
    setText(words, LIVE[state][0]);
  };
  window.addEventListener('weir-live', update);
  update();
  return sign;
}

function userField() {
  const input = h('input', {
    type: 'text',
    id: 'acting-as',
    value: user(),
    placeholder: 'your name',
    maxlength: 100,
    autocomplete: 'username',
    spellcheck: 'false',
    tip:
      'The user name that changes made on these pages are made under. The JobTracker checks ' +
      'what that user may do; nobody checks yet who you are.',
    on: {
      change: () => setUser(input.value),
      keydown: (event) => {
        if (event.key === 'Enter' || event.key === 'Escape') input.blur();
      },
    },
  });
  window.addEventListener('weir-user', () => {
    input.value = user();
  });
  return h('label', {class: 'acting', for: 'acting-as'}, h('span', {}, 'acting as'), input);
}

export function drawShell(header) {
  const links = PLACES.map(([path, name, key]) =>
    h('a', {href: path, 'data-key': key, title: `g then ${key}`}, name),
  );
  fill(
    header,
    h(
      'a',
      {class: 'brand', href: '/', 'aria-label': 'Weir, to the overview'},
      h('img', {src: '/assets/weir.svg', alt: '', width: 20, height: 20}),
      'Weir',
    ),
    h('nav', {'aria-label': 'Pages'}, links),
    h(
      'div',
      {class: 'shell-right'},
      liveSign(),
      userField(),
      h('button', {class: 'icon', 'aria-label': 'Keys', title: 'Keys (?)', on: {click: showKeys}}, '?'),
    ),
  );
}

/** Marks in the navigation where the path belongs to. */
export function markPlace(path) {
  for (const a of document.querySelectorAll('#shell nav a')) {
    const root = a.getAttribute('href');
    const here = root === '/' ? path === '/' : path === root || path.startsWith(root + '/');
    if (here) {
      a.setAttribute('aria-current', 'page');
      a.scrollIntoView({block: 'nearest', inline: 'nearest'});
    } else {
      a.removeAttribute('aria-current');
    }
  }
}
