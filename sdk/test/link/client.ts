import {
  Link,
  Requests,
  tcpClient,
  type LinkContext,
  type LinkOptions,
  type Protocol,
  type RequestsOptions,
  type TcpClientOptions,
  type Transport,
} from '@tagway/sdk/link';
import { contextFor, frame, type Record } from './device.ts';

/** A client of the tests' device: everything that a driver does with a link. */
export class Client<Session = void> implements AsyncDisposable {
  readonly link: Link<Session>;
  readonly requests: Requests<string>;
  readonly record: Record;
  /** Frames that do not belong to a request. */
  readonly unasked: string[] = [];
  readonly sessions: Session[] = [];

  constructor(
    transport: Transport,
    options: Partial<RequestsOptions> = {},
    linkOptions: LinkOptions = {},
    protocol: Partial<Protocol<Session>> = {},
    more: Partial<LinkContext> = {},
  ) {
    const { context, record } = contextFor();
    this.record = record;
    this.link = new Link<Session>(
      { ...context, ...more },
      transport,
      {
        length: (bytes, at) => (bytes[at]! < 2 ? -1 : bytes[at]!),
        most: 200,
        frame: (session, data, at, end) => {
          this.sessions.push(session);
          const text = data.toString('latin1', at + 2, end);
          if (data[at + 1] === 255) this.unasked.push(text);
          else this.requests.settle(data[at + 1]!, text);
        },
        ...protocol,
      },
      linkOptions,
    );
    this.requests = new Requests(this.link, { timeout: 1000, ids: { first: 1, last: 100 }, ...options });
  }

  ask(text: string, options: Parameters<Requests<string>['ask']>[1] = {}): Promise<string> {
    return this.requests.ask((id) => this.link.send(frame(id, text)), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.link.close();
  }
}

/** A client of a port of this machine, opened. */
export async function clientOf<Session = void>(
  port: number,
  options: Partial<RequestsOptions> = {},
  linkOptions: LinkOptions = {},
  protocol: Partial<Protocol<Session>> = {},
  tcp: TcpClientOptions = {},
): Promise<Client<Session>> {
  const client = new Client<Session>(
    tcpClient({ host: '127.0.0.1', port }, tcp),
    options,
    linkOptions,
    protocol,
  );
  await client.link.open();
  return client;
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The promise was not rejected.');
}
