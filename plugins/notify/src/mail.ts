import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ConnectionTest } from '@tagway/sdk';
import { Refusal, tlsOptions, tlsProblem, Unavailable } from '@tagway/store';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import SMTPConnection from 'nodemailer/lib/smtp-connection/index.js';
import type { Message } from './outbox.ts';
import { Security, type Settings } from './settings.ts';

/** An error of nodemailer. */
interface SmtpError extends Error {
  readonly code?: string | undefined;
  /** The code that it had before nodemailer gave it its own. */
  readonly originalCode?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly recipient?: string | undefined;
  readonly rejectedErrors?: readonly SmtpError[] | undefined;
}

/** What became of the receivers of a message that the server has taken, or of all that it refuses. */
export interface Delivery {
  /** How many have it. */
  readonly taken: number;
  /** Those that will never have it. */
  readonly refused: readonly string[];
  /** Those that the server may take later. */
  readonly later: readonly string[];
  /** What the server said of the last one that it did not take. */
  readonly reason?: string;
}

const words = {
  server: 'mail server',
  place: '"smtp_host"',
  plain: 'set "smtp_security" and "smtp_port" as the server has them',
};

/** Sends messages by SMTP, each over a connection of its own. */
export class Mail {
  readonly #settings: Settings;
  readonly #place: string;

  constructor(settings: Settings) {
    this.#settings = settings;
    const host = settings.smtp_host ?? '';
    this.#place = `${isIP(host) === 6 ? `[${host}]` : host}:${settings.smtp_port}`;
  }

  /** Rejects with Unavailable when the server takes nothing now, and with a Refusal when it will never take the message. */
  async send({ id, to, time, subject, body }: Message, signal: AbortSignal): Promise<Delivery> {
    const { from = '' } = this.#settings;
    const domain = from.slice(from.lastIndexOf('@') + 1);
    const message = await new MailComposer({
      from,
      to: [...to],
      subject,
      text: body,
      date: new Date(time),
      messageId: `<${id}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
    return this.#connected(signal, async (connection) => {
      await this.#login(connection);
      return this.#deliver(connection, { from, to: [...to] }, message);
    });
  }

  /** Connects and logs in, and sends nothing. */
  async test({ signal, step }: Pick<ConnectionTest<Settings>, 'signal' | 'step'>): Promise<void> {
    const host = this.#settings.smtp_host ?? '';
    if (isIP(host) === 0) {
      step('resolve');
      await lookup(host).catch((error: unknown) => {
        throw this.#problem(error as SmtpError);
      });
    }
    step('connect');
    try {
      await this.#connected(signal, async (connection) => {
        if (this.#settings.smtp_security !== Security.NONE) step('handshake');
        step('login');
        await this.#login(connection);
      });
    } catch (error) {
      if (error instanceof Unavailable && error.step === 'handshake') step('handshake');
      throw error;
    }
  }

  async #connected<T>(signal: AbortSignal, work: (connection: SMTPConnection) => Promise<T>): Promise<T> {
    const { smtp_host: host = '', smtp_port: port, smtp_security: security, timeout } = this.#settings;
    const connection = new SMTPConnection({
      host,
      port,
      secure: security === Security.TLS,
      requireTLS: security === Security.STARTTLS,
      ignoreTLS: security === Security.NONE,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      tls: { ...tlsOptions(this.#settings), minVersion: 'TLSv1.2' },
    });
    const end = Promise.withResolvers<never>();
    end.promise.catch(() => undefined);
    const abort = (): void => end.reject(new Unavailable('The node ends.'));
    const failed = (error: SmtpError): void => end.reject(this.#problem(error));
    signal.addEventListener('abort', abort);
    connection.on('error', failed);
    // Servers that send a byte now and then would never be silent for long.
    const deadline = setTimeout(
      () =>
        end.reject(new Unavailable(`${this.#place} takes too long for a message.`, { step: 'first answer' })),
      6 * timeout,
    );
    try {
      const connect = new Promise<void>((resolve, reject) =>
        connection.connect((error) => (error ? reject(this.#problem(error)) : resolve())),
      );
      if (signal.aborted) abort();
      await Promise.race([connect, end.promise]);
      const result = await Promise.race([work(connection), end.promise]);
      connection.quit();
      return result;
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', abort);
      // What comes from here on is of a connection that nobody waits for.
      connection.on('error', () => undefined);
      const socket = connection._socket as typeof connection._socket | false | undefined;
      connection.close();
      if (socket) socket.destroySoon();
      if (socket && signal.aborted) socket.destroy();
    }
  }

  async #login(connection: SMTPConnection): Promise<void> {
    const { username = '', password = '' } = this.#settings;
    if (username === '') return;
    await new Promise<void>((resolve, reject) =>
      connection.login({ credentials: { user: username, pass: password } }, (error) =>
        error ? reject(this.#problem(error)) : resolve(),
      ),
    );
  }

  #deliver(
    connection: SMTPConnection,
    envelope: { readonly from: string; readonly to: string[] },
    message: Buffer,
  ): Promise<Delivery> {
    return new Promise((resolve, reject) => {
      connection.send(envelope, message, (error: SmtpError | null, info) => {
        if (error === null) resolve(deliveryOf(info.accepted.length, info.rejectedErrors ?? []));
        else if ((error.rejectedErrors ?? []).length > 0) resolve(deliveryOf(0, error.rejectedErrors!));
        else if (error.code === 'EMESSAGE' && (error.responseCode ?? 0) >= 500)
          reject(new Refusal(`${this.#place} refuses it: ${answerOf(error)}`));
        else reject(this.#problem(error));
      });
    });
  }

  #problem(error: SmtpError): Unavailable {
    const { name, message, code, originalCode = code } = error;
    const secure = tlsProblem({ name, message, code: originalCode }, words);
    if (secure !== undefined) return new Unavailable(secure, { step: 'handshake', cause: error });
    const at = this.#place;
    switch (code) {
      case 'EAUTH':
        return new Unavailable(
          `${at} does not take the login: ${answerOf(error)} Check "username" and "password".`,
          { step: 'first answer', cause: error },
        );
      case 'EDNS':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return new Unavailable(
          `The name "${this.#settings.smtp_host ?? ''}" cannot be resolved. Check "smtp_host", and the DNS servers of this machine.`,
          { step: 'resolve', cause: error },
        );
      case 'ETLS':
        return new Unavailable(
          `${at} offers no TLS as "smtp_security" wants it: ${answerOf(error)} Set 1 for servers that begin with TLS, mostly on port 465.`,
          { step: 'handshake', cause: error },
        );
      case 'ETIMEDOUT':
        return new Unavailable(`${at} does not answer.`, { step: 'first answer', cause: error });
      default:
        break;
    }
    if (originalCode === 'ECONNREFUSED' || message.includes('ECONNREFUSED'))
      return new Unavailable(`${at} refuses the connection. Is the mail server running there?`, {
        step: 'connect',
        cause: error,
      });
    return new Unavailable(`${at} does not take messages: ${answerOf(error)}`, {
      step: 'first answer',
      cause: error,
    });
  }
}

function deliveryOf(taken: number, errors: readonly SmtpError[]): Delivery {
  const isFinal = ({ responseCode = 0 }: SmtpError): boolean => responseCode >= 500;
  const receivers = (those: readonly SmtpError[]): string[] =>
    those.flatMap(({ recipient }) => recipient ?? []);
  const last = errors.at(-1);
  return {
    taken,
    refused: receivers(errors.filter(isFinal)),
    later: receivers(errors.filter((error) => !isFinal(error))),
    ...(last && { reason: answerOf(last) }),
  };
}

/** What the server said, as the end of a sentence. */
function answerOf({ response, message }: SmtpError): string {
  const text = (response ?? message)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 200);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
