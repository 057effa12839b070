import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode, LinkState } from '@tagway/schemas';
import { Fault, isFault, type LinkStep, type TagDraft, type Value } from '@tagway/sdk';
import { deadlines, faultFrom, type FromRunner } from '@tagway/sdk/internal';
import type { Plugin } from '../../core/model.ts';
import type { NodeTrial, TrialStep, TrialStepName } from '../../core/ports/ports.ts';
import type { Supervisor } from '../runners/supervisor.ts';
import { reasonOf, Refusal, sentence } from '../../core/system/sentence.ts';

/** Milliseconds. */
const waits = {
  /** For the runner to come up. */
  load: 20_000,
  /** For the link to come up or to fail. */
  link: 15_000,
  /** After the start, for a link that may be shown only once the device has answered. */
  answer: 1000,
  /** For the test read. */
  read: 15_000,
  /** For the test of an app, which has its own deadline before that. */
  app: deadlines.tryConnection + deadlines.abort + 1000,
  stop: deadlines.stop + deadlines.abort,
} as const;

/** Trials that may be under way at once: each may open a connection. */
const mostAtOnce = 4;

/** The steps of a link, in the order in which it takes them. */
const linkSteps = ['resolve', 'connect', 'handshake', 'answer'] as const satisfies readonly TrialStepName[];

/** Result of opening the link. `silent`: it is open, and the device has neither answered nor refused yet. */
type Outcome =
  | { readonly kind: 'connected' | 'silent' }
  | { readonly kind: 'failed'; readonly step: TrialStepName; readonly fault: Fault };

interface Watched {
  readonly plugin: Plugin;
  /** A driver on the link layer reports its steps; another one only whether it is connected. */
  reportsSteps: boolean;
  /** `start` has succeeded. A start that fails closes the link too, and its own reason comes after that. */
  isStarted: boolean;
  /** Its last warning or error in the log. */
  complaint: string | undefined;
  readonly link: PromiseWithResolvers<Outcome>;
}

/** Tries settings in the runner of their plugin, as a node that is not part of the configuration. */
export class NodeTrials {
  readonly #watched = new Map<number, Watched>();
  readonly #folder: string;
  #lastId = 0;
  #appTrials = 0;

  /** `folder`: of the nodes. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes a message about a trial, even one that has ended. Returns false for a message about a node. */
  take(plugin: Plugin, message: FromRunner): boolean {
    const node = 'node' in message ? message.node : undefined;
    if (node === undefined || node >= 0) return false;
    const watched = this.#watched.get(node);
    if (watched?.plugin !== plugin) return true;
    switch (message.op) {
      case 'link':
        // A message with `part` is about one station of several; what concerns all is reported for the node itself.
        if (message.part === undefined) linked(watched, message);
        break;
      case 'refused':
        watched.link.resolve({ kind: 'failed', step: 'connect', fault: faultFrom(message.fault) });
        break;
      case 'log':
        if (message.level === 'warn' || message.level === 'error') watched.complaint = message.message;
        break;
      default:
        break;
    }
    return true;
  }

  /** Takes one step after the other until one fails. Rejects with BUSY when it cannot begin. The trial has ended when this settles. */
  async run(runner: Supervisor, trial: NodeTrial, isShared: () => boolean): Promise<TrialStep[]> {
    this.#checkFree();
    const id = --this.#lastId;
    const link = Promise.withResolvers<Outcome>();
    const watched: Watched = {
      plugin: runner.plugin,
      reportsSteps: false,
      isStarted: false,
      complaint: undefined,
      link,
    };
    this.#watched.set(id, watched);
    let dataDir: string | undefined;
    try {
      await mkdir(this.#folder, { recursive: true });
      dataDir = await mkdtemp(join(this.#folder, 'trial-'));
      await whenUp(runner);
      return await this.#steps(runner, id, { ...trial, dataDir }, watched);
    } finally {
      await end(runner, id, isShared);
      this.#watched.delete(id);
      if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
    }
  }

  /** The steps of an app's own test; undefined when it has none. Rejects with BUSY when it cannot begin. */
  async tryConnection(
    runner: Supervisor,
    { name, settings }: Omit<NodeTrial, 'tag'>,
  ): Promise<TrialStep[] | undefined> {
    this.#checkFree();
    this.#appTrials++;
    try {
      await whenUp(runner);
      const steps = await runner.ask<'tryConnection'>({ op: 'tryConnection', name, settings }, waits.app);
      return steps?.map(({ step, ms, fault }) =>
        fault === undefined ? { step, ok: true, ms } : failed(step, ms, faultFrom(fault)),
      );
    } finally {
      this.#appTrials--;
      if (runner.isUp) runner.release();
    }
  }

  #checkFree(): void {
    if (this.#watched.size + this.#appTrials >= mostAtOnce)
      throw new Refusal(
        ErrorCode.BUSY,
        sentence`${mostAtOnce} connection tests are under way. Try again when one of them has ended.`,
      );
  }

  async #steps(
    runner: Supervisor,
    id: number,
    { name, settings, tag, visit, dataDir }: NodeTrial & { readonly dataDir: string },
    watched: Watched,
  ): Promise<TrialStep[]> {
    const begun = performance.now();
    const since = (from: number): number => Math.round(performance.now() - from);
    const outcome = await this.#link(runner, id, { name, settings, dataDir }, watched);
    const ms = since(begun);
    if (outcome.kind === 'failed') {
      const { step, fault } = outcome;
      const passed = watched.reportsSteps ? linkSteps.slice(0, linkSteps.indexOf(step as never)) : [];
      return [...passed.map((one) => ({ step: one, ok: true, ms: 0 })), failed(step, ms, fault)];
    }
    const passed = watched.reportsSteps ? linkSteps.slice(0, 3) : (['connect'] as const);
    const steps: TrialStep[] = passed.map((step, at) => ({ step, ok: true, ms: at === 0 ? ms : 0 }));
    const read = (one: TagDraft): Promise<Value> =>
      runner.ask<'test'>({ op: 'test', node: id, tag: one, asTag: true }, waits.read);
    if (visit !== undefined) {
      await visit(read);
      return steps;
    }
    if (tag === undefined) {
      if (outcome.kind === 'silent') steps.push(failed('answer', 0, unasked));
      return steps;
    }
    const asked = performance.now();
    try {
      const value = await read(tag);
      return [
        ...steps,
        { step: 'answer', ok: true, ms: since(asked) },
        { step: 'read', ok: true, ms: 0, value },
      ];
    } catch (error) {
      const fault = isFault(error)
        ? error
        : new Fault(ErrorCode.READ_FAILED, String(error), { cause: error });
      if (silences.has(fault.code)) return [...steps, failed('answer', since(asked), fault)];
      return [...steps, { step: 'answer', ok: true, ms: since(asked) }, failed('read', 0, fault)];
    }
  }

  async #link(
    runner: Supervisor,
    id: number,
    node: { readonly name: string; readonly settings: NodeTrial['settings']; readonly dataDir: string },
    watched: Watched,
  ): Promise<Outcome> {
    const request = { op: 'start', node: id, level: 'notice', ...node } as const;
    const unstarted = (reason: string): Outcome => ({
      kind: 'failed',
      step: 'connect',
      fault: new Fault(ErrorCode.DISCONNECTED, reason),
    });
    const started = runner.ask<'start'>(request, waits.link).then(
      async (isStarted): Promise<Outcome> => {
        watched.isStarted = isStarted;
        if (isStarted) return await within(waits.answer, watched.link.promise, { kind: 'silent' });
        return unstarted(watched.complaint ?? 'The driver could not start, and does not say why.');
      },
      (error: unknown): Outcome =>
        isFault(error)
          ? { kind: 'failed', step: 'connect', fault: error }
          : unstarted(`The driver could not start: ${String(error)}`),
    );
    const late = unstarted(
      watched.complaint ??
        `The link was not there within ${waits.link / 1000} s; what it waits for is not known.`,
    );
    return await within(waits.link, Promise.race([watched.link.promise, started]), late);
  }
}

async function whenUp(runner: Supervisor): Promise<void> {
  if (await runner.whenUp(waits.load)) return;
  throw new Refusal(
    ErrorCode.BUSY,
    sentence`The plugin "${runner.plugin.name}" cannot be asked right now, because its runner is not up. Try again in a moment.`,
  );
}

/** Codes that mean that the device has not answered. */
const silences = new Set<number>([
  ErrorCode.NO_RESPONSE,
  ErrorCode.DISCONNECTED,
  ErrorCode.NOT_RUNNING,
  ErrorCode.BUSY,
]);

const unasked = new Refusal(
  ErrorCode.NOT_READY,
  sentence`The way to the device is open. Whether the device answers shows when something is read: name a tag to read.`,
);

function linked(
  watched: Watched,
  { link, reason, step }: Extract<FromRunner, { readonly op: 'link' }>,
): void {
  watched.reportsSteps ||= step !== undefined;
  if (link === LinkState.CONNECTED) watched.link.resolve({ kind: 'connected' });
  else if (
    link === LinkState.DISCONNECTED &&
    reason !== undefined &&
    (step !== undefined || watched.isStarted)
  )
    watched.link.resolve({
      kind: 'failed',
      step: stepOf(step),
      fault: new Fault(ErrorCode.DISCONNECTED, reason),
    });
}

function stepOf(step: LinkStep | undefined): TrialStepName {
  return step === 'first answer' ? 'answer' : (step ?? 'connect');
}

function failed(step: TrialStepName, ms: number, fault: Fault): TrialStep {
  return { step, ok: false, ms, error: fault.code, message: reasonOf(fault) };
}

async function within<T>(ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = setTimeout(() => late.resolve(otherwise), ms);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

/** Stops the trial. A runner that does not stop it and runs no node is ended. */
async function end(runner: Supervisor, id: number, isShared: () => boolean): Promise<void> {
  if (!runner.isUp) return;
  await runner.ask<'stop'>({ op: 'stop', node: id }, waits.stop).catch(() => {
    if (!isShared()) runner.kill();
  });
  runner.release();
}
