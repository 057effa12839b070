import type { IncomingMessage, RequestOptions } from 'node:http';
import { errorMeaning } from '@tagway/schemas';
import { parseJson, stringifyJson } from '@tagway/sdk/json';
import type { GatewayAddress } from '../data/gateway-address.ts';

/** A call was refused or did not arrive; the message is for the operator. */
export class ApiError extends Error {
  /** Of the gateway's reply; 0 where there was none. */
  readonly code: number;

  constructor(message: string, { code = 0, ...options }: ErrorOptions & { readonly code?: number } = {}) {
    super(message, options);
    this.code = code;
  }
}

/** For one call, in milliseconds: an installation waits for the plugin to come up. */
const deadline = 120_000;

/** Address of a gateway, and which certificates to trust. */
export interface ApiAccess extends GatewayAddress {
  /** Certificates of authorities, in PEM. With them the name in the gateway's certificate must be that of the URL. */
  readonly authorities?: string;
}

/** Calls the API of a gateway that runs, in another process or on another machine. */
export class ApiClient {
  readonly #access: ApiAccess;
  #token: string;

  constructor(access: ApiAccess, token = '') {
    this.#access = access;
    this.#token = token;
  }

  async login(name: string, pass: string): Promise<void> {
    this.#token = String((await this.call('POST', 'login', { name, pass }))['token']);
  }

  /** Calls `/api/v2/<path>`. Rejects with `ApiError` when the gateway refuses or cannot be reached. */
  async call(method: string, path: string, data?: object): Promise<Record<string, unknown>> {
    return (await this.callAt(method, path, data)).body;
  }

  /** As `call`, about something of which there are revisions: with that of the reply. The call is made only if `revision` is still there. */
  async callAt(
    method: string,
    path: string,
    data?: object,
    revision?: string,
  ): Promise<{ readonly body: Record<string, unknown>; readonly revision: string | undefined }> {
    const { url } = this.#access;
    const { status, body, etag } = await this.#send(method, path, data, revision).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ApiError(`The gateway at ${url} cannot be reached: ${reason}.`, { cause });
    });
    const error = Number(body['error'] ?? (status === 200 ? 0 : status));
    if (error === 0) return { body, revision: etag };
    const { message = errorMeaning(error) } = body;
    throw new ApiError(`The gateway at ${url} refuses with error ${error}. ${String(message)}`, {
      code: error,
    });
  }

  async #send(
    method: string,
    path: string,
    data: object | undefined,
    revision: string | undefined,
  ): Promise<{
    readonly status: number;
    readonly body: Record<string, unknown>;
    readonly etag: string | undefined;
  }> {
    const url = new URL(`/api/v2/${path}`, this.#access.url);
    const body = data === undefined ? '' : stringifyJson(data);
    const options: RequestOptions = {
      method,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        Authorization: `Bearer ${this.#token}`,
        ...(revision !== undefined && { 'If-Match': revision }),
      },
      signal: AbortSignal.timeout(deadline),
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request =
      url.protocol === 'https:'
        ? (await import('node:https')).request(url, { ...options, ...this.#trust() }, resolve)
        : (await import('node:http')).request(url, options, resolve);
    request.once('error', reject).end(body);
    const reply = await promise;
    const { text } = await import('node:stream/consumers');
    const content = await text(reply);
    return { status: reply.statusCode ?? 0, body: objectOf(content), etag: reply.headers.etag };
  }

  #trust(): object {
    const { authorities, certificate } = this.#access;
    if (authorities !== undefined) return { ca: authorities };
    if (certificate === undefined) return {};
    // It was read from the gateway's own folder: the certificate itself is trusted, whatever its name and its issuer.
    return { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
  }
}

function objectOf(content: string): Record<string, unknown> {
  try {
    return (parseJson(content) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
