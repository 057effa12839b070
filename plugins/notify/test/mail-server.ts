import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message that the server has taken. */
export interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: ParsedMail;
}

interface Conduct {
  /** The code of the answer to a receiver; 250 takes it. */
  receiver?: (address: string) => number;
  /** The code of the answer to a message; 0: none ever. */
  message?: () => number;
}

/** A mail server on 127.0.0.1, whose messages an independent parser reads. */
export class MailServer implements AsyncDisposable {
  readonly messages: Taken[] = [];
  readonly conduct: Conduct = {};
  readonly port: number;
  readonly #server: SMTPServer;

  private constructor(server: SMTPServer, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
    let self: MailServer | undefined;
    const server = new SMTPServer({
      authOptional: options.onAuth === undefined,
      disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
      disableReverseLookup: true,
      closeTimeout: 100,
      onRcptTo: ({ address }, _session, done) => {
        const code = self?.conduct.receiver?.(address) ?? 250;
        done(code === 250 ? null : Object.assign(new Error('Not here'), { responseCode: code }));
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          const code = self?.conduct.message?.() ?? 250;
          const raw = Buffer.concat(parts);
          void simpleParser(raw).then((mail) => {
            const { mailFrom, rcptTo } = session.envelope;
            const from = mailFrom === false ? '' : mailFrom.address;
            if (code === 250 || code === 0)
              self?.messages.push({ from, to: rcptTo.map(({ address }) => address), raw: String(raw), mail });
            if (code === 250) done(null);
            else if (code !== 0) done(Object.assign(new Error('Not this'), { responseCode: code }));
          });
        });
      },
      ...options,
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    self = new MailServer(server, (server.server.address() as AddressInfo).port);
    return self;
  }

  get taken(): number {
    return this.messages.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}
