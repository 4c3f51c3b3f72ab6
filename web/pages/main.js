// The start: the frame around the pages, and which page is drawn in it.
import {start, match} from './router.js';
import {Page} from './page.js';
import {h, fill} from './dom.js';
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
  try {
    const module = await import(`./views/${view}.js`).catch((error) => loadAgain(mine, error));
    if (mine.signal.aborted || !module) return;
    fill(mine.root);
    module.draw(mine);
    if (!samePath && started) main.focus({preventScroll: true});
  } catch (error) {
    if (!mine.signal.aborted)
      fill(
        mine.root,
        failure(error, () => show(url)),
      );
    console.error(error);
  }
  started = true;
}

/** A module that could not be loaded is not tried again by the browser: the whole page is. */
function loadAgain(mine, error) {
  console.error(error);
  fill(
    mine.root,
    failure(error, () => location.reload()),
  );
  mine.every(2000, async () => {
    const answer = await fetch('/healthz').catch(() => null);
    if (answer?.ok && !mine.signal.aborted) location.reload();
  });
}

let started = false;
drawShell(document.getElementById('shell'));
startTips();
startKeys();
start(show);
