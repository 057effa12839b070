import { ErrorCode, formatReference } from '@tagway/schemas';
import type { Fault, TagWrite, Writer } from '@tagway/sdk';
import { type Audit, describeWrites } from '../access/audit.ts';
import type { AppLogins } from '../logins/app-logins.ts';
import type { Node } from '../model.ts';
import type { RuntimeEvents } from '../ports/ports.ts';
import type { State } from '../records/state.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import type { TagValues } from '../tags/tag-values.ts';
import { settingReferences } from './setting-references.ts';

type Faults = readonly (Fault | undefined)[];
type WriteOptions = Parameters<RuntimeEvents['write']>[3];

/** What apps and drivers with inputs write to tags, and what the audit log has of it. */
export class PluginWrites {
  readonly #state: State;
  readonly #values: TagValues;
  readonly #logins: AppLogins;
  readonly #audit: Audit;

  constructor(state: State, values: TagValues, logins: AppLogins, audit: Audit) {
    this.#state = state;
    this.#values = values;
    this.#logins = logins;
    this.#audit = audit;
  }

  /** Writes for an app, or for a user of the gateway who is a client of one. */
  async ofApp(
    app: Node,
    writes: readonly TagWrite[],
    isRequest: boolean,
    { user, from, linked, whole }: NonNullable<WriteOptions> = {},
  ): Promise<Faults> {
    const by: Writer = user === undefined ? { kind: 'app', name: app.name } : { kind: 'user', name: user };
    // The settings may change while it is written.
    const unnamed = linked === true ? unnamedOf(app, writes) : undefined;
    const faults = await this.#write(app, by, writes, isRequest, whole);
    const through = user === undefined ? undefined : app.name;
    // Of what has got another name since the app asked nothing was written.
    if (unnamed?.every((index) => absences.has(faults[index]?.code)) !== true)
      this.#describe(by, writes, faults, { through, from });
    return faults;
  }

  /** A driver writes tags that its own tags refer to, and no others. */
  async ofDriver(driver: Node, writes: readonly TagWrite[], by: Writer | undefined): Promise<Faults> {
    const isOwn = ({ driver: node, group, tag }: TagWrite): boolean =>
      this.#state.links.reads(driver, { node, group, tag });
    const own = writes.filter(isOwn);
    const results = (await this.#values.writeEach(own, by)).values();
    const faults = writes.map((write) => (isOwn(write) ? results.next().value : notRead(driver, write)));
    if (own.length > 0)
      this.#describe(by ?? { kind: 'app', name: driver.name }, writes, faults, { through: driver.name });
    return faults;
  }

  async #write(
    app: Node,
    by: Writer,
    writes: readonly TagWrite[],
    isRequest: boolean,
    isWhole = false,
  ): Promise<Faults> {
    const refusal = by.kind === 'user' ? this.#logins.refusalOf(app, by.name) : undefined;
    if (refusal !== undefined) return writes.map(() => refusal);
    return isRequest ? this.#values.writeRequest(writes, by) : this.#values.writeEach(writes, by, isWhole);
  }

  /** Adds what somebody wrote who is no caller of the API to the audit log, through another driver if need be: one entry for each driver. */
  #describe(
    { kind, name }: Writer,
    writes: readonly TagWrite[],
    faults: Faults,
    { through, from }: { readonly through?: string | undefined; readonly from?: string | undefined },
  ): void {
    const way = through === undefined ? '' : ` through "${through}"`;
    const byDriver = Map.groupBy(writes.keys(), (index) => writes[index]?.driver ?? '');
    for (const [node, indices] of byDriver) {
      const those = indices.flatMap((index) => writes[index] ?? []);
      const failed = indices.filter((index) => faults[index] !== undefined);
      const [first] = failed;
      this.#audit.add({
        time: Date.now(),
        user: name,
        kind,
        from,
        node,
        text: `wrote to the node "${node}"${way}: ${describeWrites(those)}${failed.length > 0 ? `; ${failed.length} failed` : ''}`,
        error: (first === undefined ? undefined : faults[first]?.code) ?? ErrorCode.SUCCESS,
      });
    }
  }
}

/** Which of these writes the settings of an app do not name. */
function unnamedOf({ plugin, params }: Node, writes: readonly TagWrite[]): number[] {
  const { targets } = settingReferences(plugin, params);
  return [...writes.keys()].filter((index) => {
    const { driver: node, group, tag } = writes[index]!;
    return !targets.has(formatReference({ node, group, tag }));
  });
}

/** Codes of faults of names that nothing has. */
const absences: ReadonlySet<number | undefined> = new Set([
  ErrorCode.NODE_NOT_FOUND,
  ErrorCode.GROUP_NOT_FOUND,
  ErrorCode.TAG_NOT_FOUND,
]);

function notRead({ name }: Node, { driver: node, group, tag }: TagWrite): Fault {
  return new Refusal(
    ErrorCode.TAG_NOT_WRITABLE,
    sentence`The node "${name}" writes only what its own tags refer to, and not "${formatReference({ node, group, tag })}".`,
  );
}
