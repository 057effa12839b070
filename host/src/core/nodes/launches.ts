import { ErrorCode, NodeType, RunningState } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import type { Node } from '../model.ts';
import { keys, nodeRecord } from '../records/records.ts';
import type { State } from '../records/state.ts';

/** Settles with the fault of a start that was refused for good; never rejects because of the plugin. */
export type Outcome = Promise<Fault | undefined>;

interface Attempt {
  refusal?: Fault;
}

/**
 * Starts and stops nodes, and sets a node back when its plugin refuses to start it. The runtime is called in the order in which the
 * running states change, under the lock of changes; the result is a promise that the caller waits for outside the lock.
 */
export class Launches {
  readonly #state: State;
  /** The last attempt to start a node, while it is pending. The outcome of an earlier one is ignored. */
  readonly #attempts = new Map<Node, Attempt>();
  /** The gateway was started for repairs: no node runs, and only the wanted state is stored. */
  readonly isSafe: boolean;
  /** False before `startAll`. */
  #isOpen = false;
  /** From `startAtStandby` on. */
  #isAtStandby = false;

  constructor(state: State, isSafe: boolean) {
    this.#state = state;
    this.isSafe = isSafe;
  }

  async setRunning(node: Node, running: RunningState): Promise<void> {
    await this.#state.commit({ set: [[keys.node(node.id), nodeRecord({ ...node, running })]] });
    node.running = running;
  }

  /**
   * Starts every node that is to run, without waiting for any. Drivers begin when the apps run, so that these get what is read first;
   * at a takeover they begin at once, because the plant has been without readings already.
   */
  startAll({ isTakeover }: { readonly isTakeover: boolean }): void {
    if (this.isSafe) return;
    this.#isOpen = true;
    this.#isAtStandby = false;
    const nodes = [...this.#state.nodes.values()];
    const apps = nodes.filter((node) => node.plugin.nodeType === NodeType.APP && isToRun(node));
    for (const app of apps) void this.resume(app);
    if (!isTakeover) this.#state.ports.runtime.startDriversAfter(apps);
    for (const node of nodes) if (node.plugin.nodeType === NodeType.DRIVER) void this.resume(node);
  }

  /**
   * Has every app that is to run do its part at a standby: serve its clients, or send the messages that an earlier run has left on this
   * machine's disk.
   */
  startAtStandby(): void {
    if (this.isSafe) return;
    this.#isAtStandby = true;
    for (const node of this.#state.nodes.values())
      if (node.plugin.nodeType === NodeType.APP && isToRun(node))
        this.#state.ports.runtime.startAtStandby(node);
  }

  /** The active gateway has changed these nodes: apps that serve at the standby run as they are to there. */
  followed(nodes: Iterable<Node>): void {
    if (!this.#isAtStandby) return;
    const { runtime } = this.#state.ports;
    for (const node of nodes) {
      if (node.plugin.servesAtStandby !== true || !this.#state.has(node)) continue;
      if (isToRun(node)) runtime.startAtStandby(node);
      else void runtime.stop(node);
    }
  }

  /** Starts a node that ran, or was ready to, when the gateway ended or its plugin went missing. */
  resume(node: Node): Outcome | undefined {
    if (!this.#isOpen || !isToRun(node)) return undefined;
    node.running = RunningState.RUNNING;
    return this.start(node, RunningState.READY);
  }

  /** Starts a node that is RUNNING for the operator; sets it to `otherwise` when the plugin refuses for good. */
  async start(node: Node, otherwise: RunningState): Outcome {
    if (this.isSafe) return undefined;
    const attempt: Attempt = {};
    this.#attempts.set(node, attempt);
    return this.#conclude(node, attempt, otherwise, this.#state.ports.runtime.start(node));
  }

  /** Ends the run of a node that is not RUNNING any more for the operator. */
  async stop(node: Node): Promise<undefined> {
    this.#attempts.delete(node);
    await this.#state.ports.runtime.stop(node);
  }

  /** The plugin refused a node at some moment after its start was called. */
  refused(node: Node, fault: Fault): void {
    const attempt = this.#attempts.get(node);
    if (attempt !== undefined) attempt.refusal = fault;
    else void this.#fallBack(node, fault, RunningState.READY);
  }

  async #conclude(node: Node, attempt: Attempt, otherwise: RunningState, started: Promise<void>): Outcome {
    try {
      await started;
    } catch (error) {
      attempt.refusal = isFault(error)
        ? error
        : new Fault(ErrorCode.INTERNAL, String(error), { cause: error });
    }
    if (this.#attempts.get(node) !== attempt) return attempt.refusal;
    this.#attempts.delete(node);
    if (attempt.refusal !== undefined) await this.#fallBack(node, attempt.refusal, otherwise);
    return attempt.refusal;
  }

  async #fallBack(node: Node, fault: Fault, running: RunningState): Promise<void> {
    const { log } = this.#state.ports;
    log.error(`The node "${node.name}" cannot run: ${fault.message} (error ${fault.code})`);
    try {
      await this.#state.settle(async () => {
        const meanwhile = this.#attempts.has(node) || !this.#state.has(node);
        if (node.running === RunningState.RUNNING && !meanwhile) await this.setRunning(node, running);
      });
    } catch (error) {
      log.error(`The state of the node "${node.name}" could not be stored.`, { error });
    }
  }
}

/** Whether a node is to run and its plugin is there. */
export function isToRun({ running, plugin }: Node): boolean {
  return (running === RunningState.READY || running === RunningState.RUNNING) && plugin.absent !== true;
}
