// The start: the frame around the pages, and which page is drawn in it.
import {start, match} from './router.js';
import {Page} from './page.js';
import {h, fill} from './dom.js';
import {reloadWhenBack} from './live.js';
import {failure, loading} from './states.js';
import {drawShell, markPlace} from './shell.js';
import {startTips, hideTip} from './tooltip.js';
import {startKeys} from './keyboard.js';

const main = document.getElementById('main');
let page = null;

async function show(url) {
  const {view, params} = match(url.pathname);
  const samePath = page && page.path === url.pathname;
  page?.end();
  hideTip();
  const mine = (page = new Page(
    h('div', {class: `page page-${view}`}),
    view,
    params,
    new URLSearchParams(url.search),
  ));
  mine.path = url.pathname;
  markPlace(url.pathname);
  fill(main, mine.root);
  fill(mine.root, loading());
  if (!samePath) window.scrollTo(0, 0);
  const module = await import(`./views/${view}.js`).catch((error) => unloaded(mine, error));
  if (!module || mine.signal.aborted) return;
  try {
    fill(mine.root);
    module.draw(mine);
    if (!samePath && started) main.focus({preventScroll: true});
  } catch (error) {
    if (!mine.signal.aborted)
      fill(mine.root, failure(error, () => show(url)));
    console.error(error);
  }
  started = true;
}

// What a browser once failed to load as a module it does not ask for again: only all of it anew.
function unloaded(mine, error) {
  if (mine.signal.aborted) return;
  fill(mine.root, failure(error, () => reloadWhenBack(mine.signal, true)));
  console.error(error);
  reloadWhenBack(mine.signal);
}

let started = false;
drawShell(document.getElementById('shell'));
startTips();
startKeys();
start(show);
