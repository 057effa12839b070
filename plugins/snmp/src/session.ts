import { randomInt } from 'node:crypto';
import { ErrorCode, isFault, type Context } from '@tagway/sdk';
import { noResponse, Recovery, type Handshake, type Protocol } from '@tagway/sdk/link';
import { CommunityEnvelope, Opened, SecuredEnvelope, type Envelope } from './envelope.ts';
import { versionOf, type Settings } from './settings.ts';
import { asked, pdu, PduType, Version } from './wire/pdu.ts';
import { UsmReport } from './wire/secured.ts';

/** What is known of an agent. */
export interface Agent {
  readonly version: number;
  /** Bytes of the largest message that is sent to it. */
  readonly maxSize: number;
  /** Whether it has written several values in one request; it is tried until it refuses. */
  writesMany: boolean;
  readonly recovery: Recovery;
}

/** sysUpTime.0, which every agent has. */
const upTime = Buffer.from('2b06010201010300', 'hex');
const leastSize = 484;

/** The session with one agent: its engine in version 3, and whether it answers. */
export class Session implements Protocol<Agent> {
  readonly most = 65_535;
  readonly envelope: Envelope;
  readonly handshakeHint: string;
  /** What the ids of messages begin with, so that they cannot be guessed. The handshake has this one itself. */
  readonly firstId = randomInt(1, 0x2000) * 0x4_0000;
  readonly #context: Context<Settings>;
  readonly #secured: SecuredEnvelope | undefined;
  readonly #received: (data: Buffer) => void;

  constructor(context: Context<Settings>, received: (data: Buffer) => void) {
    const { settings, clock } = context;
    this.#context = context;
    this.#received = received;
    const isSecured = versionOf(settings) === Version.V3;
    this.#secured = isSecured ? new SecuredEnvelope(settings, clock) : undefined;
    this.envelope = this.#secured ?? new CommunityEnvelope(settings);
    this.handshakeHint = isSecured
      ? 'check address and port, whether the agent speaks version 3 and answers to this machine, and the settings priv_protocol and priv_password'
      : 'check address and port, the settings version and community, and whether the agent answers to this machine: an agent does not answer a community that it does not know';
  }

  async handshake(channel: Handshake): Promise<Agent> {
    const { settings } = this.#context;
    if (this.#secured !== undefined) await this.#discover(channel, this.#secured);
    const probe = pdu(PduType.GET, { id: this.firstId, varbinds: asked(upTime) });
    for (let rounds = 0; ; rounds++) {
      const found = await this.#ask(channel, () => this.envelope.seal(this.firstId, probe, false));
      if (found === Opened.PDU) break;
      // The agent has said what time it is, and is asked again with that.
      const isTime = this.envelope.report === UsmReport.NOT_IN_TIME_WINDOW;
      if (!isTime || rounds > 1) throw new Error(reportClause(this.envelope.report, channel.peer));
    }
    const stated = this.#secured?.maxSize ?? settings.max_size;
    return {
      version: versionOf(settings),
      maxSize: Math.max(leastSize, Math.min(settings.max_size, stated)),
      writesMany: true,
      recovery: new Recovery(),
    };
  }

  frame(_agent: Agent, data: Buffer, at: number, end: number): void {
    this.#received(data.subarray(at, end));
  }

  async #discover(channel: Handshake, envelope: SecuredEnvelope): Promise<void> {
    const found = await this.#ask(channel, () => envelope.discovery(this.firstId));
    if (found !== Opened.REPORT || !envelope.discovered())
      throw new Error(`what answers at ${channel.peer} does not say its engine: it is no agent of version 3`);
  }

  /** Asks, again after each timeout; what the answer is found to be. Rejects with NO_RESPONSE. */
  async #ask(channel: Handshake, message: () => Buffer): Promise<number> {
    for (let tries = 0; tries <= this.#context.settings.retries; tries++) {
      channel.send(message());
      const found = await this.#answer(channel);
      if (found !== undefined) return found;
    }
    throw noResponse;
  }

  async #answer(channel: Handshake): Promise<number | undefined> {
    const { clock, settings } = this.#context;
    const end = clock.monotonic() + settings.timeout;
    for (let now = clock.monotonic(); now < end; now = clock.monotonic()) {
      let data: Buffer;
      try {
        data = await channel.next(end - now);
      } catch (error) {
        if (isFault(error) && error.code === ErrorCode.NO_RESPONSE) return undefined;
        throw error;
      }
      const found = this.envelope.open(data);
      if (found === Opened.MALFORMED) this.#context.count('malformed_frames', 1);
      else if (found === Opened.FOREIGN || this.envelope.id !== this.firstId)
        this.#context.count('foreign_frames', 1);
      else if (found === Opened.REPORT || this.envelope.pdu.type === PduType.RESPONSE) return found;
    }
    return undefined;
  }
}

/** Why an agent takes no message of the user, as a clause. */
export function reportClause(report: number, peer: string): string {
  switch (report) {
    case UsmReport.UNSUPPORTED_LEVEL:
      return `the agent at ${peer} does not let the user in with this security: check the settings auth_protocol and priv_protocol`;
    case UsmReport.NOT_IN_TIME_WINDOW:
      return `the agent at ${peer} takes the messages for too old, though they have its own time: it may have to be restarted`;
    case UsmReport.UNKNOWN_USER:
      return `the agent at ${peer} knows no such user: check the setting user`;
    case UsmReport.UNKNOWN_ENGINE:
      return `the agent at ${peer} is another one than before: its engine has changed`;
    case UsmReport.WRONG_DIGEST:
      return `the agent at ${peer} takes the signature for wrong: check the settings auth_protocol and auth_password`;
    case UsmReport.DECRYPTION:
      return `the agent at ${peer} cannot decrypt the messages: check the settings priv_protocol and priv_password`;
    default:
      return `the agent at ${peer} takes no message of the user: check the settings user and context, and what the user may see`;
  }
}
