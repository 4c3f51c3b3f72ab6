// All queues: the tree with every figure of a queue in a row.
import {h, fill, setText} from '../dom.js';
import {QueueTree} from '../queue_tree.js';
import {loading} from '../states.js';

export function draw(page) {
  page.title('Queues');
  const tree = new QueueTree({more: true});
  const count = h('span', {class: 'muted'});
  const place = h('div', {}, loading());
  page.root.append(
    page.heading('Queues', count, h('span', {class: 'space'}), tree.input),
    h('section', {class: 'panel'}, tree.legend.element, place),
  );
  page.use(
    '/cluster',
    {topic: 'cluster', every: 10_000},
    (value) => value && tree.set(null, value),
  );
  page.show(place, '/queues', {topic: 'queues', merge: true}, (queues) => {
    if (!tree.mounted) {
      fill(place);
      tree.mounted = tree.table.mount(page, place);
    }
    tree.set(queues);
    setText(count, tree.count());
  });
}
