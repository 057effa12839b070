import { useSyncExternalStore } from 'react';

/** The user who is logged in, the same in all tabs of this browser. */
export interface Session {
  readonly token: string;
  readonly user: string;
  /** The login was with the password that every new gateway has. */
  readonly hasFirstPassword?: boolean;
  /** Where the session of a user is ended that a provider has signed in. */
  readonly logout?: string;
}

const storageKey = 'tagway.session';
const listeners = new Set<() => void>();
let current = stored();
let hasExpired = false;

function stored(): Session | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Session>;
    const { token, user, hasFirstPassword = false, logout } = kept;
    return typeof token === 'string' && typeof user === 'string'
      ? { token, user, hasFirstPassword, ...(typeof logout === 'string' && { logout }) }
      : undefined;
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
  if (key === storageKey || key === null) set(stored());
});

export const session = {
  get: (): Session | undefined => current,

  /** Calls the listener at every login and logout until the returned function is called. */
  watch: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  begin(next: Session): void {
    hasExpired = false;
    localStorage.setItem(storageKey, JSON.stringify(next));
    set(next);
  },

  end(): void {
    localStorage.removeItem(storageKey);
    set(undefined);
  },

  /** Ends the session, at the provider too, which the browser is led to. */
  logOut(): void {
    const { logout = '' } = current ?? {};
    session.end();
    if (/^https?:\/\//.test(logout)) location.assign(logout);
  },

  /** Ends the session of a refused token; a newer session goes on. */
  expire(token: string): void {
    if (current?.token !== token) return;
    session.end();
    hasExpired = true;
  },

  /** True after a session that ended without a logout, until the next login. */
  hasEnded: (): boolean => hasExpired,
};

export const useSession = (): Session | undefined => useSyncExternalStore(session.watch, session.get);
