// A page that is open: its element, its address, what it reads, and that all of it ends when one
// goes elsewhere.
import {follow, Resource} from './live.js';
import {h, fill} from './dom.js';
import {failure} from './states.js';

export class Page {
  constructor(root, route, params, query) {
    this.root = root;
    this.route = route;
    this.params = params;
    this.query = query;
    this.resources = [];
    this.listeners = [];
    this.jobs = [];
    this.ended = new AbortController();
    this.signal = this.ended.signal;
  }

  title(text) {
    document.title = `${text} · Weir`;
  }

  /**
   * Reads `path` now and whenever it changes, and calls `shown(value, error)`. Options: `topic` of
   * the stream that tells of changes; `merge`: the stream's records replace those of the list with
   * the same `key`; `every`: milliseconds after which it is read again in any case; `beside`: what
   * `show` shows only with it.
   */
  use(path, options, shown) {
    const resource = new Resource(this, path, options, shown);
    this.resources.push(resource);
    resource.refresh();
    if (resource.every)
      this.every(resource.every, () => this.resources.includes(resource) && resource.refresh());
    this.follow();
    return resource;
  }

  /** Like `use`, and shows a failure in `place` instead of calling `shown`. */
  show(place, path, options, shown) {
    const {beside = []} = options;
    for (const one of beside) one.hidden = true;
    return this.use(path, options, (value, error, resource) => {
      const failed = error && (value === undefined || error.status);
      for (const one of beside) one.hidden = failed;
      if (failed) {
        return void fill(place, failure(error, () => resource.refresh()));
      }
      shown(value, resource);
    });
  }

  drop(resource) {
    this.resources = this.resources.filter((other) => other !== resource);
  }

  on(topic, listener) {
    this.listeners.push({topic, listener});
    this.follow();
  }

  follow() {
    clearTimeout(this.followTimer);
    this.followTimer = setTimeout(() => {
      if (this.signal.aborted) return;
      const topics = new Set([...this.resources, ...this.listeners].map((one) => one.topic));
      topics.delete(undefined);
      follow(this, [...topics], this.jobs);
    }, 0);
  }

  heard(topic, data) {
    for (const resource of this.resources) if (resource.topic === topic) resource.heard(data);
    for (const one of this.listeners) if (one.topic === topic) one.listener(data);
  }

  refresh() {
    for (const resource of this.resources) resource.refresh();
    for (const one of this.listeners) one.listener({});
  }

  every(ms, call) {
    const timer = setInterval(() => !document.hidden && call(), ms);
    this.signal.addEventListener('abort', () => clearInterval(timer));
  }

  end() {
    this.ended.abort();
    clearTimeout(this.followTimer);
  }

  /** The heading of the page, with what stands beside it. */
  heading(text, ...beside) {
    return h('div', {class: 'heading'}, h('h1', {}, text), ...beside);
  }
}
