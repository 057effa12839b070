import type { LiveDemand } from '@tagway/schemas';
import { ErrorCode } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import { randomUUID } from 'node:crypto';
import type { Gateway } from '../../core/gateway.ts';
import type { GroupReading } from '../../core/model.ts';
import type { Pair } from '../../core/ports/pair.ts';
import { stateRecord } from '../endpoints/nodes.ts';
import { activeUrl, standbyFault } from '../guard/standby.ts';
import { GroupValues } from './group-values.ts';
import { StateChanges } from './state-changes.ts';
import { keyOf, Viewer, type ViewerSource, type Wanted } from './viewer.ts';
import { recordOf, Refusal, sentence } from '../../core/system/sentence.ts';

/** Milliseconds. */
const times = {
  /** Between two looks at the values. A viewer sees no more changes a second than this allows. */
  look: 250,
  /** Between two looks at the states. */
  states: 500,
  /** Between two beats, which show that the stream is alive. */
  beat: 5000,
  /** For a viewer to take what it was sent; its stream is closed then. */
  stall: 30_000,
} as const;

/** Streams that may be open at once. */
const mostViewers = 64;
/** Bytes after which no further group goes into the same message: the others come when the viewer has taken it. */
const mostBytes = 1 << 20;
/** Bytes that all streams of one caller may leave unread; they are sent nothing until some are taken. */
const mostUnread = 16 << 20;

interface Watched {
  readonly gateway: Gateway;
  readonly pair: Pair | undefined;
  readonly ending: AbortSignal | undefined;
}

/** The open streams. Without one no timer runs. */
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
      const fault = new Refusal(ErrorCode.BUSY, sentence`The gateway ends.`);
      for (const viewer of this.#viewers.values()) this.#end(viewer, fault);
    });
  }

  /** Opens a stream. Throws BUSY when all places are taken and no caller has at least two streams more than this one. */
  open(source: ViewerSource, demands: readonly LiveDemand[]): Viewer {
    if (this.#isEnding) throw new Refusal(ErrorCode.BUSY, sentence`The gateway ends.`);
    if (this.#viewers.size >= mostViewers) this.#makeRoom(source.owner);
    const viewer = new Viewer(randomUUID(), source);
    viewer.want(demands);
    viewer.on('close', () => this.#forget(viewer));
    const hello = { stream: viewer.key, beat: times.beat, time: Date.now() };
    viewer.send(`event: hello\ndata: ${JSON.stringify(hello)}\n\n`);
    this.#viewers.set(viewer.key, viewer);
    this.#timer ??= setInterval(() => this.#look(), times.look);
    return viewer;
  }

  /** Changes what a stream carries. Throws PARAM_INVALID when this caller has no such stream. */
  want(key: string, owner: string, demands: readonly LiveDemand[]): void {
    const viewer = this.#viewers.get(key);
    if (viewer?.owner !== owner)
      throw new Refusal(
        ErrorCode.PARAM_INVALID,
        sentence`There is no such stream any more; open another one.`,
      );
    viewer.want(demands);
    this.#forgetGroups();
    this.#sendAtOnce(viewer);
  }

  /** Who opens a place or scrolls does not wait for the next look. */
  #sendAtOnce(viewer: Viewer): void {
    if (!viewer.isReady) return;
    let unread = 0;
    for (const other of this.#viewers.values()) if (other.owner === viewer.owner) unread += other.unread;
    if (unread < mostUnread) this.#send(viewer, new Map(), performance.now());
  }

  /** Ends the oldest stream of the caller with the most. Throws BUSY when that caller has less than two more than `owner`. */
  #makeRoom(owner: string): void {
    const byOwner = Map.groupBy(this.#viewers.values(), (viewer) => viewer.owner);
    const [largest = []] = [...byOwner.values()].toSorted((one, other) => other.length - one.length);
    const [oldest] = largest;
    const own = byOwner.get(owner)?.length ?? 0;
    if (oldest === undefined || largest.length <= own + 1)
      throw new Refusal(
        ErrorCode.BUSY,
        sentence`There are ${mostViewers} streams of live values already; close a page that shows them, or ask with POST /api/v2/read.`,
      );
    const reason = sentence`Another caller needs a place among the ${mostViewers} streams of live values, and you have ${largest.length}.`;
    this.#end(oldest, new Refusal(ErrorCode.BUSY, reason));
    this.#forget(oldest);
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
    const wanted = new Set([...this.#viewers.values()].flatMap(({ wanted }) => wanted.map(keyOf)));
    for (const key of this.#values.keys()) if (!wanted.has(key)) this.#values.delete(key);
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
    const unread = new Map<string, number>();
    const count = ({ owner, unread: bytes }: Viewer): unknown =>
      unread.set(owner, (unread.get(owner) ?? 0) + bytes);
    for (const viewer of this.#viewers.values()) count(viewer);
    for (const viewer of [...this.#viewers.values()]) {
      if (viewer.isReady) {
        if ((unread.get(viewer.owner) ?? 0) < mostUnread) this.#send(viewer, readings, now);
        count(viewer);
      } else if (now - viewer.takenAt > times.stall) viewer.destroy();
    }
    this.#states.forget(Math.min(...[...this.#viewers.values()].map(({ seenRound }) => seenRound)));
  }

  #send(viewer: Viewer, readings: Map<string, GroupReading | Fault>, now: number): void {
    const events: Buffer[] = [];
    if (viewer.wantsStates && viewer.seenRound < this.#round) {
      const event = this.#states.event(viewer.seenRound);
      if (event !== undefined) events.push(event);
      viewer.seenRound = this.#round;
    }
    let bytes = 0;
    for (const wanted of viewer.turn()) {
      const event = this.#valuesFor(wanted, readings);
      if (event !== undefined) events.push(event);
      bytes += event?.length ?? 0;
      if (bytes >= mostBytes) break;
    }
    if (now - viewer.beatAt >= times.beat) {
      viewer.beatAt = now;
      events.push(Buffer.from(`event: beat\ndata: {"time":${Date.now()}}\n\n`));
      viewer.check().catch((error: unknown) => this.#end(viewer, error));
    }
    if (events.length > 0) viewer.send(events.length === 1 ? (events[0] as Buffer) : Buffer.concat(events));
  }

  #valuesFor(wanted: Wanted, readings: Map<string, GroupReading | Fault>): Buffer | undefined {
    const { node, group } = wanted;
    const key = keyOf(wanted);
    let reading = readings.get(key);
    if (reading === undefined) readings.set(key, (reading = this.#read(node, group)));
    if (isFault(reading)) {
      if (wanted.refusal === reading.message) return undefined;
      wanted.refusal = reading.message;
      wanted.seen = undefined;
      const active = reading.code === ErrorCode.STANDBY ? activeUrl(this.#pair) : undefined;
      const refusal = { node, group, error: reading.code, ...reasonOf(reading), active };
      return Buffer.from(`event: group\ndata: ${JSON.stringify(refusal)}\n\n`);
    }
    let values = this.#values.get(key);
    if (values === undefined) this.#values.set(key, (values = new GroupValues(node, group)));
    const event = values.event(reading, wanted.seen, wanted.tags);
    wanted.seen = reading;
    wanted.refusal = undefined;
    return event;
  }

  #read(node: string, group: string): GroupReading | Fault {
    const refusal = standbyFault(this.#pair, sentence`A stream of live values`);
    if (refusal !== undefined) return refusal;
    try {
      return this.#gateway.values.latest(node, group);
    } catch (error) {
      if (isFault(error)) return error;
      throw error;
    }
  }

  #end(viewer: Viewer, error: unknown): void {
    const fault = isFault(error) ? error : new Fault(ErrorCode.INTERNAL);
    viewer.send(`event: end\ndata: ${JSON.stringify({ error: fault.code, ...reasonOf(fault) })}\n\n`);
    viewer.push(null);
  }
}

/** What a fault says, and where it is the gateway's own sentence, that for the page to say in the language of its reader. */
function reasonOf(fault: Fault): object {
  const { message } = fault;
  return fault instanceof Refusal ? { message, sentence: recordOf(fault.sentence) } : { message };
}
