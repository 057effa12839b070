import { Unreachable } from '../ports.ts';
import type { Etcd } from './etcd.ts';
import type { Refused } from './etcd-endpoint.ts';

/** Milliseconds. */
const times = {
  look: 2000,
  /** For this long a refusal counts, unless etcd takes the same again. */
  refusal: 5000,
} as const;

/** A member that was cut off and is back asks before it deposes the leader from this version on, unless its settings say otherwise. */
const preVoteSince = [3, 5] as const;

/** Looks at what members of etcd say about themselves, and remembers what etcd refused. */
export class EtcdWatch implements Disposable {
  readonly #etcd: Etcd;
  readonly #report: (sentence: string) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #warned = new Set<string>();
  #alarm: string | undefined;
  #silence: string | undefined;
  #refusal: { readonly reason: string; readonly until: number } | undefined;

  constructor(etcd: Etcd, report: (sentence: string) => void) {
    this.#etcd = etcd;
    this.#report = report;
    this.#timer = setInterval(() => void this.#look(), times.look);
    void this.#look();
  }

  /** Why etcd, which answers, does not do what this gateway asks, in a sentence; undefined: it does. */
  get problem(): string | undefined {
    const isRefused = this.#refusal !== undefined && performance.now() < this.#refusal.until;
    return this.#alarm ?? (isRefused ? this.#refusal?.reason : undefined);
  }

  /** What the members did when none of them had an answer last, in a sentence. */
  get silence(): string | undefined {
    return this.#silence;
  }

  unanswered(error: unknown): void {
    if (error instanceof Unreachable) this.#silence = `${error.reasons}.`;
  }

  refused({ message }: Refused): void {
    this.#refusal = { reason: message, until: performance.now() + times.refusal };
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const members = await this.#etcd.members();
    // No answer is not a sign that an alarm is over.
    if (members.length === 0) return;
    const alarm = members.flatMap(({ alarms }) => alarms)[0];
    this.#alarm = alarm && sentenceOf(alarm);
    for (const { endpoint, version } of members) this.#checkVersion(endpoint, version);
  }

  #checkVersion(endpoint: string, version: string): void {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const isOld = major < preVoteSince[0] || (major === preVoteSince[0] && minor < preVoteSince[1]);
    if (!isOld || this.#warned.has(endpoint)) return;
    this.#warned.add(endpoint);
    this.#report(
      `The member of etcd at ${endpoint} has version ${version}. Before 3.5 a member that was cut off deposes the leader when it is back, and the ` +
        'gateways change roles for that, unless ETCD_PRE_VOTE=true is set at all members. Set it, or take a newer etcd.',
    );
  }
}

function sentenceOf(alarm: string): string {
  if (alarm.includes('NOSPACE'))
    return (
      'etcd takes no changes, because its database has reached its limit (alarm NOSPACE): free space with "etcdctl compact" and ' +
      '"etcdctl defrag", then "etcdctl alarm disarm".'
    );
  return `etcd has an alarm: ${alarm.trim()}.`;
}
