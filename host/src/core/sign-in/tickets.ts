import { randomBytes } from 'node:crypto';
import type { ProviderLogin } from '../ports/sign-in.ts';
import { BoundedMap } from '../system/bounded-map.ts';

/** Logins under way that are remembered; the oldest is forgotten first. */
const most = 1000;
/** Milliseconds that a login at a provider may take. */
const longest = 600_000;

const random = (): string => randomBytes(32).toString('base64url');

/** Logins that browsers were sent to a provider for. A ticket is known to the browser alone, and the verifier only here. */
export class Tickets {
  readonly #logins = new BoundedMap<string, { readonly login: ProviderLogin; readonly until: number }>(most);

  /** A login that begins at this page. */
  static login(page: string): ProviderLogin {
    return { page, state: random(), nonce: random(), verifier: random() };
  }

  add(login: ProviderLogin): string {
    const ticket = random();
    this.#logins.set(ticket, { login, until: performance.now() + longest });
    return ticket;
  }

  /** The login of a ticket, once. */
  take(ticket: string): ProviderLogin | undefined {
    const found = this.#logins.get(ticket);
    this.#logins.delete(ticket);
    return found !== undefined && performance.now() < found.until ? found.login : undefined;
  }

  clear(): void {
    this.#logins.clear();
  }
}
