import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** A message that the server has taken. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: ParsedMail;
}

interface Conduct {
  /** The code of the answer to a receiver; 250 takes it. */
  receiver?: (address: string) => number;
  /** The code of the answer to a message; 0: none ever. */
  message?: () => number | Promise<number>;
}

/** A mail server, by default on 127.0.0.1, whose messages an independent parser reads. */
export class MailServer implements AsyncDisposable {
  readonly messages: ReceivedMail[] = [];
  readonly conduct: Conduct = {};
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: options.onAuth === undefined,
      disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
      disableReverseLookup: true,
      closeTimeout: 100,
      onRcptTo: ({ address }, _session, done) => {
        const code = this.conduct.receiver?.(address) ?? 250;
        done(code === 250 ? null : refusal('Not here', code));
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          void this.#take(Buffer.concat(parts), session).then((code) => {
            if (code === 250) done(null);
            else if (code !== 0) done(refusal('Not this', code));
          });
        });
      },
      ...options,
    });
    this.#server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}, port = 0, host = '127.0.0.1'): Promise<MailServer> {
    const server = new MailServer(options);
    await new Promise<void>((resolve) => void server.#server.listen(port, host, resolve));
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get taken(): number {
    return this.messages.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  /** The code of the answer; 0: none. */
  async #take(raw: Buffer, { envelope: { mailFrom, rcptTo } }: SMTPServerSession): Promise<number> {
    const mail = await simpleParser(raw);
    const code = (await this.conduct.message?.()) ?? 250;
    if (code === 250 || code === 0)
      this.messages.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        raw: String(raw),
        mail,
      });
    return code;
  }
}

function refusal(text: string, responseCode: number): Error {
  return Object.assign(new Error(text), { responseCode });
}
