import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { ErrorCode, type Registry } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import { connectionFailure } from '../core/system/connection-failure.ts';
import { Refusal, sentence, type Sentence } from '../core/system/sentence.ts';
import { checkHost, hostOf } from './addresses.ts';
import { agentFor } from './agents.ts';

/** Milliseconds from a request to the headers of its reply, and between two pieces of a body. */
const idleLimit = 15_000;
const mostRedirects = 5;

export interface Wish {
  readonly registry: Registry;
  readonly url: URL;
  readonly accept: string;
  /** Bytes of the body, unpacked. */
  readonly most: number;
  /** It may come from the registry and from origins that an admin has named alone. */
  readonly isArchive: boolean;
  /** Bytes that are there already. */
  readonly from?: number;
  readonly signal: AbortSignal;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** In pieces; rejects with a fault. Destroyed when it is not read to its end. */
  readonly body: AsyncGenerator<Buffer, void>;
}

/**
 * Asks a registry. Redirects are followed by these rules: five at most, never from https to http, an archive only to origins that are named
 * for it, nothing to an inner address that is not named. Credentials go to the registry's own origin alone. npm's own client does none of
 * this: it follows redirects by itself, sends credentials on to other ports, and reads the body of a refusal whatever its size. Rejects with
 * a fault, which has nothing of what was received.
 */
export async function ask(wish: Wish): Promise<Received> {
  let { url } = wish;
  for (let count = 0; ; count++) {
    const reply = await send(url, wish);
    const { statusCode: status = 0, headers } = reply;
    if (![301, 302, 303, 307, 308].includes(status)) return { status, headers, body: bodyOf(reply, wish) };
    reply.destroy();
    url = redirected(url, headers.location, wish);
    if (count === mostRedirects)
      throw invalid(
        wish.registry,
        sentence`leads from one address to the next, more than ${mostRedirects} times`,
      );
  }
}

/** What was received is not named. */
export function invalid({ url }: Registry, what: Sentence): Refusal {
  return new Refusal(ErrorCode.REGISTRY_REPLY_INVALID, sentence`The registry ${url} ${what}.`);
}

function redirected(from: URL, location: string | undefined, { registry, isArchive }: Wish): URL {
  if (location === undefined || !URL.canParse(location, from.href))
    throw invalid(registry, sentence`answers that something is elsewhere, and does not say where`);
  const to = new URL(location, from);
  if (!/^https?:$/.test(to.protocol) || (from.protocol === 'https:' && to.protocol === 'http:'))
    throw new Refusal(
      ErrorCode.ADDRESS_REFUSED,
      sentence`The registry ${registry.url} leads from https to an address without encryption, which is not followed.`,
    );
  if (isArchive) checkOrigin(registry, to);
  return to;
}

/** Throws ADDRESS_REFUSED for an archive at another place than the registry and what an admin has named. */
export function checkOrigin(registry: Registry, url: URL): void {
  if (isNamed(registry, url)) return;
  throw new Refusal(
    ErrorCode.ADDRESS_REFUSED,
    sentence`The registry ${registry.url} keeps its archives at ${url.origin}. If that is as it should be, an admin names this origin at the registry.`,
  );
}

function isNamed({ url, origins = [] }: Registry, { origin }: URL): boolean {
  return new URL(url).origin === origin || origins.some((one) => new URL(one).origin === origin);
}

async function send(
  url: URL,
  { registry, accept, from = 0, isArchive, signal }: Wish,
): Promise<IncomingMessage> {
  const isOwn = new URL(registry.url).origin === url.origin;
  const named = isNamed(registry, url);
  if (!named) checkHost(url);
  url.username = '';
  url.password = '';
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(
    url,
    {
      agent: await agentFor(registry, url, named),
      headers: {
        Accept: accept,
        'Accept-Encoding': isArchive ? 'identity' : 'gzip',
        'User-Agent': 'tagway',
        ...(from > 0 && { Range: `bytes=${from}-` }),
        ...(isOwn && authorization(registry)),
      },
      ...(named && registry.ca !== undefined && { ca: registry.ca }),
      // Behind a proxy Node is not given the host where that is a number, and would look for another one in the certificate.
      checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
        process.getBuiltinModule('node:tls').checkServerIdentity(hostOf(url), certificate),
      ...(isOwn && registry.cert !== undefined && { cert: registry.cert, key: registry.key }),
      signal,
    },
    resolve,
  );
  const timer = setTimeout(() => asked.destroy(new DOMException('late', 'TimeoutError')), idleLimit);
  asked.once('error', reject).end();
  try {
    return await promise;
  } catch (error) {
    throw unreachable(registry, url, error);
  } finally {
    clearTimeout(timer);
    // What comes later is an error of the body, which its reader gets.
    asked.on('error', () => undefined);
  }
}

function authorization({ token, user, password }: Registry): { readonly Authorization?: string } {
  if (token !== undefined && token !== '') return { Authorization: `Bearer ${token}` };
  if (user === undefined || password === undefined) return {};
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

async function* bodyOf(reply: IncomingMessage, { registry, url, most }: Wish): AsyncGenerator<Buffer, void> {
  reply.setTimeout(idleLimit, () => reply.destroy(new DOMException('idle', 'TimeoutError')));
  const isPacked = reply.headers['content-encoding'] === 'gzip';
  const source = isPacked ? reply.pipe(createGunzip()) : reply;
  if (isPacked) reply.on('error', (error) => source.destroy(error));
  let size = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most)
        throw invalid(
          registry,
          sentence`sends more than ${Math.round(most / 1e6)} MB, which is more than is taken`,
        );
      yield chunk;
    }
  } catch (error) {
    throw isFault(error) ? error : unreachable(registry, url, error);
  } finally {
    reply.destroy();
  }
}

const unknownAuthority = sentence`has a certificate of an authority that is not known here; an admin can give that of the authority at the registry`;

/** A fault for whatever a connection failed with. */
export function unreachable(registry: Registry, url: URL, error: unknown): Fault {
  if (isFault(error)) return error;
  const { code = '', name, cause } = error as NodeJS.ErrnoException;
  if (isFault(cause)) return cause;
  const isOwn = new URL(registry.url).host === url.host;
  if (name === 'TimeoutError' || name === 'AbortError')
    return new Refusal(
      ErrorCode.REGISTRY_UNREACHABLE,
      isOwn
        ? sentence`The registry ${registry.url} does not answer in time.`
        : sentence`The registry ${registry.url} leads to ${url.host}, which does not answer in time.`,
    );
  const meaning = code.startsWith('Z_')
    ? sentence`sends something that is packed wrongly`
    : connectionFailure(error, unknownAuthority);
  return new Refusal(
    ErrorCode.REGISTRY_UNREACHABLE,
    isOwn
      ? sentence`The registry ${registry.url} cannot be asked: it ${meaning}.`
      : sentence`The registry ${registry.url} cannot be asked: ${url.host} ${meaning}.`,
  );
}
