import { LimitedLog } from '@tagway/mqtt-client';
import type { AppContext, TagWrite } from '@tagway/sdk';
import { commandValue } from './command-value.ts';
import { decodeMetrics } from './decode.ts';
import type { CommandMetric } from './decode.ts';
import type { Target } from './device.ts';
import { rebirthName } from './payload.ts';

/** Commands that are carried out at the same time; further ones are refused. */
const maxPending = 64;

/** Largest command in bytes, as requests over HTTP. */
const maxCommand = 1 << 20;

type CommandContext = Pick<AppContext, 'write' | 'count' | 'log' | 'clock' | 'node'>;

/** Carries out the commands of hosts. A command that fails is logged; the host sees that the value does not change. */
export class Commands {
  readonly #context: CommandContext;
  readonly #target: (device: string, id: string | number) => Target | undefined;
  readonly #rebirthTimer: () => void;
  readonly #refused: LimitedLog;
  readonly #failed: LimitedLog;
  #pending = 0;

  constructor(
    context: CommandContext,
    target: (device: string, id: string | number) => Target | undefined,
    rebirth: () => void,
  ) {
    this.#context = context;
    this.#target = target;
    this.#rebirthTimer = rebirth;
    this.#refused = new LimitedLog(context.clock);
    this.#failed = new LimitedLog(context.clock);
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
    else if (value === true) this.#rebirthTimer();
  }

  #write(device: string, metrics: readonly CommandMetric[]): void {
    const writes: TagWrite[] = [];
    for (const metric of metrics) {
      const { name, alias } = metric;
      const id = name ?? (alias === undefined ? '' : Number(alias));
      const target = this.#target(device, id);
      if (target === undefined) {
        this.#refuse(`the device ${device}, for the metric ${id}, which it does not have`);
        continue;
      }
      const wanted = commandValue(target.type, metric);
      if ('problem' in wanted) this.#refuse(`the device ${device}, for the metric ${id}: ${wanted.problem}`);
      else writes.push({ driver: device, group: target.group, tag: target.tag.name, value: wanted.value });
    }
    if (writes.length === 0) return;
    if (this.#pending >= maxPending)
      return this.#refuse(`the device ${device}: ${maxPending} commands are under way`);
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
    const { log, node } = this.#context;
    this.#failed.add((others) =>
      log.warn(
        `A command to the node ${node} could not be carried out: the tag ${tag} in the group ${group} of ${driver} ` +
          `was not written. ${reason}${others}`,
      ),
    );
  }

  #refuse(what: string): void {
    const { log, node } = this.#context;
    this.#refused.add((others) =>
      log.warn(`The node ${node} did not carry out a command to ${what}.${others}`),
    );
  }
}
