import { RateLimit } from '@tagway/broker';
import type { AppContext, JsonValue, TagWrite } from '@tagway/sdk';
import { decodeMetrics } from './decode.ts';
import type { CommandMetric, WireValue } from './decode.ts';
import { SparkplugType } from './datatype.ts';
import type { Target } from './device.ts';
import { rebirthName } from './payload.ts';

/** Writes that may be under way at once; further commands are refused. */
const maxPending = 64;

/** Largest command in bytes, as requests over HTTP. */
const maxCommand = 1 << 20;

type CommandContext = Pick<AppContext, 'write' | 'count' | 'log' | 'clock' | 'node'>;

/** Carries out what hosts command. Whatever cannot be is told in the log; the host sees it by the value that does not change. */
export class Commands {
  readonly #context: CommandContext;
  readonly #target: (device: string, id: string | number) => Target | undefined;
  readonly #rebirth: () => void;
  readonly #refused: RateLimit;
  readonly #failed: RateLimit;
  #pending = 0;

  constructor(
    context: CommandContext,
    target: (device: string, id: string | number) => Target | undefined,
    rebirth: () => void,
  ) {
    this.#context = context;
    this.#target = target;
    this.#rebirth = rebirth;
    this.#refused = new RateLimit(context.clock);
    this.#failed = new RateLimit(context.clock);
  }

  /** Takes a command to a device, or to the node itself when there is none. */
  take(device: string | undefined, payload: Buffer, retained: boolean): void {
    this.#context.count('recv_msgs_total', 1);
    const to = device === undefined ? 'the node itself' : `the device ${device}`;
    const metrics = this.#metricsOf(to, payload, retained);
    if (device !== undefined) this.#write(device, metrics);
    else for (const metric of metrics) this.#control(metric);
  }

  #metricsOf(to: string, payload: Buffer, retained: boolean): readonly CommandMetric[] {
    if (retained) {
      this.#refuse(`${to}, which is retained: it would be carried out again at every connection`);
    } else if (payload.length > maxCommand) {
      this.#refuse(`${to}, which is longer than ${maxCommand} bytes`);
    } else {
      try {
        return decodeMetrics(payload);
      } catch (error) {
        this.#refuse(`${to}, which is no Sparkplug payload: ${String(error)}`);
      }
    }
    return [];
  }

  #control({ name, value }: CommandMetric): void {
    if (name !== rebirthName)
      this.#refuse(`the node itself, for the metric ${name ?? 'without a name'}, which it does not have`);
    else if (value === true) this.#rebirth();
  }

  #write(device: string, metrics: readonly CommandMetric[]): void {
    const writes: TagWrite[] = [];
    for (const { name, alias, value } of metrics) {
      const id = name ?? (alias === undefined ? '' : Number(alias));
      const target = this.#target(device, id);
      const wanted = target && value !== undefined ? valueFor(target.type, value) : undefined;
      if (target === undefined)
        this.#refuse(`the device ${device}, for the metric ${id}, which it does not have`);
      else if (wanted === undefined)
        this.#refuse(`the device ${device}, for the metric ${id}: its value is not of the metric's type`);
      else writes.push({ driver: device, group: target.group, tag: target.tag.name, value: wanted });
    }
    if (writes.length === 0) return;
    if (this.#pending >= maxPending) {
      this.#refuse(`the device ${device}: ${maxPending} commands are under way`);
      return;
    }
    this.#pending++;
    void this.#carryOut(writes).finally(() => this.#pending--);
  }

  async #carryOut(writes: readonly TagWrite[]): Promise<void> {
    try {
      const faults = await this.#context.write(writes);
      faults.forEach((fault, index) => {
        if (fault !== undefined) this.#fail(writes[index] as TagWrite, fault.message);
      });
    } catch (error) {
      this.#fail(writes[0] as TagWrite, error instanceof Error ? error.message : String(error));
    }
  }

  #fail({ driver, group, tag }: TagWrite, reason: string): void {
    const times = this.#failed.add();
    if (times === 0) return;
    this.#context.log.warn(
      `A command to the node ${this.#context.node} could not be carried out: the tag ${tag} in the group ${group} of ${driver} ` +
        `was not written. ${reason} ${times} since the last such line.`,
    );
  }

  #refuse(what: string): void {
    const times = this.#refused.add();
    if (times === 0) return;
    this.#context.log.warn(
      `The node ${this.#context.node} did not carry out a command to ${what}. ${times} since the last such line.`,
    );
  }
}

/** Bits of the signed types of `int_value`. */
const widths: ReadonlyMap<SparkplugType, number> = new Map([
  [SparkplugType.INT8, 8],
  [SparkplugType.INT16, 16],
  [SparkplugType.INT32, 32],
]);

/** The value of a command as a tag of this type takes it; undefined when it is of another kind. */
export function valueFor(type: SparkplugType, value: WireValue): JsonValue | undefined {
  if (type === SparkplugType.STRING) return typeof value === 'string' ? value : undefined;
  if (type === SparkplugType.BYTES) return value instanceof Uint8Array ? value : undefined;
  if (type === SparkplugType.BOOLEAN) {
    if (typeof value === 'boolean') return value;
    return value === 0 || value === 1 ? value === 1 : undefined;
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  if (type === SparkplugType.FLOAT || type === SparkplugType.DOUBLE) return Number(value);
  if (type === SparkplugType.INT64) return wide(value, true);
  if (type === SparkplugType.UINT64) return wide(value, false);
  const bits = widths.get(type);
  if (bits === undefined) return Number(value);
  return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : signed(value, bits);
}

function wide(value: number | bigint, isSigned: boolean): bigint | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) ? BigInt(isSigned ? value | 0 : value) : undefined;
  return isSigned ? BigInt.asIntN(64, value) : value;
}

/** Hosts send a negative number as 32 bits, or as the bits of its own type. */
function signed(value: number, bits: number): number {
  if (!Number.isInteger(value)) return value;
  const narrow = 32 - bits;
  return value < 2 ** bits ? (value << narrow) >> narrow : value | 0;
}
