// All queues: the tree with every figure of a queue in a row.
import {h, fill, panelOf, setText} from '../dom.js';
import {QueueTree} from '../queue_tree.js';
import {legend} from '../bars.js';
import {showQueues} from '../measure.js';
import {loading} from '../states.js';

export function draw(page) {
  page.title('Queues');
  const tree = new QueueTree({more: true});
  const count = h('span', {class: 'muted'});
  const place = h('div', {}, loading());
  const means = legend();
  page.root.append(
    page.heading('Queues', count, h('span', {class: 'space'}), tree.scaleButton, tree.input),
    panelOf(means.element, place),
  );
  page.use('/cluster', {topic: 'cluster', every: 10_000}, (value) => value && tree.set(null, value));
  showQueues(page, place, (queues) => {
    if (!tree.mounted) {
      fill(place);
      tree.mounted = tree.table.mount(page, place);
    }
    means.show(queues);
    tree.set(queues);
    setText(count, tree.count());
  });
}
