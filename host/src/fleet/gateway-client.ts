import type { Agent, IncomingMessage } from 'node:http';
import { ErrorCode, type FleetGateway } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import type { GatewayReplies, OpenGateway, OtherGateway } from '../core/ports/fleet.ts';
import { connectionFailure } from '../core/system/connection-failure.ts';
import { Refusal, sentence, type Sentence } from '../core/system/sentence.ts';
import { sharedLookup } from './shared-lookup.ts';

/** Milliseconds for all that a gateway is asked at once. */
const deadline = 2000;
/** Milliseconds for which an unused connection stays open: longer than the page takes between two looks. */
const idleLimit = 15_000;
/** Connections to one gateway. */
const mostConnections = 2;
/** Bytes of the states of nodes, which are enough for some thousand nodes, and of other replies. */
const mostStates = 1 << 20;
const mostOther = 1 << 16;

const unknownAuthority = sentence`has a certificate of an authority that is not known here; an admin can give that of the authority in the list of the fleet`;

export const openGateway: OpenGateway = (gateway) => new GatewayClient(gateway);

/** Asks one gateway, at its address alone: redirects are not followed, and its certificate is verified. */
class GatewayClient implements OtherGateway {
  readonly #base: URL;
  readonly #token: string;
  readonly #agent: Agent;
  /** Of what is asked now. */
  #asking: AbortController | undefined;
  #isClosed = false;

  constructor({ url, token, ca = '' }: FleetGateway) {
    this.#base = new URL(url.endsWith('/') ? url : `${url}/`);
    this.#token = token;
    const options = {
      keepAlive: true,
      maxSockets: mostConnections,
      timeout: idleLimit,
      lookup: sharedLookup,
    };
    const { Agent: HttpAgent } = process.getBuiltinModule('node:http');
    const { Agent: HttpsAgent } = process.getBuiltinModule('node:https');
    this.#agent =
      this.#base.protocol === 'https:'
        ? new HttpsAgent({
            ...options,
            // The environment may say otherwise, and does not count.
            rejectUnauthorized: true,
            // What is given may be the certificate of the gateway itself, which no authority need have signed.
            ...(ca !== '' && { ca, allowPartialTrustChain: true }),
          })
        : new HttpAgent(options);
  }

  async ask(): Promise<GatewayReplies> {
    const asking = new AbortController();
    const { signal } = asking;
    let isLate = this.#isClosed;
    const end = (): void => {
      isLate = true;
      asking.abort();
    };
    if (isLate) asking.abort();
    this.#asking = asking;
    const timer = setTimeout(end, deadline);
    try {
      const [version, status, states, alarms] = await Promise.all([
        this.#get('version', mostOther, signal),
        this.#get('status', mostOther, signal),
        this.#get('node/state', mostStates, signal),
        this.#get('alarms?page_size=1', mostOther, signal),
      ]);
      if (version === undefined || status === undefined || states === undefined) throw refused(404);
      // A gateway from before there were alarms does not have them.
      return { version, status, states, alarms };
    } catch (error) {
      if (isFault(error)) throw error;
      throw isLate ? late() : unreachable(error);
    } finally {
      clearTimeout(timer);
      // When one fails the others are not waited for.
      asking.abort();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#asking?.abort();
    this.#agent.destroy();
  }

  /** The JSON of a reply; undefined where there is no such path. */
  async #get(path: string, most: number, signal: AbortSignal, isAgain = false): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const url = new URL(`api/v2/${path}`, this.#base);
    const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const headers = {
      Accept: 'application/json',
      Authorization: `Bearer ${this.#token}`,
      'User-Agent': 'tagway',
    };
    const asked = request(url, { agent: this.#agent, headers, signal }, resolve);
    asked.on('error', reject).end();
    let reply: IncomingMessage;
    try {
      reply = await promise;
    } catch (error) {
      // The other end may close a connection at the moment at which it is used again.
      if (asked.reusedSocket && !isAgain && (error as NodeJS.ErrnoException).code === 'ECONNRESET')
        return this.#get(path, most, signal, true);
      throw error;
    }
    const { statusCode: status = 0 } = reply;
    const text = await textOf(reply, most);
    if (status === 404) return undefined;
    if (status !== 200) throw refused(status);
    return jsonOf(text);
  }
}

/** Rejects with GATEWAY_REPLY_INVALID when it is too long; the connection ends then. */
async function textOf(reply: IncomingMessage, most: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of reply as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most)
      throw invalid(sentence`The gateway sends more than ${most} bytes, which is more than is taken.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid(
      sentence`The gateway answers with something that is not JSON, perhaps a page for people. Is its address right?`,
    );
  }
}

function refused(status: number): Refusal {
  if (status === 401 || status === 403)
    return new Refusal(
      ErrorCode.GATEWAY_LOGIN_REFUSED,
      sentence`The gateway does not take the token (status ${status}). Make one with the role viewer there, and set it in the list of the fleet.`,
    );
  return status >= 300 && status < 400
    ? invalid(
        sentence`The gateway leads to another address (status ${status}), which is not followed. Set that address in the list of the fleet.`,
      )
    : invalid(sentence`The gateway answers with status ${status}. Is its address right?`);
}

function invalid(what: Sentence): Refusal {
  return new Refusal(ErrorCode.GATEWAY_REPLY_INVALID, what);
}

function late(): Refusal {
  return new Refusal(
    ErrorCode.GATEWAY_UNREACHABLE,
    sentence`The gateway does not answer within ${deadline / 1000} seconds.`,
  );
}

function unreachable(error: unknown): Refusal {
  if ((error as NodeJS.ErrnoException).code?.startsWith('HPE_') === true)
    return invalid(sentence`The gateway answers with something that is not HTTP. Is its address right?`);
  return new Refusal(
    ErrorCode.GATEWAY_UNREACHABLE,
    sentence`The gateway cannot be asked: it ${connectionFailure(error, unknownAuthority)}.`,
  );
}
