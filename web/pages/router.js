// Addresses: which module draws which path, and the query that holds the rest of the view
// (filters, tab, sorting), so that a link shows a colleague the very same.

const ROUTES = [
  [/^\/$/, 'overview'],
  [/^\/queues$/, 'queues'],
  [/^\/queues\/(?<name>[^/]+)$/, 'queue'],
  [/^\/pools$/, 'pools'],
  [/^\/jobs$/, 'jobs'],
  [/^\/jobs\/(?<id>[^/]+)$/, 'job'],
  [/^\/trackers$/, 'trackers'],
  [/^\/trackers\/(?<name>[^/]+)$/, 'tracker'],
  [/^\/policy$/, 'policy'],
  [/^\/settings$/, 'settings'],
  [/^\/events$/, 'events'],
];

function decoded(params = {}) {
  const out = {};
  for (const [name, value] of Object.entries(params)) {
    try {
      out[name] = decodeURIComponent(value);
    } catch {
      out[name] = value;
    }
  }
  return out;
}

export function match(path) {
  const bare = path.length > 1 ? path.replace(/\/+$/, '') : path;
  for (const [pattern, view] of ROUTES) {
    const found = pattern.exec(bare);
    if (found) return {view, params: decoded(found.groups)};
  }
  return {view: 'not_found', params: {}};
}

let show = () => {};

export function start(showPage) {
  show = showPage;
  window.addEventListener('popstate', () => show(location));
  document.addEventListener('click', (event) => {
    const a = event.target.closest?.('a[href]');
    if (
      !a ||
      event.defaultPrevented ||
      event.button ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey ||
      a.target ||
      a.origin !== location.origin ||
      a.hasAttribute('download') ||
      a.getAttribute('href').startsWith('#') ||
      a.pathname.startsWith('/api/') ||
      a.pathname === '/metrics'
    )
      return;
    event.preventDefault();
    go(a.href);
  });
  show(location);
}

/** Goes to an address within these pages. */
export function go(href) {
  const url = new URL(href, location.href);
  if (url.href !== location.href) history.pushState(null, '', url);
  show(url);
}

/** Changes parts of the query in place: nothing is drawn anew by this. */
export function setQuery(changes) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(null, '', url);
}

export function query() {
  return new URL(location.href).searchParams;
}

export const href = {
  queue: (name) => '/queues/' + encodeURIComponent(name),
  job: (number, tab) => `/jobs/${number}` + (tab ? `?tab=${tab}` : ''),
  jobs: (filters) => '/jobs?' + new URLSearchParams(filters),
  tracker: (name) => '/trackers/' + encodeURIComponent(name),
};
