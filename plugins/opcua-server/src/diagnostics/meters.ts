import type { AppContext } from '@tagway/sdk';
import type { OPCUAServer, ServerSession } from 'node-opcua-server';
import type { Users } from '../security/users.ts';

/** Milliseconds between two looks at the library's counters. */
const interval = 1000;

type MeterContext = Pick<AppContext, 'clock' | 'count' | 'gauge' | 'log'>;

/** Counts what clients do, and says who comes and goes. */
export class Meters implements Disposable {
  readonly #context: MeterContext;
  readonly #server: OPCUAServer;
  readonly #values: () => number;
  #sent = 0;
  #received = 0;
  #requests = 0;
  #valuesBefore = 0;
  #timer: Disposable | undefined;

  /** `values`: how many values were written into variables so far. */
  constructor(context: MeterContext, server: OPCUAServer, users: Users, values: () => number) {
    this.#context = context;
    this.#server = server;
    this.#values = values;
    server.on('session_activated', (session, token) => {
      const { name } = users.identityOf(token);
      context.log.info(
        `A session of ${name} from ${addressOf(session)} was activated: "${session.sessionName}".`,
      );
    });
    server.on('session_closed', (session) => {
      context.log.info(`The session "${session.sessionName}" from ${addressOf(session)} has ended.`);
    });
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #look(): void {
    const context = this.#context;
    const { engine } = this.#server;
    const { bytesWritten, bytesRead, transactionsCount } = this.#server;
    const values = this.#values();
    context.count('send_bytes', bytesWritten - this.#sent);
    context.count('recv_bytes', bytesRead - this.#received);
    context.count('send_msgs_total', transactionsCount - this.#requests);
    context.count('values_total', values - this.#valuesBefore);
    this.#sent = bytesWritten;
    this.#received = bytesRead;
    this.#requests = transactionsCount;
    this.#valuesBefore = values;
    context.gauge('connections', this.#server.currentChannelCount);
    context.gauge('sessions', engine.currentSessionCount);
    context.gauge('subscriptions', engine.currentSubscriptionCount);
    this.#timer = context.clock.timer(interval, () => this.#look());
  }
}

function addressOf({ channel }: ServerSession): string {
  return channel?.remoteAddress ?? 'an address that is not known any more';
}
