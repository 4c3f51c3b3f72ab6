// What stands where there is nothing to show: loading, empty, forbidden, failed.
import {h, visible} from './dom.js';

export function loading(what = 'Loading') {
  return h('p', {class: 'loading'}, what);
}

export function empty(text, ...more) {
  return h('div', {class: 'empty'}, h('p', {}, text), ...more);
}

export function failure(error, again) {
  const forbidden = error.status === 403 || error.status === 401;
  const missing = error.status === 404;
  const title = forbidden
    ? 'You may not see this'
    : missing
      ? 'There is no such thing here'
      : error.status
        ? `The server refused (${error.status})`
        : 'The JobTracker does not answer';
  return h(
    'div',
    {class: 'failure' + (forbidden ? ' forbidden' : ''), role: 'alert'},
    h('h2', {}, title),
    h('p', {}, visible(error.status ? error.message : 'Nothing could be read yet; trying again.')),
    error.hint ? h('p', {class: 'muted'}, visible(error.hint)) : null,
    missing
      ? h('p', {}, h('a', {href: '/'}, 'To the overview'))
      : h('button', {on: {click: again}}, 'Try again'),
  );
}
