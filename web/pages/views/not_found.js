// An address that leads nowhere.
import {empty} from '../states.js';
import {h} from '../dom.js';

export function draw(page) {
  page.title('No such page');
  page.root.append(
    page.heading('No such page'),
    empty('This address leads to no page of Weir.', h('p', {}, h('a', {href: '/'}, 'To the overview'))),
  );
}
