import { useSyncExternalStore } from 'react';

/** Who is logged in, the same in all tabs of this browser. */
export interface Session {
  readonly token: string;
  readonly user: string;
}

const place = 'tagway.session';
const listeners = new Set<() => void>();
let current = stored();
let hasExpired = false;

function stored(): Session | undefined {
  try {
    const { token, user } = JSON.parse(localStorage.getItem(place) ?? '{}') as Partial<Session>;
    return typeof token === 'string' && typeof user === 'string' ? { token, user } : undefined;
  } catch {
    return undefined;
  }
}

function set(session: Session | undefined): void {
  current = session;
  for (const listener of listeners) listener();
}

// Another tab has logged in or out.
addEventListener('storage', ({ key }) => {
  if (key === place || key === null) set(stored());
});

export const session = {
  get: (): Session | undefined => current,

  /** Calls back at every login and logout until the function that comes back is called. */
  watch: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  begin(next: Session): void {
    hasExpired = false;
    localStorage.setItem(place, JSON.stringify(next));
    set(next);
  },

  end(): void {
    localStorage.removeItem(place);
    set(undefined);
  },

  /** Ends the session that a refused token belongs to, and no other that has begun since. */
  expire(token: string): void {
    if (current?.token !== token) return;
    session.end();
    hasExpired = true;
  },

  /** True after a session that nobody logged out of, until the next one. */
  hasEnded: (): boolean => hasExpired,
};

export const useSession = (): Session | undefined => useSyncExternalStore(session.watch, session.get);
