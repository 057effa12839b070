import type { LiveDemand } from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import { randomUUID } from 'node:crypto';
import type { Gateway } from '../../core/gateway.ts';
import type { GroupReading } from '../../core/model.ts';
import type { Pair } from '../../core/pair.ts';
import { stateRecord } from '../nodes.ts';
import { activeUrl, standbyFault } from '../standby.ts';
import { GroupValues } from './group-values.ts';
import { StateChanges } from './state-changes.ts';
import { Viewer, type Wanted } from './viewer.ts';

/** Milliseconds. */
const times = {
  /** Between two looks at the values. Nobody sees more changes a second than this allows. */
  look: 250,
  /** Between two looks at the states. */
  states: 500,
  /** Between two beats, which say that the stream lives. */
  beat: 5000,
  /** For a viewer to take what it was told. */
  patience: 30_000,
} as const;

/** Streams that may be open at once. */
const mostViewers = 64;

interface Watched {
  readonly gateway: Gateway;
  readonly pair: Pair | undefined;
  readonly ending: AbortSignal | undefined;
}

/** Who looks on. While nobody does, nothing here costs anything. */
export class Viewers {
  readonly #gateway: Gateway;
  readonly #pair: Pair | undefined;
  readonly #viewers = new Map<string, Viewer>();
  readonly #values = new Map<string, GroupValues>();
  #states = new StateChanges();
  #round = 0;
  #statesAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor({ gateway, pair, ending }: Watched) {
    this.#gateway = gateway;
    this.#pair = pair;
    ending?.addEventListener('abort', () => {
      this.#isEnding = true;
      const fault = new Fault(ErrorCode.BUSY, 'The gateway ends.');
      for (const viewer of this.#viewers.values()) this.#end(viewer, fault);
    });
  }

  /** Opens a stream. Throws BUSY when there are too many. */
  open(owner: string, wantsStates: boolean, demands: readonly LiveDemand[], check: Viewer['check']): Viewer {
    if (this.#isEnding) throw new Fault(ErrorCode.BUSY, 'The gateway ends.');
    if (this.#viewers.size >= mostViewers) {
      throw new Fault(
        ErrorCode.BUSY,
        `There are ${mostViewers} streams of live values already; close a page that shows them, or ask with POST /api/v2/read.`,
      );
    }
    const viewer = new Viewer(randomUUID(), owner, wantsStates, check);
    viewer.want(demands);
    viewer.on('close', () => this.#forget(viewer));
    const hello = { stream: viewer.key, beat: times.beat, time: Date.now() };
    viewer.tell(`event: hello\ndata: ${JSON.stringify(hello)}\n\n`);
    this.#viewers.set(viewer.key, viewer);
    this.#timer ??= setInterval(() => this.#look(), times.look);
    return viewer;
  }

  /** Changes what a stream tells. Throws PARAM_INVALID when this caller has no such stream. */
  want(key: string, owner: string, demands: readonly LiveDemand[]): void {
    const viewer = this.#viewers.get(key);
    if (viewer?.owner !== owner)
      throw new Fault(ErrorCode.PARAM_INVALID, 'There is no such stream any more; open another one.');
    viewer.want(demands);
    this.#forgetGroups();
  }

  #forget(viewer: Viewer): void {
    this.#viewers.delete(viewer.key);
    this.#forgetGroups();
    if (this.#viewers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#states = new StateChanges();
    this.#round = 0;
    this.#statesAt = 0;
  }

  #forgetGroups(): void {
    const wanted = new Set([...this.#viewers.values()].flatMap(({ wanted }) => wanted.map(placeOf)));
    for (const place of this.#values.keys()) if (!wanted.has(place)) this.#values.delete(place);
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#statesAt >= times.states) {
      this.#statesAt = now;
      this.#round = this.#states.look(
        this.#gateway.nodes.all().map((node) => stateRecord(this.#gateway, node)),
      );
    }
    const readings = new Map<string, GroupReading | Fault>();
    for (const viewer of [...this.#viewers.values()]) {
      if (viewer.isReady) this.#tell(viewer, readings, now);
      else if (now - viewer.takenAt > times.patience) viewer.destroy();
    }
    this.#states.forget(Math.min(...[...this.#viewers.values()].map(({ seenRound }) => seenRound)));
  }

  #tell(viewer: Viewer, readings: Map<string, GroupReading | Fault>, now: number): void {
    const events: Buffer[] = [];
    if (viewer.wantsStates && viewer.seenRound < this.#round) {
      const event = this.#states.event(viewer.seenRound);
      if (event !== undefined) events.push(Buffer.from(event));
      viewer.seenRound = this.#round;
    }
    for (const wanted of viewer.wanted) {
      const event = this.#valuesFor(wanted, readings);
      if (event !== undefined) events.push(event);
    }
    if (now - viewer.beatAt >= times.beat) {
      viewer.beatAt = now;
      events.push(Buffer.from(`event: beat\ndata: {"time":${Date.now()}}\n\n`));
      viewer.check().catch((error: unknown) => this.#end(viewer, error));
    }
    if (events.length > 0) viewer.tell(events.length === 1 ? (events[0] as Buffer) : Buffer.concat(events));
  }

  #valuesFor(wanted: Wanted, readings: Map<string, GroupReading | Fault>): Buffer | undefined {
    const { node, group } = wanted;
    const place = placeOf(wanted);
    let reading = readings.get(place);
    if (reading === undefined) readings.set(place, (reading = this.#read(node, group)));
    if (isFault(reading)) {
      if (wanted.refusal === reading.message) return undefined;
      wanted.refusal = reading.message;
      wanted.seen = undefined;
      const active = reading.code === ErrorCode.STANDBY ? activeUrl(this.#pair) : undefined;
      const refusal = { node, group, error: reading.code, message: reading.message, active };
      return Buffer.from(`event: group\ndata: ${JSON.stringify(refusal)}\n\n`);
    }
    let values = this.#values.get(place);
    if (values === undefined) this.#values.set(place, (values = new GroupValues(node, group)));
    const event = values.event(reading, wanted.seen, wanted.tags);
    wanted.seen = reading.sample;
    wanted.refusal = undefined;
    return event;
  }

  #read(node: string, group: string): GroupReading | Fault {
    const refusal = standbyFault(this.#pair, 'A stream of live values');
    if (refusal !== undefined) return refusal;
    try {
      return this.#gateway.values.latest(node, group);
    } catch (error) {
      if (isFault(error)) return error;
      throw error;
    }
  }

  #end(viewer: Viewer, error: unknown): void {
    const { code, message } = isFault(error) ? error : new Fault(ErrorCode.INTERNAL);
    viewer.tell(`event: end\ndata: ${JSON.stringify({ error: code, message })}\n\n`);
    viewer.push(null);
  }
}

const placeOf = ({ node, group }: Pick<Wanted, 'node' | 'group'>): string => JSON.stringify([node, group]);
