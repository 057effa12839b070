import type { X509Certificate } from 'node:crypto';
import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { type LicenseTerms, readLicense } from './certificate.ts';
import type { Plugin, TagGroup } from '../model.ts';
import { keys } from '../records/records.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Most bytes of a license. */
const sizeMax = 15_000;

/** Who may sign licenses, and for which machine they must be. */
export interface Licensing {
  readonly authorities: readonly X509Certificate[];
  readonly hardwareToken: string;
}

export interface LicenseState extends LicenseTerms {
  readonly isValid: boolean;
  readonly usedNodes: number;
  readonly usedTags: number;
}

/**
 * The license of the gateway. Without one nothing is limited. With one its limits hold for what is added, also after it has
 * expired; what is there already runs on.
 */
export class License {
  readonly #state: State;
  readonly #licensing: Licensing;

  constructor(state: State, licensing: Licensing) {
    this.#state = state;
    this.#licensing = licensing;
  }

  get hardwareToken(): string {
    return this.#licensing.hardwareToken;
  }

  /** Takes the stored license. A license that is not valid any more has no effect, and the log has the reason. */
  load(pem: string | undefined): void {
    this.#state.license = undefined;
    if (pem === undefined) return;
    try {
      this.#state.license = this.#read(pem);
    } catch (error) {
      if (!isFault(error)) throw error;
      this.#state.ports.log.error(`The stored license has no effect. ${error.message}`);
    }
  }

  /** Rejects with LICENSE_INVALID, LICENSE_TOKEN_MISMATCH or LICENSE_EXPIRED; the license before it is kept then. */
  async replace(pem: string): Promise<void> {
    const terms = this.#read(pem);
    const now = Date.now();
    if (now >= terms.until.getTime()) {
      throw new Refusal(
        ErrorCode.LICENSE_EXPIRED,
        sentence`The license expired on ${terms.until.toISOString().slice(0, 10)}.`,
      );
    }
    if (now < terms.since.getTime()) {
      throw new Refusal(
        ErrorCode.LICENSE_INVALID,
        sentence`The license is not valid before ${terms.since.toISOString().slice(0, 10)}. Is the clock of this machine right?`,
      );
    }
    await this.#state.change(async () => {
      await this.#state.commit({ set: [[keys.license, { certificate: pem }]] });
      this.#state.license = terms;
    });
  }

  /** Throws LICENSE_NOT_FOUND. */
  describe(): LicenseState {
    const { license, nodes } = this.#state;
    if (license === undefined)
      throw new Refusal(
        ErrorCode.LICENSE_NOT_FOUND,
        sentence`No license is installed; without one nothing is limited.`,
      );
    const now = Date.now();
    return {
      ...license,
      isValid: license.since.getTime() <= now && now < license.until.getTime(),
      usedNodes: nodes.size,
      usedTags: this.tags().used,
    };
  }

  /** How many tags the license allows in all nodes together (0 without a license), and how many there are. */
  tags(): { readonly most: number; readonly used: number } {
    const { license, nodes } = this.#state;
    return {
      most: license === undefined ? 0 : license.maxNodes * license.maxNodeTags,
      used: [...nodes.values()].reduce((sum, node) => sum + tagCount(node), 0),
    };
  }

  #read(pem: string): LicenseTerms {
    let terms: LicenseTerms;
    try {
      if (Buffer.byteLength(pem) > sizeMax) throw new Error(`It has more than ${sizeMax} bytes.`);
      terms = readLicense(pem, this.#licensing.authorities);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Refusal(ErrorCode.LICENSE_INVALID, sentence`The license is not good: ${reason}`, { cause });
    }
    if (terms.hardwareToken !== undefined && terms.hardwareToken !== this.#licensing.hardwareToken) {
      throw new Refusal(
        ErrorCode.LICENSE_TOKEN_MISMATCH,
        sentence`The license is for another machine: GET /api/v2/license shows the token of this one.`,
      );
    }
    return terms;
  }
}

/** How many tags a node, or a template, has. */
export function tagCount({ groups }: { readonly groups: ReadonlyMap<string, TagGroup> }): number {
  return [...groups.values()].reduce((sum, group) => sum + group.tags.size, 0);
}

/** Throws LICENSE_DISABLED when the license leaves out the plugin of a new node. */
export function checkLicensed({ license }: State, plugin: Plugin): void {
  const enabled = license?.enabledPlugins ?? [];
  if (enabled.length > 0 && !enabled.includes(plugin.name)) {
    throw new Refusal(
      ErrorCode.LICENSE_DISABLED,
      sentence`The license does not include the plugin "${plugin.name}".`,
    );
  }
}

/** Throws LICENSE_MAX_NODES when the license does not allow this number of nodes. */
export function checkNodeCount({ license }: State, count: number): void {
  if (license !== undefined && count > license.maxNodes) {
    throw new Refusal(ErrorCode.LICENSE_MAX_NODES, sentence`The license allows ${license.maxNodes} nodes.`);
  }
}

/** How many tags a node may have in all. */
export function tagLimit({ license }: State): number {
  return license?.maxNodeTags ?? Infinity;
}
