// Tabs whose choice is in the address.
import {h, fill} from './dom.js';
import {roving} from './keyboard.js';
import {query, setQuery} from './router.js';

const ROOM = 60; // pixels of the tab before it

/** `tabs`: [[key, label, draw(place)]]. Draws the chosen one; `draw` may return what ends it. */
export function drawTabs(root, tabs, {name = 'tab', label = 'Views'} = {}) {
  const place = h('div', {role: 'tabpanel'});
  let end = null;
  const list = h('div', {class: 'tabs', role: 'tablist', 'aria-label': label});
  const choose = (key) => {
    const [chosen, , draw] = tabs.find(([one]) => one === key) ?? tabs[0];
    for (const button of list.children) {
      const on = button.dataset.tab === chosen;
      button.setAttribute('aria-selected', on);
      button.tabIndex = on ? 0 : -1;
      // Of more tabs than fit the chosen one is in view.
      if (on) list.scrollTo({left: button.offsetLeft - list.offsetLeft - ROOM});
    }
    end?.();
    fill(place);
    end = draw(place) ?? null;
  };
  for (const [key, text] of tabs) {
    list.append(
      h(
        'button',
        {
          role: 'tab',
          'data-tab': key,
          on: {
            click: () => {
              setQuery({[name]: key === tabs[0][0] ? null : key});
              choose(key);
            },
          },
        },
        text,
      ),
    );
  }
  roving(list, '[role=tab]');
  root.append(list, place);
  choose(query().get(name) ?? tabs[0][0]);
  return choose;
}
