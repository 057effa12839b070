import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { sentence } from '../core/system/sentence.ts';
import { invalid, late, unreachable } from './refusals.ts';

/** Milliseconds for one request to a provider. */
const deadline = 10_000;
/** Bytes of one answer. */
const mostBytes = 1 << 18;

const provider = sentence`The provider of the sign-in`;

interface Asked {
  readonly method?: string | undefined;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: string | URLSearchParams | null | undefined;
}

/**
 * A `fetch` for what a provider is asked: without redirects and cookies, with a limit of time and of size, and with these authorities.
 * Requests without TLS go to this machine only.
 */
export function boundedFetch(ca: string): (url: string, asked: Asked) => Promise<Response> {
  return async (address, { method = 'GET', headers, body }) => {
    const url = new URL(address);
    const isSecure = url.protocol === 'https:';
    if (!isSecure && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname))
      throw invalid(sentence`The provider of the sign-in leads to an address without https.`);
    const { request } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
    const options: RequestOptions & {
      ca?: string;
      allowPartialTrustChain?: boolean;
      rejectUnauthorized: boolean;
    } = {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      agent: false,
      // The environment may say otherwise, and does not count.
      rejectUnauthorized: true,
      // What is given may be the certificate of the provider itself, which no authority need have signed.
      ...(ca !== '' && { ca, allowPartialTrustChain: true }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sent: ClientRequest = request(url, options, (reply) => {
      textOf(reply).then((text) => {
        const { statusCode: status = 0 } = reply;
        const type = reply.headers['content-type'] ?? '';
        const hasBody = ![204, 205, 304].includes(status);
        resolve(new Response(hasBody ? text : null, { status, headers: { 'content-type': type } }));
      }, reject);
    });
    sent.on('error', (cause) => reject(unreachable(provider, cause)));
    const timer = setTimeout(() => {
      reject(late(provider, deadline / 1000));
      sent.destroy();
    }, deadline);
    sent.end(body?.toString());
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      sent.destroy();
    }
  };
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of reply as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > mostBytes)
      throw invalid(
        sentence`The provider of the sign-in sends more than ${mostBytes} bytes, which is more than is taken.`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
