import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import type { JWK } from 'jose';

/** What a provider is to do from now on. */
export interface ProviderCommand {
  /** Addresses that it may lead back to. */
  readonly pages?: readonly string[];
  /** Names of the keys that it publishes; it signs with the first. */
  readonly keys?: readonly string[];
  /** Milliseconds for which it waits before each answer. */
  readonly slow?: number;
  /** The size of what it answers about its keys. */
  readonly huge?: number;
}

interface Answer {
  readonly issuer: string;
  readonly key: JWK;
}

const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** An OpenID provider: users sign in by their name alone, and the machine `scada` gets tokens with its secret. */
export class OidcPeer {
  readonly issuer: string;
  /** The private key that it signs with. */
  key: JWK;
  /** Its certificate; undefined without TLS. */
  readonly ca: string | undefined;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { issuer, key }: Answer, ca: string | undefined) {
    this.ca = ca;
    this.#child = child;
    this.issuer = issuer;
    this.key = key;
  }

  /** `tls`: the files of its certificate and of the key. */
  static async start(tls?: { readonly cert: string; readonly key: string }): Promise<OidcPeer> {
    const args = tls === undefined ? [] : [tls.cert, tls.key];
    const child = fork(join(import.meta.dirname, 'oidc-provider-process.ts'), args, {
      execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
      env: { ...process.env, NODE_OPTIONS: undefined },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    alive.add(child);
    const [answer] = (await once(child, 'message')) as [Answer];
    return new OidcPeer(child, answer, tls && readFileSync(tls.cert, 'utf8'));
  }

  async set(command: ProviderCommand): Promise<void> {
    this.#child.send(command);
    const [{ key }] = (await once(this.#child, 'message')) as [Answer];
    this.key = key;
  }

  /** A token for the machine, made out to this audience. */
  async machineToken(audience: string): Promise<string> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'scada',
      client_secret: 'the secret of the machine',
      resource: `urn:${audience}`,
      scope: 'plant-operators',
    });
    const reply = await this.#ask(new URL(`${this.issuer}/token`), { form: body });
    const { access_token: token } = JSON.parse(reply.text) as { readonly access_token?: string };
    if (token === undefined) throw new Error(`The provider gives no token: ${reply.status}.`);
    return token;
  }

  /**
   * Signs a person in as a browser would, from the address of the beginning; the address that the provider leads back to, which is not
   * opened.
   */
  async signIn(begin: string, person: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let next = new URL(begin);
    let form: Record<string, string> | undefined;
    for (let step = 0; step < 12; step++) {
      const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
      const reply = await this.#ask(next, { cookie, ...(form && { form: new URLSearchParams(form) }) });
      for (const line of reply.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      form = undefined;
      const place = reply.headers.location;
      if (place !== undefined) {
        next = new URL(place, next);
        if (next.origin !== this.issuer) return next;
        continue;
      }
      const page = reply.text;
      const [, action] = /<form[^>]+action="([^"]+)"/.exec(page) ?? [];
      if (action === undefined) throw new Error(`The provider shows ${reply.status} ${page.slice(0, 500)}`);
      const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(page) ?? [];
      form = { prompt, ...(prompt === 'login' && { login: person, password: 'any' }) };
      next = new URL(action, next);
    }
    throw new Error('The provider leads in circles.');
  }

  async #ask(
    url: URL,
    { cookie, form }: { readonly cookie?: string; readonly form?: URLSearchParams },
  ): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> {
    const headers = {
      ...(cookie !== undefined && { cookie }),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const options = { method: form === undefined ? 'GET' : 'POST', headers };
    const asked =
      this.ca === undefined ? request(url, options) : requestTls(url, { ...options, ca: this.ca });
    asked.end(form?.toString());
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of reply.setEncoding('utf8')) text += String(piece);
    return { status: reply.statusCode ?? 0, headers: reply.headers, text };
  }

  stop(): void {
    alive.delete(this.#child);
    this.#child.kill('SIGKILL');
  }
}
