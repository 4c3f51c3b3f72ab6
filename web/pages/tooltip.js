// One tooltip for all: what has `data-tip` is explained on hover and on focus, in a sentence.
const tip = document.getElementById('tip');
let on = null;
let timer = 0;

function place(target) {
  const at = target.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left), Math.max(8, innerWidth - size.width - 8));
  const below = at.bottom + 6;
  const top = below + size.height > innerHeight - 4 ? at.top - size.height - 6 : below;
  tip.style.setProperty('--x', `${Math.round(left)}px`);
  tip.style.setProperty('--y', `${Math.round(Math.max(4, top))}px`);
}

function show(target) {
  if (!target.isConnected || !target.dataset.tip) return;
  on = target;
  tip.textContent = target.dataset.tip;
  tip.hidden = false;
  const dialog = target.closest('dialog');
  (dialog ?? document.body).append(tip);
  target.setAttribute('aria-describedby', 'tip');
  place(target);
}

export function hideTip() {
  clearTimeout(timer);
  on?.removeAttribute('aria-describedby');
  on = null;
  tip.hidden = true;
}

/** Where what is explained follows the pointer, as in charts: shows the text at its element. */
export function showTipAt(x, y, text) {
  clearTimeout(timer);
  on = null;
  tip.textContent = text;
  tip.hidden = false;
  document.body.append(tip);
  place({getBoundingClientRect: () => ({left: x + 10, top: y - 10, bottom: y + 10})});
}

export function startTips() {
  document.addEventListener('pointerover', (event) => {
    if (event.pointerType === 'touch') return;
    const target = event.target.closest?.('[data-tip]');
    if (target === on) return;
    hideTip();
    if (target) timer = setTimeout(() => show(target), 250);
  });
  document.addEventListener('click', (event) => {
    const target = event.target.closest?.('[data-tip]:not(a, button, input, select, textarea)');
    hideTip();
    if (target) show(target);
  });
  document.addEventListener('focusin', (event) => {
    const target = event.target.closest?.('[data-tip]');
    if (target?.matches(':focus-visible')) show(target);
  });
  document.addEventListener('focusout', hideTip);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hideTip();
  });
  window.addEventListener('scroll', hideTip, {passive: true, capture: true});
}
