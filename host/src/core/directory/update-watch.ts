import type { Outdated, OutdatedReply } from '@tagway/schemas';
import type { Log } from '@tagway/sdk';

/** Milliseconds from the start of the gateway to its first look, so that the nodes come first. */
const startDelay = 10_000;

/** Looks for newer versions as often as an admin has set, and never where none has. */
export class UpdateWatch {
  readonly #look: () => Promise<OutdatedReply>;
  readonly #log: Log | undefined;
  /** Milliseconds; 0: off. */
  #period = 0;
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;
  /** What the log has said of each, so that it says it once. */
  #said = new Map<string, string>();

  constructor(look: () => Promise<OutdatedReply>, log: Log | undefined) {
    this.#look = look;
    this.#log = log;
  }

  /** At a standby of a pair nobody looks, so that a pair asks once. */
  start(): void {
    this.#isStarted = true;
    this.#schedule(Math.min(startDelay, this.#period));
  }

  /** Hours between two looks; 0: none. The first one comes soon, so that the admin sees what the setting does. */
  set(hours: number): void {
    const period = hours * 3_600_000;
    if (period === this.#period) return;
    this.#period = period;
    this.#schedule(0);
  }

  close(): void {
    this.#isStarted = false;
    this.#schedule(0);
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isStarted || this.#period === 0) return;
    this.#timer = setTimeout(() => void this.#run(), delay);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    try {
      const { plugins, profiles } = await this.#look();
      const said = new Map([
        ...plugins.map((one) => [`plugin ${one.plugin}`, sentenceOf('plugin', one, one.fitting)] as const),
        ...profiles.map(
          (one) => [`profile ${one.profile}`, sentenceOf('device profile', one, one.newest)] as const,
        ),
      ]);
      for (const [what, text] of said) if (this.#said.get(what) !== text) this.#log?.notice(text);
      this.#said = said;
    } catch {
      // Too much is asked of registries just now, or the gateway ends: the next look comes in time.
    }
    this.#schedule(this.#period);
  }
}

function sentenceOf(
  kind: string,
  { name, installed, message }: Pick<Outdated, 'name' | 'installed' | 'message'>,
  newer: string | undefined,
): string {
  if (newer !== undefined)
    return `Version ${newer} of the ${kind} "${name}" is in its registry; ${installed} is installed.`;
  return `It is not known whether there is a newer version of the ${kind} "${name}" that fits: ${message ?? 'the registry names none'}`;
}
