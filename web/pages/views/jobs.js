// All jobs: filters and sorting in the address, live progress, why each waits.
import {h, fill, panelOf, setText} from '../dom.js';
import {JobList} from '../job_list.js';
import {counted, whole} from '../format.js';
import {query, setQuery} from '../router.js';
import {knowQueues} from '../colours.js';
import {empty} from '../states.js';

const OPEN = 'RUNNING,PENDING,WAITING,HELD';
const STATES = [
  [OPEN, 'not over'],
  ['RUNNING', 'running'],
  ['PENDING,WAITING,HELD', 'waiting'],
  ['SUCCEEDED', 'succeeded'],
  ['FAILED', 'failed'],
  ['KILLED', 'killed'],
  ['', 'all'],
];

export function draw(page) {
  page.title('Jobs');
  const filters = () => {
    const at = query();
    const state = at.has('state') ? at.get('state').toUpperCase() : OPEN;
    return {
      queue: at.get('queue'),
      user: at.get('user'),
      name: at.get('name'),
      state: state === 'ALL' ? '' : state,
      since: at.get('since'),
      sort: at.get('sort'),
    };
  };
  const count = h('span', {class: 'muted', 'aria-live': 'polite'});
  const panel = panelOf();
  const list = new JobList(page, panel, {
    sort: query().get('sort') ?? '-submitted',
    onSort: (sort) => {
      setQuery({sort: sort === '-submitted' ? null : sort});
      again();
    },
    empty: () =>
      empty('No job is like that.', h('button', {on: {click: clear}}, 'Show all that are not over')),
    onCount: (shown, total) =>
      setText(
        count,
        total !== null
          ? counted(total, 'job')
          : `the ${sorted() ? 'newest ' : 'first '}${whole(shown)} of more`,
      ),
  });
  const sorted = () => !['submitted', '-submitted', null].includes(query().get('sort'));
  let timer = 0;
  const again = () => {
    showChips();
    list.ask(filters());
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(again, 250);
  };
  const field = (name, label, extra = {}) =>
    h('input', {
      type: 'search',
      value: query().get(name) ?? '',
      placeholder: label,
      'aria-label': label,
      spellcheck: 'false',
      ...extra,
      on: {
        input: (event) => {
          setQuery({[name]: event.target.value.trim()});
          soon();
        },
      },
    });
  const name = field('name', 'Name, * for anything  /', {'data-filter': true, class: 'wide'});
  const queues = h('datalist', {id: 'queue-names'});
  const queue = field('queue', 'Queue', {list: 'queue-names'});
  const user = field('user', 'User');
  const chips = h('div', {class: 'chips', role: 'group', 'aria-label': 'State'});
  for (const [states, label] of STATES) {
    chips.append(
      h(
        'button',
        {
          'data-states': states,
          on: {
            click: () => {
              setQuery({state: states === OPEN ? null : states || 'all'});
              again();
            },
          },
        },
        label,
      ),
    );
  }
  const showChips = () => {
    const now = filters().state;
    for (const chip of chips.children)
      chip.setAttribute('aria-pressed', chip.dataset.states === now);
  };
  const clear = () => {
    for (const one of [name, queue, user]) one.value = '';
    setQuery({name: null, queue: null, user: null, state: null, pool: null, since: null});
    again();
  };
  page.root.append(
    page.heading('Jobs', count),
    h('div', {class: 'filters'}, name, queue, user, queues, chips),
    panel,
  );
  page.use('/queues', {}, (value) => {
    if (!value) return;
    knowQueues(value);
    fill(queues, value.filter((one) => one.leaf).map((one) => h('option', {value: one.name})));
    list.table.redraw();
  });
  again();
}
