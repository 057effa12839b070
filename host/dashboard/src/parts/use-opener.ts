import { useEffect, useState } from 'react';

/** Gives the focus back to what opened a dialog that is in the document only while it is open. */
export function useOpener(): void {
  const [opener] = useState(openerNow);
  useEffect(
    () => () => {
      // After the dialog has gone, and only where nothing else has got the focus.
      setTimeout(() => {
        if (document.activeElement === document.body) opener?.focus({ preventScroll: true });
      });
    },
    [opener],
  );
}

/** The element with the focus; of a menu, which goes when one of its items is chosen, the button that opens it. */
function openerNow(): HTMLElement | null {
  const active = document.activeElement;
  const menu = active?.closest('[role=menu]');
  if (menu) return document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  return active instanceof HTMLElement ? active : null;
}
