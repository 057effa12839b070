import type { Call, Context, Values } from '@tagway/sdk';
import {
  Link,
  LinkDriver,
  ReadPlans,
  Requests,
  tcpClient,
  tcpServer,
  type Transport,
} from '@tagway/sdk/link';
import { Findings, ReadPlan, type PlannedRequest } from './plan.ts';
import { requestFrame, type Answer } from './protocol.ts';
import { ReadPass } from './read.ts';
import { Session } from './session.ts';
import { ConnectionMode, type Settings } from './settings.ts';

/** One run of an A11 node. */
export class NonA11Driver extends LinkDriver<void, ReadPlan> {
  protected readonly link: Link;
  protected readonly plans: ReadPlans<ReadPlan, Findings>;
  readonly #context: Context<Settings>;
  readonly #requests: Requests<Answer>;
  /** What the answer that is awaited must name. */
  #asked: PlannedRequest | undefined;

  constructor(context: Context<Settings>) {
    super();
    const { interval, site, timeout } = context.settings;
    this.#context = context;
    this.plans = new ReadPlans(
      (points, findings) => new ReadPlan(points, site, findings),
      () => new Findings(),
    );
    const session = new Session((answer) => this.#answered(answer));
    this.link = new Link(context, transportOf(context), session, { timeout });
    // Answers carry no number: one is awaited at a time, and after a timeout the connection is made anew.
    this.#requests = new Requests<Answer>(this.link, { timeout, interval });
  }

  override start(): Promise<void> {
    this.#context.log.warn(
      'The frames that this driver speaks are assumed, not verified with a device. Compare every value with the device before you rely on it.',
    );
    return super.start();
  }

  protected readPlan(plan: ReadPlan, into: Values, call: Call): Promise<void> {
    const ask = (request: PlannedRequest, signal: AbortSignal): Promise<Answer> => this.#ask(request, signal);
    return new ReadPass({ plan, into, call, clock: this.#context.clock, ask }).run(this.link.generation);
  }

  /** Asks when no other node of the plugin asks the same device. */
  #ask(request: PlannedRequest, signal: AbortSignal): Promise<Answer> {
    const { host, port } = this.#context.settings;
    const send = (): void => {
      this.#asked = request;
      this.link.send(requestFrame(request.site, request.command));
    };
    return this.#context.exclusive(`${host}:${port}`, () => this.#requests.ask(send, { signal }), signal);
  }

  #answered(answer: Answer): void {
    const { site, command } = this.#asked ?? {};
    if (answer.site !== site || answer.command !== command) this.#context.count('foreign_frames', 1);
    else if (this.#requests.settle(0, answer)) this.#asked = undefined;
  }
}

function transportOf(context: Context<Settings>): Transport {
  const { connection_mode, host, port, timeout } = context.settings;
  return connection_mode === ConnectionMode.SERVER
    ? tcpServer({ host, port }, { listing: { context, protocol: 'NON A11' } })
    : tcpClient({ host, port }, { timeout });
}
