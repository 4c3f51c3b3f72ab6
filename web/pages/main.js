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
    const module = await import(`./views/${view}.js`);
    if (mine.signal.aborted) return;
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

let started = false;
drawShell(document.getElementById('shell'));
startTips();
startKeys();
start(show);
