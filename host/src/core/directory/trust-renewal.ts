import type { Registry, TrustRenewal as Setting } from '@tagway/schemas';
import { isFault, type Log } from '@tagway/sdk';
import type { Registries } from '../ports/registries.ts';
import { reasonOf, type Sentence } from '../system/sentence.ts';

/** Milliseconds from the start of the gateway to its first renewal, so that the nodes come first. */
const startDelay = 10_000;
const day = 86_400_000;
/** Milliseconds by which two clocks may disagree on a day. */
const slack = 60_000;

/** Renews the keys of registries and the trust root once a day where an admin has allowed it, and never where none has. */
export class TrustRenewal {
  readonly #registries: Registries;
  readonly #log: Log | undefined;
  /** The registry whose proxy leads to the network. */
  readonly #via: () => Promise<Registry>;
  #setting: Setting = { enabled: false };
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;
  /** Of the renewal that runs. */
  #running: AbortController | undefined;
  #done = Promise.resolve();
  /** Why the last renewal failed. */
  #problem: Sentence | string | undefined;
  /** What the log has said, so that it says it once. */
  #said = '';

  constructor(registries: Registries, via: () => Promise<Registry>, log: Log | undefined) {
    this.#registries = registries;
    this.#via = via;
    this.#log = log;
  }

  get setting(): Setting {
    return this.#setting;
  }

  /** When the last one was; undefined: never. */
  time(): Promise<number | undefined> {
    return this.#registries.trustTime();
  }

  /** Why the last one failed, if it did. */
  get problem(): Sentence | string | undefined {
    return this.#problem;
  }

  /** At a standby of a pair nothing is renewed until it takes over. */
  start(): void {
    this.#isStarted = true;
    this.#schedule(startDelay);
  }

  /** Another setting is used at once, so that an admin sees what it does. */
  set(setting: Setting): void {
    const { enabled, url = '', root = '' } = this.#setting;
    if (setting.enabled === enabled && (setting.url ?? '') === url && (setting.root ?? '') === root) return;
    this.#setting = setting;
    this.#registries.trustRenewal = setting;
    this.#problem = undefined;
    this.#said = '';
    this.#running?.abort();
    this.#schedule(0, true);
  }

  async close(): Promise<void> {
    this.#isStarted = false;
    this.#schedule(0);
    this.#running?.abort();
    await this.#done;
  }

  /** `isNew`: the setting is another one, so that it does not matter when the last one was. */
  #schedule(delay: number, isNew = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isStarted || !this.#setting.enabled) return;
    this.#timer = setTimeout(() => {
      this.#done = this.#done.then(() => this.#run(isNew));
    }, delay);
    this.#timer.unref();
  }

  async #run(isNew: boolean): Promise<void> {
    if (!this.#isStarted || !this.#setting.enabled) return;
    const running = new AbortController();
    this.#running = running;
    try {
      const since = Date.now() - ((await this.time()) ?? -Infinity);
      // A gateway that starts often asks once a day. A clock that was set back does not put it off.
      if (!isNew && since >= 0 && since < day - slack) return this.#schedule(day - since);
      const isChanged = await this.#registries.renewTrust(await this.#via(), running.signal);
      this.#problem = undefined;
      this.#said = '';
      if (isChanged)
        this.#log?.notice('The keys of registries and the trust root of attestations were renewed.');
    } catch (error) {
      // Another setting, or the end of the gateway, has ended it.
      if (running.signal.aborted) return;
      this.#problem = isFault(error) ? reasonOf(error) : (error as Error).message;
      this.#say(
        `The keys of registries and the trust root of attestations were not renewed, and those that are there still hold: ${String(this.#problem)}`,
      );
    }
    this.#schedule(day);
  }

  #say(text: string): void {
    if (text !== this.#said) this.#log?.warn(text);
    this.#said = text;
  }
}
